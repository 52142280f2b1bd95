// Equilibration: until energies and variances have settled, with a step size that is
// found and then frozen.
#include <cmath>

#include "drover/core/error.hpp"
#include "drover/vmc/engine.hpp"

namespace drover {

namespace {

// Where the search for a step size begins: 0.3 bohr a direction suits valence electrons
// moved one at a time; a move of all electrons must be shorter by the square root of
// their number.
double first_step_size(const Settings& settings, int electrons) {
  if (settings.sampling.move == Move::one) return 0.3;
  return 0.3 / std::sqrt(static_cast<double>(electrons));
}

}  // namespace

// Walkers that were equilibrated before, for a density much like this one, need less time
// to show that they are again.
void Engine::make_judge(bool equilibrated_before) {
  EquilibrationSettings settings;
  if (equilibrated_before) settings.min_steps = 24;
  judge_ = EquilibrationJudge(settings);
}

void Engine::begin_equilibration() {
  make_judge(equilibration_steps_ > 0);
  if (settings_.sampling.step_size > 0.0) {
    step_size_ = settings_.sampling.step_size;
    controller_.reset();
  } else {
    if (step_size_ <= 0.0) step_size_ = first_step_size(settings_, model_.electrons());
    controller_.emplace(step_size_);
  }
}

void Engine::equilibration_step() {
  const StepSample s = take(base_spec(), 1, 0, "equilibrate");
  ++step_;
  ++equilibration_steps_;
  // A width is known from the third step on; until then the variance is of all energies.
  const double variance = clip_known_ > 1 ? s.clipped_variance : s.variance;
  learn_clip(s);
  if (controller_) {
    step_size_ = controller_->feed(s.acceptance);
    if (const std::string words = controller_->failure(); !words.empty())
      throw Error(ErrorKind::numerical, words);
  }
  const std::int64_t planned = settings_.sampling.equilibration;
  const std::chrono::duration<double> since =
      std::chrono::steady_clock::now() - stage_began_;
  if (mesh_.rank() == 0)
    observer_.equilibration_step(
        {step_, planned, s.energy, variance, s.acceptance, step_size_, since.count()});

  bool ready = false;
  if (planned > 0) {
    ready = step_ >= planned;
  } else {
    EquilibrationStep told;
    told.energy = s.counted > 0 ? s.energy : NAN;
    told.variance = variance;
    told.energy_error =
        s.counted > 0 ? std::sqrt(s.variance / static_cast<double>(s.counted)) : 0.0;
    told.acceptance = s.acceptance;
    const EquilibrationVerdict verdict = judge_.feed(told);
    if (verdict.state == EquilibrationState::failed)
      throw Error(ErrorKind::numerical, verdict.words);
    if (verdict.state == EquilibrationState::not_converged) {
      warnings_.push_back(verdict.words);
      observer_.warning(verdict.words);
    }
    ready = verdict.state != EquilibrationState::running;
  }
  if (ready && (!controller_ || controller_->frozen() || planned > 0))
    enter(next(stage_));
}

}  // namespace drover
