#include "drover/app/overrides.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "drover/core/error.hpp"

namespace drover::app {
namespace {

using Kind = TomlValue::Kind;

std::string trimmed(const std::string& part) {
  const std::size_t first = part.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return part.substr(first, part.find_last_not_of(' ') - first + 1);
}

// [pade, boys-handy] of a shell that ate the quotes: what stands between the commas, as
// long as nothing in it could mean something to TOML.
std::optional<TomlValue> bare_list(const std::string& text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  const std::string inside = text.substr(1, text.size() - 2);
  if (inside.find_first_of("[]{}\"'=#\\\n\r\t") != std::string::npos) return std::nullopt;
  TomlValue list;
  list.kind = Kind::list;
  for (std::size_t begin = 0; begin <= inside.size();) {
    const std::size_t end = std::min(inside.find(',', begin), inside.size());
    TomlValue item;
    item.kind = Kind::text;
    item.text = trimmed(inside.substr(begin, end - begin));
    if (item.text.empty()) return std::nullopt;
    list.items.push_back(std::move(item));
    begin = end + 1;
  }
  return list;
}

}  // namespace

TomlValue override_value(const Override& change) {
  if (!is_utf8(change.value))
    throw Error(ErrorKind::input, change.written + ": the value is not UTF-8",
                {"", -1, change.key, -1, ""});
  TomlValue text;
  text.kind = Kind::text;
  text.text = change.value;
  if (change.is_text) return text;
  try {
    const InputOrigin origin{change.written, false, "."};
    const TomlValue parsed = parse_toml("value = " + change.value, origin);
    if (parsed.entries.size() == 1) return parsed.entries.front().value;
    return text;
  } catch (const Error&) {
    if (const std::optional<TomlValue> list = bare_list(change.value)) return *list;
    const char first = change.value.empty() ? ' ' : change.value.front();
    if (first == '[' || first == '{' || first == '"' || first == '\'')
      throw Error(ErrorKind::input,
                  change.written +
                      ": the value is neither TOML nor a list of bare words; put texts "
                      "into double quotes and the whole argument into single quotes, so "
                      "that the shell keeps them: --set 'key=[\"a\", \"b\"]'",
                  {"", -1, change.key, -1, ""});
    return text;
  }
}

Override parse_set(const std::string& text) {
  const std::string written = "--set " + text;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw Error(
        ErrorKind::input,
        written + ": expected key=value, for example --set sampling.walkers=1024");
  Override change{written, trimmed(text.substr(0, equals)),
                  trimmed(text.substr(equals + 1))};
  if (change.key.empty() || change.key.front() == '.' || change.key.back() == '.' ||
      change.key.find("..") != std::string::npos)
    throw Error(ErrorKind::input, written +
                                      ": expected a dotted key before the =, for example "
                                      "--set sampling.walkers=1024");
  return change;
}

}  // namespace drover::app
