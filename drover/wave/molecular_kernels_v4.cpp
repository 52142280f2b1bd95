// Molecular kernels for x86-64-v4; see molecular_kernels_body.hpp.
#include "drover/wave/molecular_kernels_body.hpp"

namespace drover {

const MolecularKernels* molecular_kernels_v4(int lanes) {
  static const MolecularKernels lanes4 = {"x86-64-v4", 4, molecular_workspace<4>,
                                          molecular_visit<4>};
  static const MolecularKernels lanes8 = {"x86-64-v4", 8, molecular_workspace<8>,
                                          molecular_visit<8>};
  if (lanes == 4) return &lanes4;
  if (lanes == 8) return &lanes8;
  return nullptr;
}

}  // namespace drover
