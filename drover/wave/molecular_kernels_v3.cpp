// Molecular kernels for x86-64-v3; see molecular_kernels_body.hpp.
#include "drover/wave/molecular_kernels_body.hpp"

namespace drover {

const MolecularKernels* molecular_kernels_v3(int lanes) {
  static const MolecularKernels lanes2 = {"x86-64-v3", 2, molecular_workspace<2>,
                                          molecular_visit<2>};
  static const MolecularKernels lanes4 = {"x86-64-v3", 4, molecular_workspace<4>,
                                          molecular_visit<4>};
  if (lanes == 2) return &lanes2;
  if (lanes == 4) return &lanes4;
  return nullptr;
}

}  // namespace drover
