// Parameters to start from, told apart by content: a JSON object with "parameter_names"
// and "parameter_values", as drover run --json prints it (other keys are not read), or a
// parameter file of pytc (pytc_parameters.hpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "drover/wave/pytc_layout.hpp"

namespace drover::app {

// The values in the order of `names`, the wave function's own; `layout` is asked only for
// a file of pytc. Error(input) where the file is of another form or has other parameters.
std::vector<double> read_parameters(const std::string& path,
                                    const std::vector<std::string>& names,
                                    const std::function<PytcLayout()>& layout);

}  // namespace drover::app
