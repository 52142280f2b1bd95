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
                               const std::vector<std::string>& names) {
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
  std::vector<double> ordered(names.size());
  std::vector<bool> found(names.size(), false);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].is_string())
      refuse(path, fmt::format("parameter_names[{}]: expected a text", i));
    const auto name = given[i].get<std::string>();
    const auto known = std::find(names.begin(), names.end(), name);
    if (known == names.end())
      refuse(path,
             fmt::format("the wave function has no parameter '{}'; was the file made "
                         "with other Jastrow terms?",
                         name));
    const auto place = static_cast<std::size_t>(known - names.begin());
    if (found[place])
      refuse(path, fmt::format("the parameter '{}' is there twice", name));
    if (!values[i].is_number() || !std::isfinite(values[i].get<double>()))
      refuse(path, fmt::format("parameter_values[{}] ('{}'): expected a finite number", i,
                               name));
    found[place] = true;
    ordered[place] = values[i].get<double>();
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!found[i]) refuse(path, fmt::format("the parameter '{}' is missing", names[i]));
  return ordered;
}

}  // namespace

std::vector<double> read_parameters(const std::string& path,
                                    const std::vector<std::string>& names,
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
  return read_named(path, document, names);
}

}  // namespace drover::app
