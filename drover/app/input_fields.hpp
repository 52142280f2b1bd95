// Kinds of input keys: counts, real numbers, choices, times, paths. Each builder returns
// a row of the key table that checks type and range and says in an error what is allowed.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drover/app/input_keys.hpp"
#include "drover/core/nearest.hpp"

namespace drover::app::fields {

// A field of Settings, found by a function so that rows stay short.
template <typename T>
using Field = T& (*)(Settings&);

template <typename T>
const T& value_of(Field<T> field, const Settings& settings) {
  return field(const_cast<Settings&>(settings));  // the field functions only select
}

// A key whose reader is given the row itself, for its error messages.
template <typename Read, typename Print>
InputKey make_key(std::string name, std::string meaning, std::string allowed, Read read,
                  Print print) {
  InputKey key{std::move(name), std::move(meaning), std::move(allowed), {}, print};
  key.read = [row = key, read](SettingsDraft& draft, const TomlValue& value,
                               const InputOrigin& origin) {
    read(row, draft, value, origin);
  };
  return key;
}

// Throws: place, key, what is allowed, what was found, and advice where there is some.
[[noreturn]] void wrong_value(const InputKey& key, const TomlValue& value,
                              const InputOrigin& origin, const std::string& advice = "");

// What to say to someone who wrote 1e3 or "1000" where a count belongs.
std::string count_advice(const TomlValue& value);

inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// A count; `word`, where there is one, stands for the number `word_value`.
InputKey count_key(std::string name, std::string meaning, Field<std::int64_t> field,
                   std::int64_t low, std::int64_t high = no_limit, std::string word = "",
                   std::int64_t word_value = 0);

// A real number above 0 and up to `high`; `word` stands for 0.
InputKey real_key(std::string name, std::string meaning, Field<double> field, double high,
                  std::string word = "");

// A time with its unit, at least `low` seconds; "none" stands for `none`.
InputKey duration_key(std::string name, std::string meaning, Field<double> field,
                      double low, double none);

// A path; relative ones are resolved against the folder of the file that they stand in.
InputKey path_key(std::string name, std::string meaning, Field<std::string> field,
                  bool may_be_none);

// The texts of a list; throws as wrong_value does for anything else.
std::vector<std::string> texts_of(const InputKey& row, const TomlValue& value,
                                  const InputOrigin& origin);

// A list of texts, looked at by whoever uses them.
InputKey text_list_key(std::string name, std::string meaning, std::string allowed,
                       Field<std::vector<std::string>> field);

// One word out of a list; get and set translate to the type in Settings.
template <typename T>
InputKey choice_key(std::string name, std::string meaning, Field<T> field,
                    std::vector<std::pair<std::string, T>> choices) {
  std::vector<std::string> words, quoted;
  for (const auto& choice : choices) {
    words.push_back(choice.first);
    quoted.push_back(toml_quoted(choice.first));
  }
  return make_key(
      std::move(name), std::move(meaning), listed(quoted, "or"),
      [=](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
          const InputOrigin& origin) {
        if (value.kind == TomlValue::Kind::text) {
          for (const auto& choice : choices) {
            if (choice.first == value.text) {
              field(draft.settings) = choice.second;
              return;
            }
          }
          const std::optional<std::string> meant = nearest(value.text, words);
          wrong_value(row, value, origin,
                      meant ? "did you mean " + toml_quoted(*meant) + "?" : "");
        }
        wrong_value(row, value, origin);
      },
      [=](const Settings& settings) -> std::optional<std::string> {
        for (const auto& choice : choices)
          if (choice.second == value_of(field, settings))
            return toml_quoted(choice.first);
        return std::nullopt;
      });
}

}  // namespace drover::app::fields
