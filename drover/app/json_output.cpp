#include "drover/app/json_output.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "drover/app/result_fields.hpp"

namespace drover::app {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return value;
}
Json number(std::int64_t value) {
  return value;
}
Json number(std::uint64_t value) {
  return value;
}

std::string line_of(const Json& object) {
  // A path or a message may hold bytes that are not UTF-8; they must not end the program.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

}  // namespace

std::string hexadecimal(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%a", value);
  return text.data();
}

std::string result_json(const RunResult& result, const std::string& folder) {
  Json object;
  object["status"] = "done";
  visit_numbers(result, [&](const char* name, const char*, const auto& value) {
    object[name] = number(value);
  });
  object["parameters"] = result.parameters.size();
  object["parameter_names"] = result.parameter_names;
  object["parameter_values"] = numbers(result.parameters);
  object["parameter_errors"] = numbers(result.parameter_errors);
  object["energy_bits"] = hexadecimal(result.energy);
  object["state_digest"] = result.state_digest;
  object["optimisation"] = Json::array();
  for (const OptimisationRecord& record : result.optimisation) {
    Json step;
    visit_numbers_of_step(record, [&](const char* name, const char*, const auto& value) {
      step[name] = number(value);
    });
    step["objective"] = record.objective;
    step["accepted"] = record.accepted;
    step["reason"] = record.reason;
    object["optimisation"].push_back(std::move(step));
  }
  object["blocking"] = Json::array();
  for (const BlockingLevel& level : result.blocking)
    object["blocking"].push_back({{"block_length", level.block_length},
                                  {"blocks", level.blocks},
                                  {"error", number(level.error)},
                                  {"error_of_error", number(level.error_of_error)}});
  object["warnings"] = result.warnings;
  if (!folder.empty()) object["folder"] = folder;
  return line_of(object);
}

std::string failure_json(const std::string& status, const std::string& message,
                         const std::string& folder) {
  Json object = {{"status", status}, {"message", message}};
  if (!folder.empty()) object["folder"] = folder;
  return line_of(object);
}

}  // namespace drover::app
