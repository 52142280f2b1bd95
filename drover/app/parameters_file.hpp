// Parameters to start from: a JSON object with "parameter_names" and "parameter_values",
// as drover run --json prints it (other keys are not read).
#pragma once

#include <string>
#include <vector>

namespace drover::app {

// The values in the order of `names`, the wave function's own. Error(input) where the
// file is of another form or has other parameters.
std::vector<double> read_parameters(const std::string& path,
                                    const std::vector<std::string>& names);

}  // namespace drover::app
