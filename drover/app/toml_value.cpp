#include "drover/app/toml_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drover/core/error.hpp"

// toml++ 3.3 takes it for granted that a key stands behind "[": "[=" fails an assertion
// in a debug build and is undefined behaviour in a release build. Its assertions
// therefore stay on in this file, the only one that includes it, and throw.
namespace drover::app {
namespace {
struct BrokenAssumption {};
[[noreturn]] void toml_assumption_broken() {
  throw BrokenAssumption{};
}
}  // namespace
}  // namespace drover::app
#undef NDEBUG
#define TOML_ASSERT(expression) \
  ((expression) ? static_cast<void>(0) : ::drover::app::toml_assumption_broken())
#include <toml++/toml.h>

namespace drover::app {
namespace {

TomlValue convert(const toml::node& node) {
  TomlValue value;
  value.line = static_cast<int>(node.source().begin.line);
  value.column = static_cast<int>(node.source().begin.column);
  switch (node.type()) {
    case toml::node_type::table:
      value.kind = TomlValue::Kind::table;
      for (const auto& [key, child] : *node.as_table()) {
        TomlValue entry = convert(child);
        entry.key_line = static_cast<int>(key.source().begin.line);
        entry.key_column = static_cast<int>(key.source().begin.column);
        value.entries.push_back({std::string(key.str()), std::move(entry)});
      }
      // The library sorts by name; errors should come in the order of the file.
      std::stable_sort(value.entries.begin(), value.entries.end(),
                       [](const auto& a, const auto& b) {
                         return std::pair(a.value.key_line, a.value.key_column) <
                                std::pair(b.value.key_line, b.value.key_column);
                       });
      break;
    case toml::node_type::array:
      value.kind = TomlValue::Kind::list;
      for (const toml::node& child : *node.as_array())
        value.items.push_back(convert(child));
      break;
    case toml::node_type::string:
      value.kind = TomlValue::Kind::text;
      value.text = node.as_string()->get();
      break;
    case toml::node_type::integer:
      value.kind = TomlValue::Kind::whole;
      value.whole = node.as_integer()->get();
      break;
    case toml::node_type::floating_point:
      value.kind = TomlValue::Kind::real;
      value.real = node.as_floating_point()->get();
      break;
    case toml::node_type::boolean:
      value.kind = TomlValue::Kind::boolean;
      value.boolean = node.as_boolean()->get();
      break;
    default:
      value.kind = TomlValue::Kind::date;
  }
  return value;
}

// The library's sentence without its preamble ("Error while parsing key-value pair: ").
std::string explain(std::string_view description) {
  std::string text(description);
  if (text.rfind("Error while parsing ", 0) == 0) {
    const std::size_t colon = text.find(": ");
    if (colon != std::string::npos) {
      const std::string what = text.substr(20, colon - 20);
      text = text.substr(colon + 2);
      if (text.find("cannot redefine") == std::string::npos)
        text += " (while reading a " + what + ")";
    }
  }
  if (text.find("cannot redefine") != std::string::npos)
    return "duplicate: " + text + "; keep one of the two";
  return "not valid TOML: " + text;
}

// The first line that opens a table and names none, for the error that toml++ cannot
// place.
std::pair<int, int> nameless_table(const std::string& text) {
  int line = 1, first = 1;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::size_t i = text.find_first_not_of(" \t", begin);
    if (i < end && text[i] == '[') {
      i = text.find_first_not_of("[ \t", i);
      const char c = i < end ? text[i] : '\n';
      const bool names = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '"' ||
                         c == '\'';
      if (!names) return {line, static_cast<int>(std::min(i, end) - begin) + 1};
      first = line;
    }
    begin = end + 1;
    ++line;
  }
  return {first, 1};
}

// The place of a dotted key of more parts than any input needs, or {0, 0}: toml++ limits
// the depth of values but not of keys, and recurses over their tables.
std::pair<int, int> endless_key(const std::string& text) {
  constexpr int most_parts = 256;
  int line = 1, column = 0, parts = 0;
  char quote = 0;
  for (const char c : text) {
    ++column;
    if (c == '\n') {
      ++line;
      column = parts = 0;
      quote = 0;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '.') {
      if (++parts == most_parts) return {line, column};
    } else if (c == '=' || c == ',' || c == '[' || c == '{' || c == '#') {
      parts = 0;
    }
  }
  return {0, 0};
}

[[noreturn]] void refuse(const InputOrigin& origin, int line, int column,
                         const std::string& what) {
  throw Error(ErrorKind::input,
              fmt::format("{}:{}:{}: {}", origin.name, line, column, what),
              {origin.name, line, "", -1, ""});
}

}  // namespace

TomlValue parse_toml(const std::string& text, const InputOrigin& origin) {
  if (const auto [line, column] = endless_key(text); line > 0)
    refuse(origin, line, column, "not valid TOML for Drover: a key of too many parts");
  try {
    const toml::table table = toml::parse(std::string_view(text), origin.name);
    return convert(table);
  } catch (const toml::parse_error& error) {
    refuse(origin, static_cast<int>(error.source().begin.line),
           static_cast<int>(error.source().begin.column), explain(error.description()));
  } catch (const BrokenAssumption&) {
    const auto [line, column] = nameless_table(text);
    refuse(origin, line, column, "not valid TOML: expected the name of a table after [");
  }
}

std::string describe(const TomlValue& value) {
  switch (value.kind) {
    case TomlValue::Kind::boolean:
      return value.boolean ? "true" : "false";
    case TomlValue::Kind::whole:
      return fmt::format("the whole number {}", value.whole);
    case TomlValue::Kind::real:
      return "the number " + toml_real(value.real);
    case TomlValue::Kind::text:
      return "the text " + toml_quoted(value.text);
    case TomlValue::Kind::date:
      return "a date";
    case TomlValue::Kind::list:
      return "a list";
    case TomlValue::Kind::table:
      return "a table";
  }
  return "nothing";
}

std::string toml_quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted +=
          fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string toml_real(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", value);  // shortest that reads back the same
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

bool is_utf8(const std::string& text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t more = byte < 0x80                    ? 0
                             : byte >= 0xc2 && byte <= 0xdf ? 1
                             : byte >= 0xe0 && byte <= 0xef ? 2
                             : byte >= 0xf0 && byte <= 0xf4 ? 3
                                                            : text.size();
    if (i + more >= text.size()) return false;
    for (std::size_t k = 1; k <= more; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return false;
    i += more + 1;
  }
  return true;
}

}  // namespace drover::app
