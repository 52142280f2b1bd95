#include "drover/app/overrides.hpp"

#include <optional>

#include "drover/core/error.hpp"

namespace drover::app {
namespace {

using Kind = TomlValue::Kind;

// [pade, boys-handy] of a shell that ate the quotes.
std::optional<TomlValue> bare_list(const std::string& text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  TomlValue list;
  list.kind = Kind::list;
  std::string word;
  for (const char c : text.substr(1, text.size() - 2) + ",") {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (plain) {
      word += c;
    } else if (c == ',' && !word.empty()) {
      TomlValue item;
      item.kind = Kind::text;
      item.text = word;
      list.items.push_back(item);
      word.clear();
    } else if (c != ' ' || !word.empty()) {
      return std::nullopt;
    }
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
                      ": the value is neither TOML nor a bare word; put the whole "
                      "argument into single quotes so that the shell keeps the rest",
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
  const auto trimmed = [](std::string part) {
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    return part;
  };
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
