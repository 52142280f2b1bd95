#include "drover/app/run_log.hpp"

#include <fmt/format.h>

#include <utility>

#include "drover/core/version.hpp"

namespace drover::app {

RunLog::RunLog(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

bool RunLog::due() {
  const auto now = std::chrono::steady_clock::now();
  if (last_ != decltype(last_){} && now - last_ < std::chrono::seconds(10)) return false;
  last_ = now;
  return true;
}

void RunLog::started(const RunHeader& h) {
  write_(fmt::format(
      "{} version={} electrons={} parameters={} walkers={} devices={} "
      "ranks={} seed={} collectives_per_step={} bytes_per_step={}",
      h.resumed ? "resumed" : "started", version(), h.electrons, h.parameters, h.walkers,
      h.devices, h.ranks, h.seed, h.collectives_per_step, h.bytes_per_step));
}

void RunLog::equilibration_step(const EquilibrationRecord& r) {
  if (!due()) return;
  write_(fmt::format(
      "equilibration step={} energy={} variance={} acceptance={} step_size={} seconds={}",
      r.step, r.energy, r.variance, r.acceptance, r.step_size, r.seconds));
}

void RunLog::optimisation_step(const OptimisationRecord& r) {
  write_(fmt::format(
      "optimisation step={} objective={} energy={} error={} variance={} "
      "acceptance={} step_norm={} accepted={} clipped={} nonfinite={} "
      "seconds={} reason={}",
      r.step, r.objective, r.energy, r.error, r.variance, r.acceptance, r.step_norm,
      r.accepted ? 1 : 0, r.clipped, r.nonfinite, r.seconds, r.reason));
}

void RunLog::measure_step(std::int64_t done, std::int64_t planned, double energy,
                          double error, double seconds_left) {
  if (!due()) return;
  write_(fmt::format("measuring step={} planned={} energy={} error={} seconds_left={}",
                     done, planned, energy, error, seconds_left));
}

void RunLog::finished(const RunResult& r) {
  write_(
      fmt::format("finished energy={} error={} error_naive={} variance={} tau={} "
                  "r_hat={} steps={} nonfinite={} seconds={} state_digest={}",
                  r.energy, r.error, r.error_naive, r.variance, r.tau, r.r_hat, r.steps,
                  r.nonfinite, r.seconds, r.state_digest));
  for (const std::string& text : r.warnings) warning(text);
}

void RunLog::warning(std::string_view text) {
  write_(fmt::format("warning {}", text));
}

void RunLog::note(std::string_view text) {
  write_(fmt::format("note {}", text));
}

void Observers::started(const RunHeader& header) {
  RunHeader whole = header;
  if (whole.system.empty()) whole.system = system_;
  if (whole.wave_function.empty()) whole.wave_function = wave_function_;
  for (RunObserver* one : all_) one->started(whole);
  if (cautions_) given_ = cautions_(whole);
  for (const std::string& text : given_) warning(text);
}
void Observers::equilibration_step(const EquilibrationRecord& record) {
  for (RunObserver* one : all_) one->equilibration_step(record);
}
void Observers::optimisation_step(const OptimisationRecord& record) {
  for (RunObserver* one : all_) one->optimisation_step(record);
}
void Observers::measure_step(std::int64_t done, std::int64_t planned, double energy,
                             double error, double seconds_left) {
  for (RunObserver* one : all_)
    one->measure_step(done, planned, energy, error, seconds_left);
}
void Observers::finished(const RunResult& result) {
  if (std::exchange(finished_, true)) return;
  for (RunObserver* one : all_) one->finished(result);
}
void Observers::warning(std::string_view text) {
  for (RunObserver* one : all_) one->warning(text);
}
void Observers::note(std::string_view text) {
  for (RunObserver* one : all_) one->note(text);
}

}  // namespace drover::app
