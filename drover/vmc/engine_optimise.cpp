// Optimisation: sample at the proposed parameters, judge, propose again; one reduction a
// step.
#include <cmath>

#include "drover/core/error.hpp"
#include "drover/vmc/engine.hpp"

namespace drover {

namespace {

// A step without a finite energy has no moments; the judge reverts it by its figures.
OptimiserMoments central_moments_or_empty(const StepSample& s) {
  return s.counted > 0 ? central_moments(s.moments) : OptimiserMoments{};
}

}  // namespace

void Engine::begin_optimisation(Objective objective) {
  optimiser_settings_ = OptimiserSettings::defaults(objective, settings_.optimise.method);
  std::vector<std::string> names;
  std::vector<double> lower, upper;
  for (const ParameterInfo& p : model_.parameters()) {
    names.push_back(p.name);
    lower.push_back(p.lower);
    upper.push_back(p.upper);
  }
  optimiser_.emplace(optimiser_settings_, parameters_, std::vector<std::uint8_t>{},
                     names);
  optimiser_->set_bounds(lower, upper);
  last_norm_ = 0.0;
  averaged_ = false;
}

void Engine::optimisation_step() {
  const auto started = std::chrono::steady_clock::now();
  const bool reference = stage_ == Stage::reference;
  set_parameters(optimiser_->trial());

  SampleSpec spec = base_spec();
  spec.visit.sweeps = settings_.optimise.sweeps;
  spec.moments = optimiser_settings_.moments();
  spec.restart_walker_sums = spec.walker_sums = true;
  // The determinant's density does not know the parameters; |psi|^2 follows them first.
  const std::int64_t settle = reference || step_ == 0 ? 0 : 2 * settings_.optimise.sweeps;
  const StepSample s = take(spec, settings_.optimise.samples, settle,
                            reference ? "reference step" : "optimisation step");

  StepFigures figures;
  figures.counted = s.counted;
  figures.nonfinite = s.nonfinite;
  figures.energy = s.counted > 0 ? s.energy : NAN;
  if (const auto spread = walker_spread(s.walkers)) figures.energy_error = spread->error;
  // With much beyond the clip it is the clip that is wrong, and a clipped variance would
  // flatter a bad step.
  const bool clip_fits = s.limited * 20 <= s.counted &&
                         std::fabs(s.energy - spec.clip_center) <= 0.5 * spec.clip_width;
  figures.variance =
      clip_fits || spec.clip_width <= 0.0 ? s.clipped_variance : s.variance;
  figures.variance_error = clip_fits ? s.clipped_variance_error : 0.1 * figures.variance;
  const Verdict verdict = optimiser_->judge(figures, central_moments_or_empty(s));

  OptimisationRecord record;
  record.step = static_cast<std::int64_t>(optimisation_.size());
  record.objective = reference ? "reference-variance" : "energy";
  record.energy = figures.energy;
  record.error = figures.energy_error;
  record.variance = figures.variance;
  record.acceptance = s.acceptance;
  record.step_norm = last_norm_;
  record.accepted = verdict.accepted;
  record.reason = verdict.reason;
  record.nonfinite = s.nonfinite;
  record.parameters = parameters_;
  if (verdict.accepted) learn_clip(s);
  ++step_;

  const std::int64_t planned = reference && settings_.optimise.objective == "energy"
                                   ? settings_.optimise.reference_steps
                                   : settings_.optimise.steps;
  // When the steps are used up, one more trial: the average of the newest accepted
  // points, which carries less of the samples' noise than any of them.
  std::vector<std::string> notes;
  std::optional<Proposal> proposal;
  const bool used_up = step_ > planned || optimiser_->stalled();
  bool finished = used_up && averaged_;
  if (!used_up) {
    proposal = optimiser_->propose();
  } else if (!averaged_) {
    averaged_ = true;
    proposal = optimiser_->propose_average();
    finished = !proposal;
  }
  if (proposal) {
    last_norm_ = proposal->norm;
    notes = proposal->notes;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  record.seconds = took.count();
  optimisation_.push_back(record);
  if (mesh_.rank() == 0) {
    observer_.optimisation_step(record);
    for (const std::string& note : notes) observer_.note(note);
  }
  if (!finished) return;
  set_parameters(optimiser_->result());
  // What follows has another density or other parameters: the clip is found anew.
  clip_known_ = 0;
  optimiser_.reset();
  enter(next(stage_));
}

}  // namespace drover
