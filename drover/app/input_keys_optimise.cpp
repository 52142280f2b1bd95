// The keys of [optimise].
#include <fmt/format.h>

#include <algorithm>

#include "drover/app/input_fields.hpp"

namespace drover::app {
namespace {

using Kind = TomlValue::Kind;
using namespace fields;

// Words of an enumeration, in the order of its values.
template <class T>
std::vector<std::pair<std::string, T>> choices(std::initializer_list<T> values) {
  std::vector<std::pair<std::string, T>> words;
  for (const T value : values) words.emplace_back(name_of(value), value);
  return words;
}

// A number of the method; "auto", kept as -1, is the method's own. From `low` on, or
// above it where low_counts is false, and below `high`.
InputKey method_number_key(std::string name, std::string meaning, Field<double> field,
                           bool low_counts, double high) {
  return make_key(
      std::move(name), std::move(meaning),
      fmt::format("a number {} and below {:g}, or \"auto\"",
                  low_counts ? "from 0" : "above 0", high),
      [=](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
          const InputOrigin& origin) {
        if (value.kind == Kind::text && value.text == "auto") {
          field(draft.settings) = -1.0;
          return;
        }
        if (value.kind != Kind::whole && value.kind != Kind::real)
          wrong_value(row, value, origin);
        const double number =
            value.kind == Kind::whole ? static_cast<double>(value.whole) : value.real;
        const bool above = low_counts ? number >= 0.0 : number > 0.0;
        if (!(above && number < high)) wrong_value(row, value, origin);
        field(draft.settings) = number;
      },
      [=](const Settings& settings) -> std::optional<std::string> {
        const double number = value_of(field, settings);
        return number < 0.0 ? "\"auto\"" : toml_real(number);
      });
}

InputKey freeze_key() {
  return make_key(
      "optimise.freeze", "parameters that keep their bits; * and ? stand for letters",
      "a list of names or patterns in quotes, such as [\"boys-handy.b*\"]; [] for none",
      [](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
         const InputOrigin& origin) {
        draft.settings.optimise.freeze = texts_of(row, value, origin);
        for (const TomlValue& item : value.items)
          if (item.text.empty()) wrong_value(row, item, origin);
      },
      [](const Settings& settings) -> std::optional<std::string> {
        std::vector<std::string> quoted;
        for (const std::string& pattern : settings.optimise.freeze)
          quoted.push_back(toml_quoted(pattern));
        return fmt::format("[{}]", fmt::join(quoted, ", "));
      });
}

}  // namespace

std::vector<InputKey> optimise_keys() {
  using Method = OptimiseMethod;
  std::vector<InputKey> keys;
  const auto add = [&](InputKey key) { keys.push_back(std::move(key)); };
  add(choice_key<Objective>(
      "optimise.objective", "what is made small",
      [](Settings& s) -> Objective& { return s.optimise.objective; },
      choices({Objective::energy, Objective::variance, Objective::reference_variance})));
  add(choice_key<Method>(
      "optimise.method", "how a step is proposed; auto: linear, or gauss-newton",
      [](Settings& s) -> Method& { return s.optimise.method; },
      choices({Method::automatic, Method::linear, Method::sr, Method::sr_cg,
               Method::min_sr, Method::spring, Method::gauss_newton, Method::adam,
               Method::sgd, Method::rmsprop, Method::lion})));
  add(count_key(
      "optimise.steps", "of the objective; 0: none",
      [](Settings& s) -> std::int64_t& { return s.optimise.steps; }, 0, 1000000));
  add(count_key(
      "optimise.reference_steps", "on the reference variance first; 0: none",
      [](Settings& s) -> std::int64_t& { return s.optimise.reference_steps; }, 0,
      1000000));
  add(count_key(
      "optimise.sweeps", "between a change of parameters and its energies",
      [](Settings& s) -> std::int64_t& { return s.optimise.sweeps; }, 1, 1000000));
  add(count_key(
      "optimise.samples", "energies a walker gives to each step",
      [](Settings& s) -> std::int64_t& { return s.optimise.samples; }, 1, 1000000));
  add(count_key(
      "optimise.updates", "of the parameters for one set of samples",
      [](Settings& s) -> std::int64_t& { return s.optimise.updates; }, 1, 1000));
  add(real_key(
      "optimise.effective", "least share of effective samples for a further update",
      [](Settings& s) -> double& { return s.optimise.effective; }, 1.0));
  add(real_key(
      "optimise.clip", "mean absolute deviations; gradients only",
      [](Settings& s) -> double& { return s.optimise.clip; }, 1e6, "none"));
  add(method_number_key(
      "optimise.learning_rate", "largest; of sr and first-order methods",
      [](Settings& s) -> double& { return s.optimise.learning_rate; }, false, 1e6));
  add(method_number_key(
      "optimise.momentum", "of spring, sgd; beta1 of adam, lion",
      [](Settings& s) -> double& { return s.optimise.momentum; }, true, 1.0));
  add(method_number_key(
      "optimise.beta2", "of adam, rmsprop, lion",
      [](Settings& s) -> double& { return s.optimise.beta2; }, true, 1.0));
  add(method_number_key(
      "optimise.shift", "diagonal: of S, of H in hartree, or the damping",
      [](Settings& s) -> double& { return s.optimise.shift; }, false, 1e5));
  add(method_number_key(
      "optimise.trust_radius", "longest step in the metric of the method",
      [](Settings& s) -> double& { return s.optimise.trust_radius; }, false, 1e6));
  add(count_key(
      "optimise.cg_iterations", "of sr-cg at most; one reduction each",
      [](Settings& s) -> std::int64_t& { return s.optimise.cg_iterations; }, 1, 100000,
      "auto"));
  add(choice_key<Schedule>(
      "optimise.schedule", "of the learning rate",
      [](Settings& s) -> Schedule& { return s.optimise.schedule; },
      choices({Schedule::constant, Schedule::inverse, Schedule::cosine})));
  add(count_key(
      "optimise.schedule_steps", "accepted updates; auto: optimise.steps",
      [](Settings& s) -> std::int64_t& { return s.optimise.schedule_steps; }, 1, no_limit,
      "auto"));
  add(count_key(
      "optimise.average", "last accepted points in the result; auto: of the flat end",
      [](Settings& s) -> std::int64_t& { return s.optimise.average; }, 2, 1000000,
      "auto"));
  add(freeze_key());
  return keys;
}

}  // namespace drover::app
