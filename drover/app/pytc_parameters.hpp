// pytc's parameter files: its HDF5 (CompositeJastrow.save_params) and the same as JSON.
//
//   HDF5  attribute num_jastrows; a group jastrow_<i> a factor with a data set an array,
//         nested dictionaries as a group of leaf_<j>. The pickled treedef beside them is
//         never opened: a pickle runs whatever it says. No class names: factors are
//         matched with jastrow.terms in order, by names and shapes.
//   JSON  {"jastrow_types": [class, ...], "params": [{name: array, ...}, ...]}, or the
//         list of params alone.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "drover/wave/pytc_layout.hpp"

namespace drover::app {

// Values in the order of layout.parameters. Error(input) that names the file, the factor
// and the array, what was expected and what was found.
std::vector<double> read_pytc_hdf5(const std::string& path, const PytcLayout& layout);
std::vector<double> read_pytc_json(const std::string& path,
                                   const nlohmann::json& document,
                                   const PytcLayout& layout);

// The text of the JSON form; one line an array.
std::string pytc_json(const PytcLayout& layout, const std::vector<double>& values);

}  // namespace drover::app
