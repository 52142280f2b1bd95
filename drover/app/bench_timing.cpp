#include "drover/app/bench_timing.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <thread>

namespace drover::app {
namespace {

// The thread's own time: what a neighbour takes of the core in between does not count.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const TimedWork& work, std::int64_t times) {
  const double began = thread_seconds();
  work.run(times);
  return thread_seconds() - began;
}

// Doubles the times until they are long enough to tell how many fill `seconds`.
std::int64_t times_filling(const TimedWork& work, double seconds) {
  for (std::int64_t times = 1;; times *= 2) {
    const double took = seconds_of(work, times);
    if (took < seconds / 4 && times < (std::int64_t{1} << 40)) continue;
    const double wanted = std::round(static_cast<double>(times) * seconds / took);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted));
  }
}

// Between the two nearest values of a sorted list.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double at = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

void keep_to_this_core() {
#if defined(__linux__)
  const int core = sched_getcpu();
  if (core < 0 || core >= CPU_SETSIZE) return;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<std::size_t>(core), &only);
  // Refused: the measurement is noisier, and as right as before.
  (void)sched_setaffinity(0, sizeof only, &only);
#endif
}

}  // namespace

std::vector<UnitTime> time_in_turn(const std::vector<TimedWork>& pieces,
                                   const TimingPlan& plan) {
  std::vector<std::int64_t> times;
  for (const TimedWork& work : pieces)
    times.push_back(times_filling(work, plan.seconds_each));
  std::vector<std::vector<double>> found(pieces.size());
  for (int r = 0; r < plan.repetitions; ++r)
    for (std::size_t k = 0; k < pieces.size(); ++k)
      found[k].push_back(1e6 * seconds_of(pieces[k], times[k]) /
                         (static_cast<double>(times[k]) * pieces[k].units));
  std::vector<UnitTime> answer;
  for (std::vector<double>& values : found) {
    std::sort(values.begin(), values.end());
    const double median = quantile(values, 0.5);
    answer.push_back(
        {median, (quantile(values, 0.75) - quantile(values, 0.25)) / median});
  }
  return answer;
}

void on_one_core(const std::function<void()>& f) {
  std::exception_ptr failure;
  std::thread([&] {
    keep_to_this_core();
    try {
      f();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace drover::app
