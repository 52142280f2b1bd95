// The molecular kernels of every instruction set and lane count in this program.
#pragma once

#include <cstdint>

#include "drover/wave/model.hpp"
#include "drover/wave/plan.hpp"

namespace drover {

enum class InstructionSet;  // core/cpu.hpp

struct MolecularKernels {
  const char* instruction_set = "";
  int lanes = 0;
  long (*workspace_bytes)(const WavePlan& plan) = nullptr;
  void (*visit)(const WavePlan& plan, char* workspace, const VisitPlan& visit,
                const TileView& tile, TileResult& result) = nullptr;
};

// Errors: input, when this program has no such kernels or the CPU cannot run them.
MolecularKernels molecular_kernels(InstructionSet set, int lanes);

// Defined in the kernel files; null where that file has no such lane count.
const MolecularKernels* molecular_kernels_v3(int lanes);
const MolecularKernels* molecular_kernels_v4(int lanes);

}  // namespace drover
