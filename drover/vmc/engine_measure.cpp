// Measuring: steps until the error bar from the walkers' own means reaches its target.
//
// A walker's energies are summed in two halves of its chain for R-hat. Where the middle
// lies is not known before the end; while it is still ahead, the second half is joined to
// the first.
#include <algorithm>
#include <cmath>

#include "drover/core/error.hpp"
#include "drover/mesh/map.hpp"
#include "drover/vmc/engine.hpp"

namespace drover {

namespace {

constexpr std::int64_t pilot_steps = 32;  // before the error is trusted to plan by
constexpr std::int64_t check_every = 8;

}  // namespace

void Engine::begin_measuring() {
  measured_.clear();
  shift_ = clip_center_;
  for (int half = 0; half < 2; ++half) {
    sum_[half] = squares_[half] = 0.0;
    counted_[half] = 0;
  }
  planned_ = settings_.measure.steps > 0
                 ? settings_.measure.steps
                 : std::min(pilot_steps, settings_.measure.max_steps);
  boundary_ = planned_ / 2;
}

void Engine::join_halves() {
  map_each(
      {.label = "join halves"},
      [](const Batch& batch, Herd& mine) {
        for (std::int64_t t = batch.rows.first / tile_walkers;
             t < tile_count(batch.rows.last); ++t)
          for (int w = 0; w < tile_walkers; ++w) {
            mine.sum(t, 0)[w] += mine.sum(t, 1)[w];
            mine.counted(t, 0)[w] += mine.counted(t, 1)[w];
            mine.sum(t, 1)[w] = mine.counted(t, 1)[w] = 0.0;
          }
      },
      herd_);
  sum_[0] += sum_[1];
  squares_[0] += squares_[1];
  counted_[0] += counted_[1];
  sum_[1] = squares_[1] = 0.0;
  counted_[1] = 0;
}

// The error falls with the square root of the steps; `ratio` is how far it is above the
// target.
void Engine::plan_ahead(double ratio) {
  const double needed = std::ceil(static_cast<double>(step_) * ratio * ratio);
  planned_ = static_cast<std::int64_t>(
      std::min(needed, static_cast<double>(settings_.measure.max_steps)));
  planned_ = std::clamp(planned_, step_, std::max(settings_.measure.max_steps, step_));
  if (step_ <= planned_ / 2) {
    join_halves();
    boundary_ = planned_ / 2;
  }
}

void Engine::measuring_step() {
  const auto started = std::chrono::steady_clock::now();
  SampleSpec spec = base_spec();
  spec.shift = shift_;
  spec.half = step_ < boundary_ ? 0 : 1;
  spec.restart_walker_sums = step_ == 0;
  spec.walker_sums = true;
  last_ = take(spec, 1, 0, "measuring step");
  if (last_.counted == 0)
    throw Error(ErrorKind::numerical, "no walker has an energy that is a number");
  measured_.push_back({last_.energy, last_.kinetic, last_.potential, last_.variance,
                       last_.clipped_variance, last_.acceptance, last_.counted,
                       last_.nonfinite});
  sum_[spec.half] += last_.sum;
  squares_[spec.half] += last_.sum2;
  counted_[spec.half] += last_.counted;
  ++step_;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  measuring_seconds_ += took.count();

  const auto spread = walker_spread(last_.walkers);
  const double energy = spread ? spread->mean : last_.energy;
  const double error = spread ? spread->error : 0.0;
  bool over = step_ >= planned_;
  if (settings_.measure.steps == 0) {
    over = false;
    // Blocking reads the whole series: with few walkers it is asked for ever more seldom.
    std::int64_t every = check_every;
    if (settings_.sampling.walkers < 32)
      while (32 * every < step_) every *= 2;
    if (step_ >= pilot_steps && step_ % every == 0) {
      const double target = settings_.measure.target_error;
      // Few walkers: the error that will be quoted comes from blocking too.
      std::optional<double> known;
      if (spread) known = spread->error;
      if (settings_.sampling.walkers < 32) {
        const EnergyStatistics s = statistics();
        known = s.error_known ? std::optional(s.error) : std::nullopt;
      }
      over = known && *known <= target;
      if (!over) plan_ahead(known ? *known / target : 2.0);
    }
    if (!over && step_ >= settings_.measure.max_steps) {
      over = true;
      const std::string text =
          "measure.max_steps was reached before measure.target_error";
      warnings_.push_back(text);
      observer_.warning(text);
    }
  }
  if (mesh_.rank() == 0) {
    const double left = static_cast<double>(planned_ - step_) * measuring_seconds_ /
                        static_cast<double>(step_);
    observer_.measure_step(step_, planned_, energy, error, std::max(left, 0.0));
  }
  if (over) enter(next(stage_));
}

EnergyStatistics Engine::statistics() const {
  MeasuredEnergies m;
  for (const MeasureRecord& r : measured_)
    if (r.counted > 0) m.series.push_back(r.energy);
  m.walkers = last_.walkers;
  m.half_chains = last_.half_chains;
  double squares = 0.0;
  const auto steps = static_cast<std::int64_t>(measured_.size());
  const std::int64_t steps_in_half[2] = {std::min(boundary_, steps),
                                         std::max<std::int64_t>(steps - boundary_, 0)};
  for (int half = 0; half < 2; ++half)
    if (steps_in_half[half] >= 2) squares += squares_[half];
  m.half_chains.within = std::max(squares - last_.chain_squares, 0.0);
  const double n = static_cast<double>(counted_[0] + counted_[1]);
  const double mean = (sum_[0] + sum_[1]) / n;
  m.variance = std::max((squares_[0] + squares_[1]) / n - mean * mean, 0.0);
  return combine(m);
}

void Engine::measure_result(RunResult& r) const {
  const EnergyStatistics s = statistics();
  fill(r, s);
  double counted = 0.0, clipped = 0.0;
  std::vector<double> kinetic, potential;
  for (const MeasureRecord& m : measured_) {
    const auto n = static_cast<double>(m.counted);
    counted += n;
    r.kinetic += n * m.kinetic;
    r.potential += n * m.potential;
    r.acceptance += m.acceptance;
    kinetic.push_back(m.kinetic);
    potential.push_back(m.potential);
  }
  r.kinetic /= counted;
  r.potential /= counted;
  r.acceptance /= static_cast<double>(measured_.size());
  // Before blocking has its plateau it is short by what it lacks for the energy.
  const double short_by = s.error_blocking > 0.0 && !s.plateau_reached
                              ? std::max(1.0, s.error / s.error_blocking)
                              : 1.0;
  r.kinetic_error = short_by * plateau(blocking(kinetic)).error;
  r.potential_error = short_by * plateau(blocking(potential)).error;
  const double n = static_cast<double>(counted_[0] + counted_[1]);
  const double mean = (sum_[0] + sum_[1]) / n;
  r.variance = std::max((squares_[0] + squares_[1]) / n - mean * mean, 0.0);
  for (const MeasureRecord& m : measured_) clipped += m.clipped_variance;
  r.variance_clipped = clipped / static_cast<double>(measured_.size());
  r.steps = static_cast<std::int64_t>(measured_.size());
  const double walker_steps = static_cast<double>(settings_.sampling.walkers) *
                              static_cast<double>(measured_.size()) *
                              static_cast<double>(settings_.sampling.sweeps);
  r.microseconds_per_walker_step =
      1e6 * measuring_seconds_ * static_cast<double>(mesh_.device_count()) / walker_steps;
}

}  // namespace drover
