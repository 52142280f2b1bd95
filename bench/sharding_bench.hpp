// What the parts of sharding_bench share.
#pragma once

#include <time.h>

// Of the clock on the wall where several devices work; of this thread where one does, so
// that other programs on the machine count less.
enum class Clock : int { wall = CLOCK_MONOTONIC, thread = CLOCK_THREAD_CPUTIME_ID };

inline double seconds_now(Clock clock) {
  timespec now{};
  clock_gettime(static_cast<clockid_t>(clock), &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

// bench/sharding_scaling.cpp
void strong_scaling();
