#include "drover/app/evaluate_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "drover/app/numbers.hpp"
#include "drover/app/whole_file.hpp"
#include "drover/chem/text.hpp"
#include "drover/core/error.hpp"
#include "drover/core/nearest.hpp"

namespace drover::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* form =
    "{\"positions\": [configuration, ...]}, a configuration being a list of [x, y, z] in "
    "bohr, spin-up electrons first";

[[noreturn]] void refuse(const std::string& name, const std::string& element,
                         const std::string& what) {
  throw Error(ErrorKind::input,
              fmt::format("{}: {}{}{}", name, element, element.empty() ? "" : ": ", what),
              {name, -1, element, -1, ""});
}

std::string found(const Json& value) {
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  if (value.is_object()) return "an object";
  if (value.is_string()) return "a text";
  if (value.is_boolean()) return "true or false";
  if (value.is_null()) return "null";
  return "a number";
}

Configuration read_configuration(const Json& value, const std::string& name,
                                 const std::string& element, int up, int down) {
  const std::string electrons =
      fmt::format("{} electrons ({} up, then {} down)", up + down, up, down);
  if (!value.is_array())
    refuse(name, element,
           fmt::format("expected a list of {}, each [x, y, z]; found {}", electrons,
                       found(value)));
  if (value.size() != static_cast<std::size_t>(up + down))
    refuse(name, element, fmt::format("expected {}, found {}", electrons, value.size()));
  Configuration configuration;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string one = fmt::format("{}[{}]", element, i);
    if (!value[i].is_array() || value[i].size() != 3)
      refuse(name, one,
             "expected three numbers [x, y, z] in bohr, found " + found(value[i]));
    std::array<double, 3> position{};
    for (std::size_t k = 0; k < 3; ++k) {
      if (!value[i][k].is_number())
        refuse(name, fmt::format("{}[{}]", one, k),
               "expected a number in bohr, found " + found(value[i][k]));
      position[k] = value[i][k].get<double>();
      if (!std::isfinite(position[k]))
        refuse(name, fmt::format("{}[{}]", one, k), "is not a finite number");
    }
    configuration.push_back(position);
  }
  return configuration;
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json list(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(number(value));
  return array;
}

Json lists(const std::vector<std::vector<double>>& rows) {
  Json array = Json::array();
  for (const std::vector<double>& row : rows) array.push_back(list(row));
  return array;
}

// nlohmann's sentence without its preamble, "[json.exception.parse_error.101] ".
std::string explain(const std::string& what) {
  const std::size_t preamble = what.find("] ");
  return preamble == std::string::npos ? what : what.substr(preamble + 2);
}

// JSON keeps silent about a key that is there twice; here that is an error.
Json parse_json(const std::string& text, const std::string& name) {
  std::vector<std::set<std::string>> objects;  // keys of those that are open
  const auto look = [&](int, Json::parse_event_t event, Json& part) {
    if (event == Json::parse_event_t::object_start) objects.emplace_back();
    if (event == Json::parse_event_t::object_end) objects.pop_back();
    if (event == Json::parse_event_t::key && !objects.back().insert(part).second)
      refuse(name, "", "the key " + part.dump() + " is there twice; keep one of the two");
    return true;
  };
  try {
    return Json::parse(text, look);
  } catch (const Json::parse_error& error) {
    refuse(name, "", "is not JSON: " + explain(error.what()));
  } catch (const Json::out_of_range& error) {
    refuse(name, "", "holds a number that is too large: " + explain(error.what()));
  }
}

bool is_bohr(const std::string& text) {
  const std::string unit = lower_case(text);
  return unit == "bohr" || unit == "au" || unit == "a.u.";
}

// Files of reference values have keys of their own; none is a mistyped one of ours, be it
// by one letter where ours is there too, and none is another unit.
void require_known_keys(const Json& object, const std::string& name,
                        const std::string& element,
                        const std::vector<std::string>& known) {
  if (!object.is_object()) return;
  const bool has_one = std::any_of(known.begin(), known.end(),
                                   [&](const auto& key) { return object.contains(key); });
  for (const auto& [key, value] : object.items()) {
    if ((key == "unit" || key == "units") && !value.is_structured() &&
        !(value.is_string() && is_bohr(value)))
      refuse(name, element.empty() ? key : element + "." + key,
             "positions are in bohr, found " + value.dump());
    const std::optional<std::string> meant = nearest(key, known);
    if (meant && (!has_one || edit_distance(key, *meant) == 1))
      refuse(name, element,
             fmt::format("unknown key \"{}\"; did you mean \"{}\"?", key, *meant));
  }
}

}  // namespace

std::vector<Configuration> parse_points(const std::string& text, const std::string& name,
                                        int up, int down) {
  const Json document = parse_json(text, name);
  require_known_keys(document, name, "", {"positions", "configurations"});
  const bool plain = document.is_object() && document.contains("positions");
  const bool nested = document.is_object() && document.contains("configurations");
  if (plain == nested)
    refuse(name, "",
           fmt::format("expected an object {}; found {}", form,
                       plain ? "both \"positions\" and \"configurations\""
                       : document.is_object() ? "an object without \"positions\""
                                              : found(document)));
  const std::string key = plain ? "positions" : "configurations";
  const Json& all = document[key];
  if (!all.is_array() || all.empty())
    refuse(name, key,
           "expected a list of one or more configurations, found " + found(all));
  std::vector<Configuration> configurations;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string element = fmt::format("{}[{}]", key, i);
    if (nested) require_known_keys(all[i], name, element, {"positions"});
    if (nested && (!all[i].is_object() || !all[i].contains("positions")))
      refuse(name, element, "expected an object with \"positions\"");
    if (nested) element += ".positions";
    configurations.push_back(read_configuration(nested ? all[i]["positions"] : all[i],
                                                name, element, up, down));
  }
  return configurations;
}

std::vector<Configuration> read_points(const std::string& path, int up, int down) {
  const std::vector<char> bytes = read_whole_file(path);
  return parse_points(std::string(bytes.begin(), bytes.end()), path, up, down);
}

std::string evaluation_json(const Evaluation& e, bool derivatives) {
  Json object;
  object["log_psi"] = list(e.log_psi);
  object["sign"] = list(e.sign);
  object["log_jastrow"] = list(e.log_jastrow);
  object["gradient"] = Json::array();
  for (const auto& configuration : e.gradient) {
    Json rows = Json::array();
    for (const std::array<double, 3>& g : configuration)
      rows.push_back({number(g[0]), number(g[1]), number(g[2])});
    object["gradient"].push_back(std::move(rows));
  }
  object["laplacian"] = lists(e.laplacian);
  object["local_energy"] = list(e.local_energy);
  object["kinetic"] = list(e.kinetic);
  object["potential"] = list(e.potential);
  if (derivatives) {
    object["parameters"] = e.parameters;
    object["log_psi_parameter_gradient"] = lists(e.log_psi_parameter_gradient);
    object["local_energy_parameter_gradient"] = lists(e.local_energy_parameter_gradient);
  }
  return object.dump() + "\n";
}

std::string evaluation_text(const Evaluation& e) {
  std::string text = fmt::format("{:>6}{:>18}{:>6}{:>18}{:>18}{:>18}\n", "", "ln|psi|",
                                 "sign", "local energy", "kinetic", "potential");
  for (std::size_t i = 0; i < e.log_psi.size(); ++i)
    text += fmt::format("{:>6}{:>18.8f}{:>6}{:>18.8f}{:>18.8f}{:>18.8f}\n", i,
                        e.log_psi[i], e.sign[i] < 0 ? "-" : "+", e.local_energy[i],
                        e.kinetic[i], e.potential[i]);
  return text;
}

}  // namespace drover::app
