// The definition of math_outputs for the instruction set of the including file.
#pragma once

#include "math_kernel.hpp"

namespace drover {
inline namespace DROVER_ISA {

// One definition for each instruction set, in a namespace of its own.
// NOLINTNEXTLINE(misc-definitions-in-headers)
void math_outputs(int lanes, const double* x, std::int64_t count, double* out) {
  switch (lanes) {
    case 1:
      return math_outputs_with<double>(x, count, out);
    case 2:
      return math_outputs_with<Pack<2>>(x, count, out);
    case 4:
      return math_outputs_with<Pack<4>>(x, count, out);
    default:
      return math_outputs_with<Pack<8>>(x, count, out);
  }
}

}  // namespace DROVER_ISA
}  // namespace drover
