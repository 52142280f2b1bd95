#include "drover/app/input_fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "drover/app/duration.hpp"
#include "drover/core/error.hpp"

namespace drover::app::fields {
namespace {

using Kind = TomlValue::Kind;

std::string range_text(std::int64_t low, std::int64_t high) {
  if (high == std::numeric_limits<std::int64_t>::max())
    return fmt::format("a whole number from {}", low);
  return fmt::format("a whole number from {} to {}", low, high);
}

bool is_number(const TomlValue& value) {
  return value.kind == Kind::text && !value.text.empty() &&
         value.text.find_first_not_of("+-.eE0123456789") == std::string::npos;
}

}  // namespace

void wrong_value(const InputKey& key, const TomlValue& value, const InputOrigin& origin,
                 const std::string& advice) {
  throw Error(
      ErrorKind::input,
      fmt::format("{}: {}: expected {}, found {}{}",
                  place_of(origin, value.line, value.column), key.name, key.allowed,
                  describe(value), advice.empty() ? "" : "; " + advice),
      {origin.name, origin.is_file ? value.line : -1, key.name, -1, ""});
}

std::string count_advice(const TomlValue& value) {
  if (value.kind == Kind::real && value.real == std::floor(value.real) &&
      std::fabs(value.real) < 1e15)
    return fmt::format("counts are exact: write {:.0f}", value.real);
  if (value.kind == Kind::real) return "counts are exact and never rounded";
  if (value.kind == Kind::text && !value.text.empty() &&
      value.text.find_first_not_of("+-0123456789") == std::string::npos)
    return value.text.size() > 18 ? "it is too large" : "write it without quotes";
  return "";
}

InputKey count_key(std::string name, std::string meaning, Field<std::int64_t> field,
                   std::int64_t low, std::int64_t high, std::string word,
                   std::int64_t word_value) {
  std::string allowed = range_text(low, high);
  if (!word.empty()) allowed += fmt::format(", or \"{}\"", word);
  return make_key(
      std::move(name), std::move(meaning), allowed,
      [=](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
          const InputOrigin& origin) {
        if (!word.empty() && value.kind == Kind::text && value.text == word) {
          field(draft.settings) = word_value;
          return;
        }
        if (value.kind != Kind::whole)
          wrong_value(row, value, origin, count_advice(value));
        if (value.whole < low || value.whole > high) wrong_value(row, value, origin);
        field(draft.settings) = value.whole;
      },
      [=](const Settings& settings) -> std::optional<std::string> {
        const std::int64_t number = value_of(field, settings);
        if (!word.empty() && number == word_value) return toml_quoted(word);
        return std::to_string(number);
      });
}

InputKey real_key(std::string name, std::string meaning, Field<double> field, double high,
                  std::string word) {
  std::string allowed = fmt::format("a number above 0 and up to {:g}", high);
  if (!word.empty()) allowed += fmt::format(", or \"{}\"", word);
  return make_key(
      std::move(name), std::move(meaning), allowed,
      [=](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
          const InputOrigin& origin) {
        if (!word.empty() && value.kind == Kind::text && value.text == word) {
          field(draft.settings) = 0.0;
          return;
        }
        if (value.kind != Kind::whole && value.kind != Kind::real)
          wrong_value(row, value, origin,
                      is_number(value) ? "write it without quotes" : "");
        const double number =
            value.kind == Kind::whole ? static_cast<double>(value.whole) : value.real;
        if (!(number > 0.0 && number <= high)) wrong_value(row, value, origin);
        field(draft.settings) = number;
      },
      [=](const Settings& settings) -> std::optional<std::string> {
        const double number = value_of(field, settings);
        if (!word.empty() && number == 0.0) return toml_quoted(word);
        return toml_real(number);
      });
}

InputKey duration_key(std::string name, std::string meaning, Field<double> field,
                      double low, double none) {
  std::string allowed = "a time in quotes such as \"60 s\" or \"3 h 55 min\"";
  if (low > 0.0) allowed += fmt::format(", at least {}", format_duration(low));
  allowed += ", or \"none\"";
  return make_key(
      std::move(name), std::move(meaning), allowed,
      [=](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
          const InputOrigin& origin) {
        if (value.kind == Kind::whole || value.kind == Kind::real)
          wrong_value(row, value, origin, "name the unit: s, min, h or d");
        if (value.kind != Kind::text) wrong_value(row, value, origin);
        if (value.text == "none") {
          field(draft.settings) = none;
          return;
        }
        const std::optional<double> seconds = parse_duration(value.text);
        if (!seconds)
          wrong_value(row, value, origin, "the units are s, min, h and d, each once");
        if (!(*seconds >= low && *seconds <= 1e9)) wrong_value(row, value, origin);
        field(draft.settings) = *seconds;
      },
      [=](const Settings& settings) -> std::optional<std::string> {
        const double seconds = value_of(field, settings);
        return toml_quoted(seconds == none ? "none" : format_duration(seconds));
      });
}

InputKey path_key(std::string name, std::string meaning, Field<std::string> field,
                  bool may_be_none) {
  std::string allowed = "a path in quotes";
  if (may_be_none) allowed += ", or \"none\"";
  return make_key(
      std::move(name), std::move(meaning), allowed,
      [=](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
          const InputOrigin& origin) {
        if (value.kind != Kind::text || value.text.empty())
          wrong_value(row, value, origin);
        if (may_be_none && value.text == "none") {
          field(draft.settings) = "none";
          return;
        }
        const std::filesystem::path given(value.text);
        const std::filesystem::path whole =
            given.is_absolute() ? given : std::filesystem::path(origin.folder) / given;
        field(draft.settings) =
            std::filesystem::absolute(whole).lexically_normal().string();
      },
      [=](const Settings& settings) -> std::optional<std::string> {
        const std::string& path = value_of(field, settings);
        if (path.empty()) return std::nullopt;
        return toml_quoted(path);
      });
}

std::vector<std::string> texts_of(const InputKey& row, const TomlValue& value,
                                  const InputOrigin& origin) {
  if (value.kind == Kind::text)
    wrong_value(row, value, origin,
                fmt::format("write a list: [{}]", toml_quoted(value.text)));
  if (value.kind != Kind::list) wrong_value(row, value, origin);
  std::vector<std::string> texts;
  for (const TomlValue& item : value.items) {
    if (item.kind != Kind::text) wrong_value(row, item, origin);
    texts.push_back(item.text);
  }
  return texts;
}

InputKey text_list_key(std::string name, std::string meaning, std::string allowed,
                       Field<std::vector<std::string>> field) {
  return make_key(
      std::move(name), std::move(meaning), std::move(allowed),
      [=](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
          const InputOrigin& origin) {
        field(draft.settings) = texts_of(row, value, origin);
      },
      [=](const Settings& settings) -> std::optional<std::string> {
        std::vector<std::string> quoted;
        for (const std::string& text : value_of(field, settings))
          quoted.push_back(toml_quoted(text));
        return fmt::format("[{}]", fmt::join(quoted, ", "));
      });
}

}  // namespace drover::app::fields
