// Optimisation: sample at the proposed parameters, judge, propose again; the reductions
// that the method's plan says.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drover/core/error.hpp"
#include "drover/vmc/engine.hpp"
#include "drover/vmc/optimise_choice.hpp"

namespace drover {

namespace {

// A step without a finite energy has no moments; the judge reverts it by its figures.
OptimiserMoments central_moments_or_empty(const StepSample& s) {
  return s.counted > 0 ? central_moments(s.moments) : OptimiserMoments{};
}

}  // namespace

Objective Engine::objective() const {
  return stage_ == Stage::reference ? Objective::reference_variance
                                    : settings_.optimise.objective;
}

void Engine::begin_optimisation() {
  const auto count = static_cast<std::int64_t>(parameters_.size());
  optimiser_settings_ =
      OptimiserSettings::of(settings_.optimise, objective(), count,
                            settings_.sampling.walkers * settings_.optimise.samples);
  std::vector<std::string> names;
  std::vector<double> lower, upper;
  for (const ParameterInfo& p : model_.parameters()) {
    names.push_back(p.name);
    lower.push_back(p.lower);
    upper.push_back(p.upper);
  }
  optimiser_.emplace(optimiser_settings_, parameters_, frozen_, names);
  optimiser_->set_bounds(lower, upper);
  parameter_errors_.clear();
  last_norm_ = 0.0;
  averaged_ = false;
}

StepFigures Engine::figures_of(const StepSample& s, const SampleSpec& spec) const {
  StepFigures figures;
  figures.counted = s.counted;
  figures.nonfinite = s.nonfinite;
  figures.energy = s.counted > 0 ? s.energy : NAN;
  if (spec.reuse) {
    figures.energy_error = std::sqrt(s.variance / s.effective);
  } else if (const auto spread = walker_spread(s.walkers)) {
    figures.energy_error = spread->error;
  } else if (s.counted > 0) {
    // One walker has no spread; its energies are taken as four times correlated.
    figures.energy_error = std::sqrt(4.0 * s.variance / static_cast<double>(s.counted));
  }
  // How much fewer independent samples there are, as seen in the energy.
  const double naive2 = s.counted > 0 ? s.variance / static_cast<double>(s.counted) : 0.0;
  const double tau =
      naive2 > 0.0 ? figures.energy_error * figures.energy_error / naive2 : 1.0;
  // With much beyond the clip it is the clip that is wrong, and a clipped variance would
  // flatter a bad step.
  const bool clip_fits = s.limited * 20 <= s.counted &&
                         std::fabs(s.energy - spec.clip_center) <= 0.5 * spec.clip_width;
  figures.variance =
      clip_fits || spec.clip_width <= 0.0 ? s.clipped_variance : s.variance;
  figures.variance_error = clip_fits
                               ? s.clipped_variance_error * std::sqrt(std::max(tau, 1.0))
                               : 0.1 * figures.variance;
  return figures;
}

StepSamples Engine::step_samples() {
  const std::int64_t visits = settings_.optimise.samples;
  const auto count = static_cast<std::int64_t>(parameters_.size());
  // Energies of the rows are less the step's shift, which drops out of their deviations.
  return {
      [this, visits](std::span<const double> v) {
        std::vector<double> product =
            reduce_products(herd_, v, visits, StepLabels::product);
        for (double& x : product) x /= last_weight_;
        return product;
      },
      [this, visits, count] {
        const Array<double> all = gather_slopes(herd_, count, visits, StepLabels::rows);
        SampleRows rows;
        rows.log_slopes.reserve(static_cast<std::size_t>(all.rows() * visits * count));
        for (const double* x = all.begin(); x != all.end(); x += 2 + count) {
          rows.weights.push_back(x[0]);
          rows.energies.push_back(x[1]);
          rows.log_slopes.insert(rows.log_slopes.end(), x + 2, x + 2 + count);
        }
        return rows;
      }};
}

std::string Engine::further_updates(const StepSample& sample, SampleSpec spec) {
  const std::int64_t wanted = settings_.optimise.updates;
  const std::vector<double> sampled = parameters_;
  const OptimiserMoments there = central_moments(sample.moments);
  spec.reuse = true;
  spec.keep_walkers = spec.walker_sums = spec.restart_walker_sums = false;
  std::string why;
  for (std::int64_t update = 2; update <= wanted && why.empty(); ++update) {
    set_parameters(optimiser_->trial());
    // To first order the change of ln|psi| that is common to all walkers.
    spec.log_shift = 0.0;
    for (std::size_t k = 0; k < there.o_mean.size(); ++k)
      spec.log_shift += (parameters_[k] - sampled[k]) * there.o_mean[k];
    Unreduced<StepSums> sums = make_step_sums(mesh_, spec);
    BadWalker bad;
    for (spec.kept = 0; spec.kept < settings_.optimise.samples; ++spec.kept)
      sample_into(sums, model_, herd_, spec, bad);
    const StepSample s = reduce_step(std::move(sums), spec, StepLabels::update);
    last_weight_ = s.moments.weight;
    const double share =
        s.effective / static_cast<double>(s.counted + s.nonfinite + s.overweight);
    if (s.outside > 0 || s.nonfinite > sample.nonfinite || s.overweight > 0 ||
        s.counted == 0 || !(share >= settings_.optimise.effective)) {
      why = fmt::format("{:.0f} % of the samples are effective there",
                        s.counted > 0 && s.outside == 0 ? 100.0 * share : 0.0);
    } else if (!optimiser_->refine(figures_of(s, spec), central_moments(s.moments),
                                   step_samples())) {
      why = fmt::format("the {} no longer fell over these samples",
                        objective() == Objective::energy ? "energy" : "variance");
    }
    if (!why.empty())
      why =
          fmt::format("{} of {} updates for these samples: {}", update - 1, wanted, why);
  }
  set_parameters(sampled);
  return why;
}

void Engine::optimisation_step() {
  const auto started = std::chrono::steady_clock::now();
  const bool reference = stage_ == Stage::reference;
  const OptimiseSettings& o = settings_.optimise;
  const auto count = static_cast<std::int64_t>(parameters_.size());
  const std::int64_t walkers = settings_.sampling.walkers;
  set_parameters(optimiser_->trial());
  Ledger& ledger = mesh_.ledger();
  ledger.begin_step(ledger.step() + 1);
  const BudgetScope budget(ledger, mesh_.device_count() > 1
                                       ? plan_of_step(o, objective(), count, walkers)
                                       : Plan{});

  SampleSpec spec = base_spec();
  spec.visit.sweeps = o.sweeps;
  spec.moments = optimiser_settings_.moments();
  spec.restart_walker_sums = spec.walker_sums = true;
  spec.keep_slopes = keeps_slopes(optimiser_settings_.method, count, walkers * o.samples);
  const bool own_stage = objective() == o.objective;
  spec.keep_walkers = own_stage && o.updates > 1;
  // The determinant's density does not know the parameters; |psi|^2 follows them first.
  const std::int64_t settle = reference || step_ == 0 ? 0 : 2 * o.sweeps;
  const StepSample s = take(spec, o.samples, settle, labels_of(objective()).first);
  last_weight_ = s.moments.weight;
  const StepFigures figures = figures_of(s, spec);
  const Verdict verdict =
      s.outside > 0
          ? optimiser_->reject(fmt::format(
                "{} energies or derivatives of the trial are beyond all bounds",
                s.outside))
          : optimiser_->judge(figures, central_moments_or_empty(s), step_samples());

  OptimisationRecord record;
  record.step = static_cast<std::int64_t>(optimisation_.size());
  record.objective = name_of(objective());
  record.energy = figures.energy;
  record.error = figures.energy_error;
  record.variance = figures.variance;
  record.acceptance = s.acceptance;
  record.step_norm = last_norm_;
  record.accepted = verdict.accepted;
  record.reason = verdict.reason;
  record.clipped = s.limited;
  record.nonfinite = s.nonfinite;
  record.parameters = parameters_;
  if (verdict.accepted) learn_clip(s);
  ++step_;

  const std::int64_t planned = own_stage ? o.steps : o.reference_steps;
  // When the steps are used up, one more trial: the average of the newest accepted
  // points, which carries less of the samples' noise than any of them.
  std::vector<std::string> notes;
  if (s.limited > 0)
    notes.push_back(fmt::format("{} of {} energies clipped in the gradient of step {}",
                                s.limited, s.counted, record.step));
  std::optional<Proposal> proposal;
  const bool used_up = step_ > planned || optimiser_->stalled();
  bool finished = used_up && averaged_;
  if (!used_up) {
    proposal = optimiser_->propose();
    if (spec.keep_walkers && verdict.accepted && optimiser_->trial() != parameters_) {
      const std::string why = further_updates(s, spec);
      if (!why.empty()) proposal->notes.push_back(why);
      proposal->norm = optimiser_->last_norm();
    }
  } else if (!averaged_) {
    averaged_ = true;
    proposal = optimiser_->propose_average();
    finished = !proposal;
  }
  if (proposal) {
    last_norm_ = proposal->norm;
    notes.insert(notes.end(), proposal->notes.begin(), proposal->notes.end());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  record.seconds = took.count();
  optimisation_.push_back(record);
  if (mesh_.rank() == 0) {
    observer_.optimisation_step(record);
    for (const std::string& note : notes) observer_.note(note);
  }
  if (!finished) return;
  parameter_errors_ = optimiser_->result_errors();
  set_parameters(optimiser_->result());
  // What follows has another density or other parameters: the clip is found anew.
  clip_known_ = 0;
  optimiser_.reset();
  enter(next(stage_));
}

}  // namespace drover
