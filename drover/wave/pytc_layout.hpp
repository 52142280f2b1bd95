// pytc's parameters of a Jastrow factor: which element of which of its arrays is which
// parameter here.
//
// pytc (0.2.1) keeps a dictionary of arrays a factor; its HDF5 files hold the same arrays
// without the factors' class names, nested dictionaries flattened in the order of their
// sorted keys. The same numbers mean the same function only with jastrow.cusp = "pytc".
#pragma once

#include <string>
#include <vector>

#include "drover/chem/molecule.hpp"
#include "drover/wave/jastrow_settings.hpp"
#include "drover/wave/model.hpp"

namespace drover {

struct PytcLeaf {
  std::string name;                // path in the dictionary: "net_vars/params/.../bias"
  std::string data_set;            // path in a group of the HDF5 file: "net_vars/leaf_0"
  std::vector<std::size_t> shape;  // row-major
  // Per element the index of its parameter, or -1 and what pytc starts it with. Elements
  // of one parameter are averaged (the nuclear weights of NeuralEEN).
  std::vector<int> parameter;
  std::vector<double> constant;
  bool clipped = false;  // pytc cuts the value to the parameter's bounds
};

struct PytcFactor {
  std::string term;                  // here
  std::vector<std::string> classes;  // there; the first is written
  std::vector<PytcLeaf> leaves;
};

struct PytcLayout {
  std::vector<PytcFactor> factors;        // in the order of jastrow.terms
  std::vector<ParameterInfo> parameters;  // of the model
};

// Errors: input, for jastrow.cusp other than "pytc" and for a term that pytc does not
// have.
PytcLayout pytc_layout(const Molecule& molecule, const JastrowSettings& jastrow);

}  // namespace drover
