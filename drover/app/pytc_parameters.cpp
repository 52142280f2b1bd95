#include "drover/app/pytc_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "drover/chem/hdf5_file.hpp"
#include "drover/core/error.hpp"

namespace drover::app {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::input, path + ": " + what, {path, -1, "", -1, ""});
}

// "jastrow_1 (boys-handy)"
std::string factor_name(const PytcLayout& layout, std::size_t i) {
  return fmt::format("jastrow_{} ({})", i, layout.factors[i].term);
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  if (shape.empty()) return "one number";
  std::string text = "shape ";
  for (const std::size_t n : shape) text += fmt::format("[{}]", n);
  return text;
}

// One number may be an array of one.
bool same_shape(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  const std::vector<std::size_t> one{1};
  return a == b || (a.empty() && b == one) || (a == one && b.empty());
}

struct LeafValues {
  std::vector<std::size_t> shape;
  std::vector<double> numbers;
};
// Leaf of a factor as the file has it; refuses where it is missing.
using GetLeaf = std::function<LeafValues(std::size_t factor, const PytcLeaf&)>;

std::vector<double> parameters_from(const std::string& path, const PytcLayout& layout,
                                    const GetLeaf& get) {
  std::vector<double> sum(layout.parameters.size(), 0.0), count(sum);
  for (std::size_t i = 0; i < layout.factors.size(); ++i) {
    for (const PytcLeaf& leaf : layout.factors[i].leaves) {
      const LeafValues found = get(i, leaf);
      if (!same_shape(found.shape, leaf.shape))
        refuse(path,
               fmt::format("{}: '{}': expected {}, found {}", factor_name(layout, i),
                           leaf.name, shape_text(leaf.shape), shape_text(found.shape)));
      for (std::size_t k = 0; k < leaf.parameter.size(); ++k) {
        if (leaf.parameter[k] < 0) continue;
        const auto p = static_cast<std::size_t>(leaf.parameter[k]);
        const ParameterInfo& info = layout.parameters[p];
        double value = found.numbers[k];
        if (leaf.clipped && info.lower < info.upper)
          value = std::clamp(value, info.lower, info.upper);
        sum[p] += value;
        count[p] += 1.0;
      }
    }
  }
  for (std::size_t p = 0; p < sum.size(); ++p) sum[p] /= count[p];
  return sum;
}

void require_count(const std::string& path, const PytcLayout& layout, std::size_t found) {
  if (found == layout.factors.size()) return;
  std::vector<std::string> terms;
  for (const PytcFactor& f : layout.factors) terms.push_back(f.term);
  refuse(path, fmt::format("has {} Jastrow factors, jastrow.terms has {}: [{}]; list the "
                           "terms in the order of the file",
                           found, terms.size(), fmt::join(terms, ", ")));
}

// The file's arrays of a factor against those of its term, both sorted.
void require_names(const std::string& path, const std::string& factor,
                   std::vector<std::string> expected,
                   const std::vector<std::string>& found) {
  std::sort(expected.begin(), expected.end());
  if (found != expected)
    refuse(path, fmt::format("{}: expected the arrays {}, found {}; are the terms in the "
                             "order of the file, with its layers?",
                             factor, fmt::join(expected, ", "), fmt::join(found, ", ")));
}

// --- JSON

std::string class_list(const std::vector<std::string>& classes) {
  return fmt::format("{}", fmt::join(classes, " or "));
}

// Row-major numbers; a list of lists must be rectangular.
void collect(const std::string& path, const std::string& where, const Json& value,
             std::size_t depth, LeafValues& out) {
  if (value.is_number()) {
    if (depth != out.shape.size()) refuse(path, where + ": its rows differ in length");
    out.numbers.push_back(value.get<double>());
    if (!std::isfinite(out.numbers.back()))
      refuse(path, where + ": expected finite numbers");
    return;
  }
  if (!value.is_array() || depth > 4)
    refuse(path, where + ": expected numbers or lists of numbers");
  if (out.numbers.empty() && depth == out.shape.size()) out.shape.push_back(value.size());
  if (depth >= out.shape.size() || out.shape[depth] != value.size())
    refuse(path, where + ": its rows differ in length");
  for (const Json& item : value) collect(path, where, item, depth + 1, out);
}

// Paths of all arrays in a dictionary of dictionaries.
void collect_names(const std::string& path, const std::string& factor, const Json& value,
                   const std::string& prefix, std::vector<std::string>& names,
                   int depth) {
  for (const auto& [key, item] : value.items()) {
    if (key.find('/') != std::string::npos)
      refuse(path, fmt::format("{}: '{}': expected dictionaries in dictionaries, found "
                               "a path as one name; write {{\"net_vars\": {{\"params\": "
                               "...}}}}",
                               factor, prefix + key));
    if (item.is_object() && depth < 8)
      collect_names(path, factor, item, prefix + key + "/", names, depth + 1);
    else
      names.push_back(prefix + key);
  }
}

// Poly: one array instead of a dictionary.
bool is_bare(const PytcFactor& factor) {
  return factor.leaves.size() == 1 && factor.leaves.front().name.empty();
}

const Json& at_path(const Json& dictionary, const std::string& name) {
  const Json* at = &dictionary;
  if (name.empty()) return *at;
  for (std::size_t from = 0; from != std::string::npos;) {
    const std::size_t to = name.find('/', from);
    at = &at->at(name.substr(from, to == std::string::npos ? to : to - from));
    from = to == std::string::npos ? to : to + 1;
  }
  return *at;
}

}  // namespace

std::vector<double> read_pytc_json(const std::string& path, const Json& document,
                                   const PytcLayout& layout) {
  const bool list = document.is_array();
  if (!list && !(document.is_object() && document.contains("params") &&
                 document["params"].is_array()))
    refuse(path, "expected pytc's \"params\", a list of a dictionary a factor");
  const Json& params = list ? document : document["params"];
  require_count(path, layout, params.size());
  for (std::size_t i = 0; i < params.size(); ++i) {
    const std::string factor = factor_name(layout, i);
    const std::vector<std::string>& classes = layout.factors[i].classes;
    if (!list && document.contains("jastrow_types")) {
      const Json& types = document["jastrow_types"];
      if (!types.is_array() || types.size() != params.size() || !types[i].is_string())
        refuse(path, "jastrow_types: expected a class name a factor");
      const auto type = types[i].get<std::string>();
      if (std::find(classes.begin(), classes.end(), type) == classes.end())
        refuse(path, fmt::format("{}: expected pytc's {}, found {}; list jastrow.terms "
                                 "in the order of the file",
                                 factor, class_list(classes), type));
    }
    if (is_bare(layout.factors[i])) continue;
    if (!params[i].is_object())
      refuse(path, factor + ": expected a dictionary of named arrays");
    std::vector<std::string> expected, found;
    for (const PytcLeaf& leaf : layout.factors[i].leaves) expected.push_back(leaf.name);
    collect_names(path, factor, params[i], "", found, 0);
    std::sort(found.begin(), found.end());
    require_names(path, factor, expected, found);
  }
  return parameters_from(path, layout, [&](std::size_t i, const PytcLeaf& leaf) {
    LeafValues out;
    collect(path, fmt::format("{}: '{}'", factor_name(layout, i), leaf.name),
            at_path(params[i], leaf.name), 0, out);
    return out;
  });
}

// --- HDF5

std::vector<double> read_pytc_hdf5(const std::string& path, const PytcLayout& layout) {
  const Hdf5File file(path);
  if (!file.has_attribute("/", "num_jastrows"))
    refuse(path,
           "an HDF5 file without the attribute num_jastrows: no parameter file of pytc; "
           "to go on from a run of drover name its folder in run.start_from");
  const double factors = file.number_attribute("/", "num_jastrows");
  if (!(factors >= 0 && factors <= 1e6) || factors != std::floor(factors))
    refuse(path, fmt::format("num_jastrows: expected a count, found {:g}", factors));
  require_count(path, layout, static_cast<std::size_t>(factors));
  for (std::size_t i = 0; i < layout.factors.size(); ++i) {
    const std::string group = fmt::format("jastrow_{}", i);
    if (is_bare(layout.factors[i]))
      refuse(path, factor_name(layout, i) + ": pytc has no HDF5 form of this factor");
    std::vector<std::string> expected, nested;
    for (const PytcLeaf& leaf : layout.factors[i].leaves) {
      const std::size_t slash = leaf.data_set.find('/');
      const std::string top = leaf.data_set.substr(0, slash);
      if (slash != std::string::npos) nested.push_back(leaf.data_set.substr(slash + 1));
      if (std::find(expected.begin(), expected.end(), top) == expected.end())
        expected.push_back(top);
    }
    require_names(path, factor_name(layout, i), expected, file.members(group));
    if (!nested.empty())
      require_names(path, factor_name(layout, i) + ": net_vars", nested,
                    file.members(group + "/net_vars"));
  }
  return parameters_from(path, layout, [&](std::size_t i, const PytcLeaf& leaf) {
    LeafValues out;
    out.numbers =
        file.numbers(fmt::format("jastrow_{}/{}", i, leaf.data_set), &out.shape);
    return out;
  });
}

// --- writing

namespace {

OrderedJson array_of(const PytcLeaf& leaf, const std::vector<double>& values,
                     std::size_t depth, std::size_t& next) {
  if (depth == leaf.shape.size()) {
    const int p = leaf.parameter[next];
    const double constant = leaf.constant[next];
    ++next;
    return p < 0 ? constant : values[static_cast<std::size_t>(p)];
  }
  OrderedJson list = OrderedJson::array();
  for (std::size_t k = 0; k < leaf.shape[depth]; ++k)
    list.push_back(array_of(leaf, values, depth + 1, next));
  return list;
}

}  // namespace

std::string pytc_json(const PytcLayout& layout, const std::vector<double>& values) {
  OrderedJson types = OrderedJson::array(), params = OrderedJson::array();
  for (const PytcFactor& factor : layout.factors) {
    types.push_back(factor.classes.front());
    if (is_bare(factor)) {
      std::size_t next = 0;
      params.push_back(array_of(factor.leaves.front(), values, 0, next));
      continue;
    }
    OrderedJson dictionary = OrderedJson::object();
    for (const PytcLeaf& leaf : factor.leaves) {
      OrderedJson* at = &dictionary;
      std::string name = leaf.name;
      for (std::size_t slash; (slash = name.find('/')) != std::string::npos;) {
        at = &(*at)[name.substr(0, slash)];
        name.erase(0, slash + 1);
      }
      std::size_t next = 0;
      (*at)[name] = array_of(leaf, values, 0, next);
    }
    params.push_back(std::move(dictionary));
  }
  OrderedJson document;
  document["jastrow_types"] = std::move(types);
  document["params"] = std::move(params);
  return document.dump() + "\n";
}

}  // namespace drover::app
