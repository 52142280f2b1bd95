// Times on a noisy machine: pieces of work in turn (A B C A B C ...), medians, one core.
//
// Neighbours and the clock's frequency disturb all pieces alike when they alternate
// within milliseconds, so ratios taken in one run are steadier than the times. Time is
// that of the thread, which other threads on its core do not lengthen.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace drover::app {

// A piece of work; run(n) does it n times, and `units` is what one time counts (walkers,
// moves, rounds).
struct TimedWork {
  std::function<void(std::int64_t times)> run;
  double units = 1.0;
};

struct UnitTime {
  double microseconds = 0.0;  // per unit, the median
  double spread = 0.0;        // (upper - lower quartile) / median
};

struct TimingPlan {
  int repetitions = 15;         // of each piece, alternating
  double seconds_each = 0.010;  // of a piece in a repetition; at least one time
};

// Runs every piece until it has warmed up, then all in turn.
std::vector<UnitTime> time_in_turn(const std::vector<TimedWork>& pieces,
                                   const TimingPlan& plan);

// Runs f on a thread of its own that keeps to the core it starts on (where the system has
// such a call and lets it), and hands its exceptions back.
void on_one_core(const std::function<void()>& f);

}  // namespace drover::app
