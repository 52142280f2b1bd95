#include "drover/app/run_contents.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "drover/app/result_fields.hpp"
#include "drover/core/error.hpp"
#include "drover/core/version.hpp"

namespace drover::app {
namespace {

constexpr std::string_view state_prefix = "state/";

template <typename T>
void add_number(Checkpoint& contents, std::string name, const char* unit, T value) {
  if constexpr (std::is_same_v<T, double>)
    contents.add(std::move(name), value, std::string(unit));
  else
    contents.add(std::move(name), static_cast<std::int64_t>(value), std::string(unit));
}

template <typename T>
void get_number(const Checkpoint& contents, const std::string& name, T& value) {
  if constexpr (std::is_same_v<T, double>)
    value = contents.real(name);
  else
    value = static_cast<T>(contents.integer(name));
}

template <typename T, typename Get>
std::vector<T> column(const std::vector<OptimisationRecord>& steps, Get get) {
  std::vector<T> values;
  for (const OptimisationRecord& step : steps) values.push_back(get(step));
  return values;
}

// The number called `name` of one step.
template <typename T>
T number_of(const OptimisationRecord& step, std::string_view name) {
  T found{};
  visit_numbers_of_step(step, [&](const char* other, const char*, const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, T>)
      if (name == other) found = value;
  });
  return found;
}

void add_optimisation(Checkpoint& contents,
                      const std::vector<OptimisationRecord>& steps) {
  // An empty record tells the names and types of the numbers.
  visit_numbers_of_step(OptimisationRecord{}, [&](const char* name, const char* unit,
                                                  const auto& example) {
    using T = std::decay_t<decltype(example)>;
    contents.add(std::string("optimisation/") + name,
                 column<T>(steps, [&](const auto& s) { return number_of<T>(s, name); }),
                 std::string(unit));
  });
  contents.add("optimisation/accepted",
               column<std::int64_t>(steps, [](const OptimisationRecord& step) {
                 return static_cast<std::int64_t>(step.accepted);
               }));
  contents.add("optimisation/objective",
               column<std::string>(
                   steps, [](const OptimisationRecord& step) { return step.objective; }));
  contents.add("optimisation/reason",
               column<std::string>(
                   steps, [](const OptimisationRecord& step) { return step.reason; }));
  // Rows of one width: shorter ones end in NaN, which is no parameter's value.
  std::size_t width = 0;
  for (const OptimisationRecord& step : steps)
    width = std::max(width, step.parameters.size());
  std::vector<double> parameters;
  for (const OptimisationRecord& step : steps) {
    parameters.insert(parameters.end(), step.parameters.begin(), step.parameters.end());
    parameters.resize(parameters.size() + width - step.parameters.size(),
                      std::numeric_limits<double>::quiet_NaN());
  }
  contents.add(
      "optimisation/parameters", std::move(parameters),
      {static_cast<std::int64_t>(steps.size()), static_cast<std::int64_t>(width)}, "");
}

void add_measured(Checkpoint& contents, const std::vector<MeasureRecord>& steps) {
  const auto add = [&](const char* name, const char* unit, auto member) {
    std::vector<std::decay_t<decltype(steps.front().*member)>> values;
    for (const MeasureRecord& step : steps) values.push_back(step.*member);
    contents.add(std::string("measured/") + name, std::move(values), unit);
  };
  add("energy", "hartree", &MeasureRecord::energy);
  add("kinetic", "hartree", &MeasureRecord::kinetic);
  add("potential", "hartree", &MeasureRecord::potential);
  add("variance", "hartree^2", &MeasureRecord::variance);
  add("clipped_variance", "hartree^2", &MeasureRecord::clipped_variance);
  add("acceptance", "", &MeasureRecord::acceptance);
  add("counted", "", &MeasureRecord::counted);
  add("nonfinite", "", &MeasureRecord::nonfinite);
}

template <typename T>
const T& element(const std::vector<T>& values, std::size_t index, const char* what) {
  if (index >= values.size())
    throw Error(ErrorKind::input,
                std::string("entry 'optimisation/") + what + "' is too short");
  return values[index];
}

std::vector<OptimisationRecord> get_optimisation(const Checkpoint& contents) {
  const std::size_t count = contents.integers("optimisation/step").size();
  const std::vector<double>& parameters = contents.reals("optimisation/parameters");
  const std::size_t width = count == 0 ? 0 : parameters.size() / count;
  std::vector<OptimisationRecord> steps(count);
  for (std::size_t i = 0; i < count; ++i) {
    OptimisationRecord& step = steps[i];
    visit_numbers_of_step(step, [&](const char* name, const char*, auto& value) {
      const std::string entry = std::string("optimisation/") + name;
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>)
        value = element(contents.reals(entry), i, name);
      else
        value = element(contents.integers(entry), i, name);
    });
    step.accepted =
        element(contents.integers("optimisation/accepted"), i, "accepted") != 0;
    step.objective = element(contents.words("optimisation/objective"), i, "objective");
    step.reason = element(contents.words("optimisation/reason"), i, "reason");
    const auto row = parameters.begin() + static_cast<std::ptrdiff_t>(i * width);
    step.parameters.assign(row, row + static_cast<std::ptrdiff_t>(width));
    while (!step.parameters.empty() && std::isnan(step.parameters.back()))
      step.parameters.pop_back();
  }
  return steps;
}

void add_blocking(Checkpoint& contents, const std::vector<BlockingLevel>& levels) {
  std::vector<std::int64_t> length, blocks;
  std::vector<double> error, error_of_error;
  for (const BlockingLevel& level : levels) {
    length.push_back(level.block_length);
    blocks.push_back(level.blocks);
    error.push_back(level.error);
    error_of_error.push_back(level.error_of_error);
  }
  contents.add("result/blocking/block_length", std::move(length), "steps");
  contents.add("result/blocking/blocks", std::move(blocks));
  contents.add("result/blocking/error", std::move(error), "hartree");
  contents.add("result/blocking/error_of_error", std::move(error_of_error), "hartree");
}

std::vector<BlockingLevel> get_blocking(const Checkpoint& contents) {
  const auto& length = contents.integers("result/blocking/block_length");
  const auto& blocks = contents.integers("result/blocking/blocks");
  const auto& error = contents.reals("result/blocking/error");
  const auto& error_of_error = contents.reals("result/blocking/error_of_error");
  if (blocks.size() != length.size() || error.size() != length.size() ||
      error_of_error.size() != length.size())
    throw Error(ErrorKind::input, "the entries 'result/blocking/...' differ in length");
  std::vector<BlockingLevel> levels;
  for (std::size_t i = 0; i < length.size(); ++i)
    levels.push_back({length[i], blocks[i], error[i], error_of_error[i]});
  return levels;
}

}  // namespace

Checkpoint run_contents(const RunRecord& record, const std::string& input) {
  const RunResult& result = record.result;
  Checkpoint contents;
  contents.add("version", std::string(version()));
  contents.add("input", input);
  visit_numbers(result, [&](const char* name, const char* unit, const auto& value) {
    add_number(contents, std::string("result/") + name, unit, value);
  });
  contents.add("result/state_digest", result.state_digest);
  contents.add("result/parameter_names", result.parameter_names);
  contents.add("result/parameters", result.parameters);
  contents.add("result/parameter_errors", result.parameter_errors);
  contents.add("result/warnings", result.warnings);
  add_blocking(contents, result.blocking);
  add_optimisation(contents, result.optimisation);
  add_measured(contents, record.measured);
  for (const CheckpointEntry& entry : record.final_state.entries()) {
    CheckpointEntry copy = entry;
    copy.name = std::string(state_prefix) + entry.name;
    contents.add(std::move(copy));
  }
  return contents;
}

RunResult result_from(const Checkpoint& contents) {
  RunResult result;
  visit_numbers(result, [&](const char* name, const char*, auto& value) {
    get_number(contents, std::string("result/") + name, value);
  });
  result.state_digest = contents.text("result/state_digest");
  result.parameter_names = contents.words("result/parameter_names");
  result.parameters = contents.reals("result/parameters");
  result.parameter_errors = contents.reals("result/parameter_errors");
  result.warnings = contents.words("result/warnings");
  result.blocking = get_blocking(contents);
  result.optimisation = get_optimisation(contents);
  return result;
}

Checkpoint state_from(const Checkpoint& contents) {
  Checkpoint state;
  for (const CheckpointEntry& entry : contents.entries()) {
    if (entry.name.rfind(state_prefix, 0) != 0) continue;
    CheckpointEntry copy = entry;
    copy.name = entry.name.substr(state_prefix.size());
    state.add(std::move(copy));
  }
  return state;
}

}  // namespace drover::app
