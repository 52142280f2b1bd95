// Which instruction set the kernels of this process use, and how many walkers a pack
// holds.
//
// Kernels are built for x86-64-v3 (AVX2, FMA) and x86-64-v4 (AVX-512); the best that the
// CPU supports is chosen once. Neither choice touches a result. For tests and
// measurements the environment may force one: DROVER_ISA = v3 | v4, DROVER_LANES = 2 | 4
// (v3), 4 | 8 (v4).
#pragma once

namespace drover {

enum class InstructionSet { v3, v4 };

const char* name(InstructionSet set);  // "v3", "v4"

// What a CPU (and its operating system) can run.
struct CpuSupport {
  bool v3 = false;
  bool v4 = false;
};
CpuSupport cpu_support();

// The best of what is supported, or `forced` ("v3" or "v4"; nullptr or "": none). Throws
// Error (input) if the CPU is below v3 or cannot run what is forced.
InstructionSet choose_instruction_set(CpuSupport support, const char* forced);

// 4 for v3, 8 for v4, or `forced`; throws Error (input) if there is no such kernel.
int choose_lanes(InstructionSet set, const char* forced);

// The choice for this process from its CPU and its environment, made at the first call.
InstructionSet instruction_set();
int lanes();

}  // namespace drover
