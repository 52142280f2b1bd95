#include "drover/app/parameters_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "drover/app/pytc_parameters.hpp"
#include "drover/app/whole_file.hpp"
#include "drover/core/error.hpp"

namespace drover::app {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::input, path + ": " + what, {path, -1, "", -1, ""});
}

std::vector<double> read_named(const std::string& path, const Json& document,
                               const std::vector<ParameterInfo>& parameters) {
  const bool whole = document.is_object() && document.contains("parameter_names") &&
                     document.contains("parameter_values") &&
                     document["parameter_names"].is_array() &&
                     document["parameter_values"].is_array();
  if (!whole)
    refuse(path,
           "expected a JSON object with the lists \"parameter_names\" and "
           "\"parameter_values\", as drover run --json prints it, or a parameter file of "
           "pytc (HDF5 or JSON)");
  const Json& given = document["parameter_names"];
  const Json& values = document["parameter_values"];
  if (given.size() != values.size())
    refuse(path, fmt::format("has {} parameter_names and {} parameter_values",
                             given.size(), values.size()));
  std::vector<double> ordered(parameters.size());
  std::vector<bool> found(parameters.size(), false);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].is_string())
      refuse(path, fmt::format("parameter_names[{}]: expected a text", i));
    const auto name = given[i].get<std::string>();
    const auto known =
        std::find_if(parameters.begin(), parameters.end(),
                     [&](const ParameterInfo& p) { return p.name == name; });
    if (known == parameters.end())
      refuse(path,
             fmt::format("the wave function has no parameter '{}'; was the file made "
                         "with other Jastrow terms?",
                         name));
    const auto place = static_cast<std::size_t>(known - parameters.begin());
    if (found[place])
      refuse(path, fmt::format("the parameter '{}' is there twice", name));
    if (!values[i].is_number() || !std::isfinite(values[i].get<double>()))
      refuse(path, fmt::format("parameter_values[{}] ('{}'): expected a finite number", i,
                               name));
    found[place] = true;
    ordered[place] = values[i].get<double>();
  }
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!found[i])
      refuse(path, fmt::format("the parameter '{}' is missing", parameters[i].name));
  return ordered;
}

// Within the ranges that an optimisation keeps to. A mean of values on a bound may be a
// rounding beyond it, 1e-12 of the range at the very most; that is put on the bound.
void require_ranges(const std::string& path, const std::vector<ParameterInfo>& parameters,
                    std::vector<double>& values) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ParameterInfo& p = parameters[i];
    if (!(p.lower < p.upper)) continue;
    const double rounding = 1e-12 * std::max(std::fabs(p.lower), std::fabs(p.upper));
    if (!(values[i] >= p.lower - rounding && values[i] <= p.upper + rounding))
      refuse(path, fmt::format("the parameter '{}' is {:g}, allowed is {:g} to {:g}; was "
                               "the file made for another molecule or with other "
                               "[jastrow] settings?",
                               p.name, values[i], p.lower, p.upper));
    values[i] = std::clamp(values[i], p.lower, p.upper);
  }
}

std::vector<double> read_values(const std::string& path,
                                const std::vector<ParameterInfo>& parameters,
                                const std::function<PytcLayout()>& layout) {
  const std::vector<char> bytes = read_whole_file(path);
  constexpr std::string_view hdf5 = "\x89HDF\r\n\x1a\n";
  if (std::string_view(bytes.data(), bytes.size()).substr(0, hdf5.size()) == hdf5)
    return read_pytc_hdf5(path, layout());
  const Json document = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
  const bool list = document.is_array() && !document.empty();
  const bool pytc = (list && document.front().is_structured()) ||
                    (document.is_object() && document.contains("params"));
  if (pytc) return read_pytc_json(path, document, layout());
  return read_named(path, document, parameters);
}

}  // namespace

std::vector<double> read_parameters(const std::string& path,
                                    const std::vector<ParameterInfo>& parameters,
                                    const std::function<PytcLayout()>& layout) {
  std::vector<double> values = read_values(path, parameters, layout);
  require_ranges(path, parameters, values);
  return values;
}

}  // namespace drover::app
