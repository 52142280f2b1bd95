// Parameters to start from, told apart by content: a JSON object with "parameter_names"
// and "parameter_values", as drover run --json prints it (other keys are not read), or a
// parameter file of pytc (pytc_parameters.hpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "drover/wave/model.hpp"
#include "drover/wave/pytc_layout.hpp"

namespace drover::app {

// The values in the order of `parameters`, the wave function's own; `layout` is asked
// only for a file of pytc. Error(input) where the file is of another form, has other
// parameters or one outside of its range.
std::vector<double> read_parameters(const std::string& path,
                                    const std::vector<ParameterInfo>& parameters,
                                    const std::function<PytcLayout()>& layout);

}  // namespace drover::app
