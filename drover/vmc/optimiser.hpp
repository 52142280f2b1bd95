// The optimisation loop's memory: proposes parameters, judges what became of them.
//
//   Optimiser optimiser(settings, parameters, frozen, names);
//   for each step:
//     sample at optimiser.trial()  ->  figures, moments
//     verdict  = optimiser.judge(figures, moments);   // accepted, or back to the base
//     proposal = optimiser.propose();                 // a new trial from the base
//
//   optimiser.propose_average(), sample, judge;         // at the end
//   optimiser.result()
//
// The base is the last accepted point with its moments, so that a reverted step costs no
// new sampling there. The best is the point of lowest merit + error. Everything is a
// deterministic function of reduced numbers: all ranks decide the same.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drover/vmc/optimiser_direction.hpp"
#include "drover/vmc/settings.hpp"

namespace drover {

// What sampling at a trial point found.
struct StepFigures {
  double energy = 0.0, energy_error = 0.0;      // unclipped
  double variance = 0.0, variance_error = 0.0;  // of clipped energies; error 0: unknown
  std::int64_t counted = 0, nonfinite = 0;      // samples
};

// How cautious a method starts and may become. The shift is the linear method's diagonal
// shift in hartree, Gauss-Newton's damping, or one over the learning rate.
struct CautionSettings {
  double shift = 0.3, smallest_shift = 0.1, largest_shift = 1e5;
  double radius = 0.3, smallest_radius = 1e-4, largest_radius = 0.5;
};

struct OptimiserSettings {
  Objective objective = Objective::energy;
  OptimiseMethod method = OptimiseMethod::linear;
  CautionSettings caution;
  DirectionSettings direction;
  Schedule schedule = Schedule::constant;  // of the learning rate
  std::int64_t schedule_steps = 1;
  std::int64_t average = 0;  // points of the average; 0: the newer half of the flat end
  double relative = 1e-3, absolute = 1e-3;  // regularisation of S, see StepLimits
  double hold_below = 1e-8;
  // No parameter moves further in one step than this times max(1, |p|).
  double largest_change = 1.0;
  // A trial is reverted when its merit is above the base's by more than sigma_base
  // standard errors of the difference, or above the best's by more than sigma_best.
  // Three: noise reverts a good step once in 740, and that costs one step; what slips
  // through is caught by the second test, which stops a slow climb of many small steps.
  // Four there: the best is the lowest of many noisy numbers, hence about two errors low.
  double sigma_base = 3.0, sigma_best = 4.0;
  // A trial whose variance grew by more than this factor is reverted too unless its merit
  // fell beyond the noise: with a larger variance the error would hide a worse energy.
  double largest_variance_growth = 2.0;
  // Walkers that have not followed |psi|^2 give energies below any ground state, with a
  // variance that gives them away: beyond this growth no gain is believed.
  double variance_growth_with_gain = 10.0;
  // More than this share of samples without a finite energy reverts the trial.
  double largest_nonfinite = 0.01;

  // Of a stage of a run with so many samples a step.
  static OptimiserSettings of(const OptimiseSettings& settings, Objective stage,
                              std::int64_t parameters, std::int64_t samples);
  MomentSet moments() const;  // what has to be summed
};

struct Proposal {
  std::vector<double> parameters;  // the trial
  double predicted = 0.0;          // change of the merit in the method's own model
  double norm = 0.0;               // of the step, in the metric of the method
  double shift = 0.0;              // as used
  std::vector<std::string> notes;  // parameters held or limited, by name
};

struct Verdict {
  bool accepted = false;
  bool first = false;  // there was nothing to compare with
  std::string reason;  // "accepted: energy fell by 12.3(4) mHa", "reverted: ..."
};

class Optimiser {
 public:
  // frozen: one entry per parameter, 1 keeps its bits; or empty. names: for the notes; or
  // empty. Throws Error(logic) on lengths that differ or settings out of range.
  Optimiser(OptimiserSettings settings, std::vector<double> parameters,
            std::vector<std::uint8_t> frozen = {}, std::vector<std::string> names = {});

  // Trials are cut to lower[k] <= p_k <= upper[k]; no bound where lower >= upper. A
  // frozen parameter keeps its value, and one that stands at its bound and wants across
  // is held. Throws Error(logic) on other lengths than the parameters'.
  void set_bounds(std::vector<double> lower, std::vector<double> upper);

  // Where to sample next.
  const std::vector<double>& trial() const { return trial_; }
  // The last accepted point and the best one so far; of the start before any judgement.
  const std::vector<double>& base() const { return base_.parameters; }
  const std::vector<double>& best() const { return best_.parameters; }
  const StepFigures& base_figures() const { return base_.figures; }
  const StepFigures& best_figures() const { return best_.figures; }

  // Judges the trial by what sampling there found; the moments may be empty when the
  // figures are not finite. The first call takes the start as base and best and throws
  // Error(numerical) if it has no finite energy. A call without a proposal in between
  // throws Error(logic). For an accepted trial a method with a direction may ask the
  // samples for more.
  Verdict judge(const StepFigures& figures, const OptimiserMoments& moments,
                const StepSamples& samples = {});

  // The next trial, from the base; after three reverts in a row the base itself once
  // more, since a lucky number, or walkers that had not settled, would turn every step
  // away from it down. Throws Error(numerical) when a moment is not finite, Error(logic)
  // before the first judgement.
  Proposal propose();
  // A further update of the same trial, by figures and moments of the trial over samples
  // that are already there: moves it on, nothing for a trial whose merit is not below the
  // one before. Judged like any other trial.
  std::optional<Proposal> refine(const StepFigures& figures,
                                 const OptimiserMoments& moments,
                                 const StepSamples& samples = {});

  // The mean of the newest accepted points (Polyak and Juditsky, SIAM J. Control Optim.
  // 30, 838 (1992)) as the last trial of a run: settings.average of them, or the newer
  // half of those among which the merit no longer clearly fell (three errors). Each point
  // carries the noise of one step's samples, the mean that of all (measured: an excess
  // energy three to six times lower). Nothing when there are fewer than two such points.
  // Judge it like any other trial.
  std::optional<Proposal> propose_average();
  // One standard error of each averaged parameter from the spread of the points:
  //   sqrt(s^2 / n_eff), n_eff = n (1 - rho)/(1 + rho) between 1 and n,
  // s^2 their variance by 1/(n - 1), rho their correlation with the point before. A short
  // series makes rho, and so the error, too small. Empty unless the average is the
  // result.
  std::vector<double> result_errors() const;

  // What to go on with: the average when it was the last trial and was accepted, the best
  // point otherwise.
  const std::vector<double>& result() const {
    return average_accepted_ ? base_.parameters : best_.parameters;
  }
  const StepFigures& result_figures() const {
    return average_accepted_ ? base_.figures : best_.figures;
  }

  // Six trials in a row were reverted, and the base was sampled twice: shrinking the step
  // does not help any more, what is left is noise.
  bool started() const { return started_; }  // the starting point was judged
  // Length of the newest trial's step, further updates included, in the method's metric.
  double last_norm() const { return last_norm_; }
  bool stalled() const { return reverted_in_a_row_ >= 6; }
  double shift() const { return shift_; }
  double radius() const { return radius_; }
  // What the trial could not be sampled for is rejected by the engine with its own words
  // (walkers lost, say): shrinks as after a revert, the trial returns to the base.
  Verdict reject(const std::string& why);

  // All of it but settings, frozen and names, for the checkpoint; and back, into an
  // optimiser of the same number of parameters. Throws Error(input) otherwise.
  std::vector<double> state() const;
  void restore(std::span<const double> numbers);

 private:
  struct Point {
    std::vector<double> parameters;
    StepFigures figures;
    OptimiserMoments moments;
    Direction direction;
    std::int64_t updates = 0;  // accepted until then, for the schedule
  };

  double merit(const StepFigures& figures) const;
  double merit_error(const StepFigures& figures) const;
  std::string difference(double change, double error) const;
  Verdict accept(const StepFigures& figures, const OptimiserMoments& moments,
                 const StepSamples& samples);
  Verdict revert(const std::string& why);
  Verdict refresh(const StepFigures& figures, const OptimiserMoments& moments,
                  const StepSamples& samples, double change, double error);
  Proposal propose_from(const Point& point);
  // The newest points that an average takes.
  std::span<const std::vector<double>> averaged_points() const;
  std::string name(std::int64_t parameter) const;
  void remember_if_flat();
  ParameterStep method_step(const Point& point, const StepLimits& limits) const;
  bool bounded(std::size_t k) const;

  OptimiserSettings settings_;
  std::vector<std::uint8_t> frozen_;
  std::vector<std::string> names_;
  std::vector<double> lower_, upper_;
  Point base_, best_;
  std::vector<double> trial_;
  double shift_, radius_;
  double last_norm_ = 0.0;
  bool started_ = false, pending_ = false;
  bool averaging_ = false, average_accepted_ = false;
  // The base is (was, since the last accepted step) being sampled anew.
  bool refreshing_ = false, refreshed_ = false;
  double trial_merit_ = 0.0;  // of the point that the trial was proposed from
  // Accepted points since the merit last clearly fell, or the newest settings.average,
  // with the sums of their merits and squared errors.
  std::vector<std::vector<double>> flat_;
  double flat_merit_ = 0.0, flat_error2_ = 0.0;
  std::int64_t reverted_in_a_row_ = 0;
};

}  // namespace drover
