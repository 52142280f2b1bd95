#include "drover/wave/molecular_kernels.hpp"

#include <string>

#include "drover/core/cpu.hpp"
#include "drover/core/error.hpp"

namespace drover {

MolecularKernels molecular_kernels(InstructionSet set, int lanes) {
  const MolecularKernels* kernels = set == InstructionSet::v4
                                        ? molecular_kernels_v4(lanes)
                                        : molecular_kernels_v3(lanes);
  if (kernels == nullptr)
    throw input_error("there are no kernels of " + std::to_string(lanes) +
                      " lanes for this instruction set");
  return *kernels;
}

}  // namespace drover
