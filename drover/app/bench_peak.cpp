#include "drover/app/bench_peak.hpp"

#include <string>

#include "drover/core/cpu.hpp"
#include "drover/core/error.hpp"

namespace drover::app {

PeakLoop peak_loop(InstructionSet set, int lanes) {
  const PeakLoop loop =
      set == InstructionSet::v4 ? peak_loop_v4(lanes) : peak_loop_v3(lanes);
  if (loop == nullptr)
    throw Error(ErrorKind::logic, "[peak_loop] there is no loop of " +
                                      std::to_string(lanes) + " lanes for " + name(set));
  return loop;
}

}  // namespace drover::app
