#include "drover/app/term_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drover/app/input_fields.hpp"
#include "drover/core/nearest.hpp"
#include "drover/wave/term_registry.hpp"

namespace drover::app {
namespace {

using Kind = TomlValue::Kind;
using namespace fields;

const TermSettings* find_term(const Settings& settings, const std::string& name) {
  for (const TermSettings& term : settings.jastrow.terms)
    if (term.name == name) return &term;
  return nullptr;
}

// A real or whole number among a term's own settings, "jastrow.pade.b".
InputKey number_key(const std::string& term, const TermSetting& setting) {
  const bool whole = setting.kind == TermSetting::Kind::whole;
  return make_key(
      "jastrow." + term + "." + setting.name, setting.meaning,
      fmt::format("a {} from {:g} to {:g}", whole ? "whole number" : "number",
                  setting.low, setting.high),
      [=](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
          const InputOrigin& origin) {
        if (value.kind != Kind::whole && (whole || value.kind != Kind::real))
          wrong_value(row, value, origin, whole ? count_advice(value) : "");
        const double given =
            value.kind == Kind::whole ? static_cast<double>(value.whole) : value.real;
        if (!(given >= setting.low && given <= setting.high))
          wrong_value(row, value, origin);
        draft.term_tables[term].numbers[setting.name] = given;
      },
      [=](const Settings& settings) -> std::optional<std::string> {
        const TermSettings* found = find_term(settings, term);
        if (found == nullptr) return std::nullopt;
        const auto given = found->numbers.find(setting.name);
        const std::optional<double> number =
            given == found->numbers.end()
                ? default_number(settings.jastrow, *found, setting)
                : given->second;
        if (!number) return std::nullopt;
        return whole ? fmt::format("{:.0f}", *number) : toml_real(*number);
      });
}

std::vector<int> read_numbers(const InputKey& row, const TermSetting& setting,
                              const TomlValue& list, const InputOrigin& origin) {
  std::vector<int> numbers;
  for (const TomlValue& item : list.items) {
    const auto given = static_cast<double>(item.whole);
    if (item.kind != Kind::whole || given < setting.low || given > setting.high)
      wrong_value(row, item, origin);
    numbers.push_back(static_cast<int>(item.whole));
  }
  return numbers;
}

// A list of whole numbers.
InputKey list_key(const std::string& term, const TermSetting& setting) {
  return make_key(
      "jastrow." + term + "." + setting.name, setting.meaning,
      fmt::format("a list of whole numbers from {:g} to {:g}", setting.low, setting.high),
      [=](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
          const InputOrigin& origin) {
        if (value.kind != Kind::list || value.items.empty())
          wrong_value(row, value, origin);
        draft.term_tables[term].lists[setting.name] =
            read_numbers(row, setting, value, origin);
      },
      [=](const Settings& settings) -> std::optional<std::string> {
        const TermSettings* found = find_term(settings, term);
        if (found == nullptr) return std::nullopt;
        const auto given = found->lists.find(setting.name);
        return fmt::format(
            "[{}]",
            fmt::join(given == found->lists.end() ? setting.initial_list : given->second,
                      ", "));
      });
}

// Powers [m, n, o] of each of a term's members, "jastrow.boys-handy.terms".
InputKey triples_key(const std::string& term, const TermSetting& setting) {
  return make_key(
      "jastrow." + term + "." + setting.name, setting.meaning,
      fmt::format("a list of different triples [m, n, o] of whole numbers from {:g} to "
                  "{:g}, not all 0; [m, n, o] and [n, m, o] are the same",
                  setting.low, setting.high),
      [=](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
          const InputOrigin& origin) {
        if (value.kind != Kind::list || value.items.empty())
          wrong_value(row, value, origin);
        std::vector<std::vector<int>> triples, sorted;
        for (const TomlValue& item : value.items) {
          if (item.kind != Kind::list || item.items.size() != 3)
            wrong_value(row, item, origin);
          const std::vector<int> triple = read_numbers(row, setting, item, origin);
          std::vector<int> order = triple;
          std::sort(order.begin(), order.begin() + 2);
          const std::string written = fmt::format("[{}]", fmt::join(triple, ", "));
          if (order == std::vector<int>{0, 0, 0})
            wrong_value(row, item, origin, written + " is a constant");
          if (std::find(sorted.begin(), sorted.end(), order) != sorted.end())
            wrong_value(row, item, origin, written + " is in the list twice");
          triples.push_back(triple);
          sorted.push_back(order);
        }
        draft.term_tables[term].triples[setting.name] = triples;
      },
      [=](const Settings& settings) -> std::optional<std::string> {
        const TermSettings* found = find_term(settings, term);
        if (found == nullptr || found->triples.count(setting.name) == 0)
          return std::nullopt;
        std::string text;
        for (const std::vector<int>& triple : found->triples.at(setting.name))
          text +=
              fmt::format("{}[{}]", text.empty() ? "" : ", ", fmt::join(triple, ", "));
        return "[" + text + "]";
      });
}

InputKey setting_key(const std::string& term, const TermSetting& setting) {
  switch (setting.kind) {
    case TermSetting::Kind::list:
      return list_key(term, setting);
    case TermSetting::Kind::triples:
      return triples_key(term, setting);
    default:
      return number_key(term, setting);
  }
}

}  // namespace

InputKey jastrow_terms_key() {
  std::vector<std::string> quoted_names;
  for (const std::string& name : jastrow_term_names())
    quoted_names.push_back(toml_quoted(name));
  return make_key(
      "jastrow.terms", "factors of the Jastrow function; [] for none",
      "a list of different names out of " + listed(quoted_names) + "; [] for none",
      [](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
         const InputOrigin& origin) {
        const std::vector<std::string> names = texts_of(row, value, origin);
        for (auto name = names.begin(); name != names.end(); ++name) {
          const TomlValue& item =
              value.items[static_cast<std::size_t>(name - names.begin())];
          if (find_jastrow_term(item.text) == nullptr) {
            const auto meant = nearest(item.text, jastrow_term_names());
            wrong_value(row, item, origin,
                        meant ? "did you mean " + toml_quoted(*meant) + "?" : "");
          }
          if (std::find(names.begin(), name, *name) != name)
            wrong_value(row, item, origin, "it is in the list twice");
        }
        draft.term_names = names;
      },
      [](const Settings& settings) -> std::optional<std::string> {
        std::vector<std::string> quoted;
        for (const TermSettings& term : settings.jastrow.terms)
          quoted.push_back(toml_quoted(term.name));
        return fmt::format("[{}]", fmt::join(quoted, ", "));
      });
}

std::vector<InputKey> jastrow_setting_keys() {
  std::vector<InputKey> keys;
  for (const JastrowTerm& term : jastrow_terms())
    for (const TermSetting& setting : term.settings)
      keys.push_back(setting_key(term.name, setting));
  return keys;
}

}  // namespace drover::app
