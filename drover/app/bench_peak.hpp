// The multiply-add peak of a core, measured: chains of fused multiply-adds that wait only
// for themselves, enough of them to fill two units of four cycles' latency, at the lanes
// of the kernels it is compared with.
#pragma once

#include <cstdint>

namespace drover {

enum class InstructionSet;  // core/cpu.hpp

namespace app {

inline constexpr int peak_chains = 12;

// A round is one multiply-add of each chain. Returns a number that depends on all of
// them.
using PeakLoop = double (*)(std::int64_t rounds);

// Errors: logic, for lanes that no kernel of this instruction set has.
PeakLoop peak_loop(InstructionSet set, int lanes);

// What a round counts: an fma is two operations a lane.
constexpr double peak_operations(int lanes) {
  return 2.0 * peak_chains * lanes;
}

// Null where this file has no such lane count.
PeakLoop peak_loop_v3(int lanes);
PeakLoop peak_loop_v4(int lanes);

}  // namespace app
}  // namespace drover
