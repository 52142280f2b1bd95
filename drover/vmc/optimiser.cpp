#include "drover/vmc/optimiser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "drover/core/error.hpp"
#include "drover/vmc/optimise_choice.hpp"
#include "drover/vmc/statistics.hpp"

namespace drover {

namespace {

bool finite(const StepFigures& f) {
  return f.counted > 0 && std::isfinite(f.energy) && std::isfinite(f.energy_error) &&
         std::isfinite(f.variance) && std::isfinite(f.variance_error);
}

double nonfinite_share(const StepFigures& f) {
  const double all = static_cast<double>(f.counted + f.nonfinite);
  return all > 0.0 ? static_cast<double>(f.nonfinite) / all : 0.0;
}

void check_parameters(const OptimiserMoments& moments, std::size_t parameters) {
  if (moments.parameters == static_cast<std::int64_t>(parameters)) return;
  throw Error(ErrorKind::logic,
              fmt::format("[optimiser] the moments are of {} parameters, expected {}",
                          moments.parameters, parameters));
}

}  // namespace

Optimiser::Optimiser(OptimiserSettings settings, std::vector<double> parameters,
                     std::vector<std::uint8_t> frozen, std::vector<std::string> names)
    : settings_(settings),
      frozen_(std::move(frozen)),
      names_(std::move(names)),
      trial_(std::move(parameters)),
      shift_(settings.caution.shift),
      radius_(settings.caution.radius) {
  const std::size_t p = trial_.size();
  const CautionSettings& c = settings_.caution;
  const bool sizes =
      (frozen_.empty() || frozen_.size() == p) && (names_.empty() || names_.size() == p);
  const bool ranges = c.smallest_shift > 0.0 && c.shift >= c.smallest_shift &&
                      c.largest_shift >= c.shift && c.smallest_radius > 0.0 &&
                      c.radius >= c.smallest_radius && c.largest_radius >= c.radius &&
                      settings_.largest_change > 0.0 && settings_.sigma_base > 0.0 &&
                      settings_.sigma_best > 0.0 &&
                      settings_.largest_variance_growth > 1.0;
  if (!sizes || !ranges) {
    throw Error(
        ErrorKind::logic,
        fmt::format("[optimiser] {} parameters, {} frozen flags, {} names (expected "
                    "as many or none); shift {} within [{}, {}], radius {} within "
                    "[{}, {}], all positive",
                    p, frozen_.size(), names_.size(), c.shift, c.smallest_shift,
                    c.largest_shift, c.radius, c.smallest_radius, c.largest_radius));
  }
  base_.parameters = trial_;
  best_.parameters = trial_;
}

double Optimiser::merit(const StepFigures& f) const {
  return settings_.objective == Objective::energy ? f.energy : f.variance;
}

double Optimiser::merit_error(const StepFigures& f) const {
  if (settings_.objective == Objective::energy) return f.energy_error;
  if (f.variance_error > 0.0) return f.variance_error;
  // Energies clipped at five mean absolute deviations have a kurtosis below about ten.
  return f.variance * std::sqrt(10.0 / static_cast<double>(f.counted));
}

// "energy fell by 12.3(4) mHa", "variance rose by 0.31(5) hartree^2".
std::string Optimiser::difference(double change, double error) const {
  const bool energy = settings_.objective == Objective::energy;
  const double unit = energy ? 1e3 : 1.0;
  return fmt::format(
      "{} {} by {} {}", energy ? "energy" : "variance", change > 0.0 ? "rose" : "fell",
      with_error(std::abs(change) * unit, error * unit), energy ? "mHa" : "hartree^2");
}

Verdict Optimiser::judge(const StepFigures& figures, const OptimiserMoments& moments,
                         const StepSamples& samples) {
  if (started_ && !pending_) {
    throw Error(ErrorKind::logic,
                "[optimiser] judge was called twice without a proposal in between");
  }
  if (!started_) {
    if (!finite(figures) || nonfinite_share(figures) > 0.5) {
      throw Error(
          ErrorKind::numerical,
          fmt::format("[optimiser] the starting parameters have no usable energy: "
                      "{} +- {} from {} samples, {} of them not finite; look at "
                      "the starting parameters and the wave function",
                      figures.energy, figures.energy_error, figures.counted,
                      figures.nonfinite));
    }
    check_parameters(moments, trial_.size());
    started_ = true;
    best_ = {trial_, figures, moments, {}, 0};
    Verdict verdict = accept(figures, moments, samples);
    best_ = base_;
    verdict.first = true;
    verdict.reason = "accepted: the starting point";
    return verdict;
  }
  if (!finite(figures)) {
    return revert(fmt::format("the trial has no finite energy ({} +- {} from {} samples)",
                              figures.energy, figures.energy_error, figures.counted));
  }
  check_parameters(moments, trial_.size());
  const double allowed =
      std::max(settings_.largest_nonfinite, 2.0 * nonfinite_share(base_.figures));
  if (nonfinite_share(figures) > allowed) {
    return revert(fmt::format("{} of {} energies of the trial are not finite",
                              figures.nonfinite, figures.counted + figures.nonfinite));
  }
  const auto compare = [&](const Point& point) {
    const double a = merit_error(figures);
    const double b = merit_error(point.figures);
    return std::pair(merit(figures) - merit(point.figures), std::sqrt(a * a + b * b));
  };
  const auto [change, error] = compare(base_);
  if (refreshing_) return refresh(figures, moments, samples, change, error);
  if (change > settings_.sigma_base * error) return revert(difference(change, error));
  const auto [above, above_error] = compare(best_);
  if (above > settings_.sigma_best * above_error) {
    const std::string words = difference(above, above_error) + " above the best so far";
    base_ = best_;
    flat_.clear();
    remember_if_flat();
    return revert(words + "; back to the best");
  }
  const double growth = figures.variance / base_.figures.variance;
  const bool gained = change < -settings_.sigma_base * error;
  if (settings_.objective == Objective::energy && base_.figures.variance > 0.0 &&
      growth > (gained ? settings_.variance_growth_with_gain
                       : settings_.largest_variance_growth)) {
    return revert(fmt::format(
        "the variance grew {:.1f}-fold to {:.3g} hartree^2 {} ({})", growth,
        figures.variance,
        gained ? "as it does where walkers have not followed" : "without a clear gain",
        difference(change, error)));
  }
  // Boldness comes back with success, faster when the gain is beyond noise.
  const CautionSettings& c = settings_.caution;
  if (!(change > error)) {
    shift_ = std::max(c.smallest_shift, shift_ / (change < -error ? 3.0 : 1.5));
    radius_ = std::min(c.largest_radius, radius_ * (change < -error ? 1.5 : 1.2));
  }
  const std::string what =
      averaging_ ? "accepted the average of the last points: " : "accepted: ";
  Verdict verdict = accept(figures, moments, samples);
  verdict.reason = what + difference(change, error);
  if (std::abs(change) <= error) verdict.reason += ", within its noise";
  return verdict;
}

Verdict Optimiser::accept(const StepFigures& figures, const OptimiserMoments& moments,
                          const StepSamples& samples) {
  Direction direction;
  if (has_direction(settings_.method))
    direction = next_direction(settings_.direction, moments, samples, frozen_,
                               base_.direction.memory);
  const std::int64_t updates = pending_ ? base_.updates + 1 : 0;
  base_ = {trial_, figures, moments, std::move(direction), updates};
  // The error is added so that a lucky low number with a wide error does not become best.
  if (merit(figures) + merit_error(figures) <
      merit(best_.figures) + merit_error(best_.figures)) {
    best_ = base_;
  }
  refreshed_ = false;
  average_accepted_ = averaging_;
  if (!averaging_) remember_if_flat();
  reverted_in_a_row_ = 0;
  pending_ = false;
  averaging_ = false;
  return {true, false, ""};
}

Verdict Optimiser::refresh(const StepFigures& figures, const OptimiserMoments& moments,
                           const StepSamples& samples, double change, double error) {
  const bool best = best_.parameters == base_.parameters;
  base_.figures = figures;
  base_.moments = moments;
  if (has_direction(settings_.method))
    base_.direction = next_direction(settings_.direction, moments, samples, frozen_, {});
  if (best) best_ = base_;
  // Figures that no longer hold were the reason for the reverts.
  if (std::abs(change) > settings_.sigma_base * error) reverted_in_a_row_ = 0;
  refreshed_ = true;
  pending_ = refreshing_ = false;
  return {true, false,
          "accepted: the same parameters sampled anew: " + difference(change, error)};
}

Verdict Optimiser::revert(const std::string& why) {
  const CautionSettings& c = settings_.caution;
  shift_ = std::min(c.largest_shift, shift_ * 4.0);
  const double tried = last_norm_ > 0.0 ? std::min(radius_, last_norm_) : radius_;
  radius_ = std::max(c.smallest_radius, 0.4 * tried);
  trial_ = base_.parameters;
  // Momentum may point uphill at any rate; the gradient alone does not (O'Donoghue and
  // Candes, Found. Comput. Math. 15, 715 (2015)).
  if (is_first_order(settings_.method))
    base_.direction = next_direction(settings_.direction, base_.moments, {}, frozen_, {});
  ++reverted_in_a_row_;
  pending_ = false;
  averaging_ = refreshing_ = false;
  return {false, false,
          fmt::format("reverted: {}; next step at most {:.2g}", why, radius_)};
}

Verdict Optimiser::reject(const std::string& why) {
  if (!pending_) {
    throw Error(ErrorKind::logic,
                "[optimiser] reject was called without a proposal to reject: " + why);
  }
  return revert(why);
}

std::string Optimiser::name(std::int64_t parameter) const {
  const auto k = static_cast<std::size_t>(parameter);
  return names_.empty() ? fmt::format("parameter {}", k) : names_[k];
}

void Optimiser::set_bounds(std::vector<double> lower, std::vector<double> upper) {
  if (lower.size() != trial_.size() || upper.size() != trial_.size()) {
    throw Error(ErrorKind::logic,
                fmt::format("[optimiser] {} lower and {} upper bounds for {} parameters; "
                            "expected one of each for every parameter",
                            lower.size(), upper.size(), trial_.size()));
  }
  lower_ = std::move(lower);
  upper_ = std::move(upper);
}

ParameterStep Optimiser::method_step(const Point& point, const StepLimits& limits) const {
  const double rate =
      schedule_factor(settings_.schedule, point.updates, settings_.schedule_steps) /
      shift_;
  switch (settings_.method) {
    case OptimiseMethod::automatic:
    case OptimiseMethod::linear:
      return linear_step(point.moments, shift_, limits);
    case OptimiseMethod::gauss_newton:
      return gauss_newton_step(point.moments, shift_, limits);
    case OptimiseMethod::sr:
      return sr_step(point.moments, rate, limits);
    default:
      break;
  }
  return direction_step(point.direction, rate,
                        point.moments.gradient(settings_.direction.of_variance), limits);
}

bool Optimiser::bounded(std::size_t k) const {
  return k < lower_.size() && lower_[k] < upper_[k];
}

Proposal Optimiser::propose() {
  if (!started_) {
    throw Error(ErrorKind::logic,
                "[optimiser] propose was called before the starting point was judged");
  }
  pending_ = true;
  averaging_ = average_accepted_ = false;
  if (reverted_in_a_row_ >= 3 && !refreshed_) {
    refreshing_ = true;
    last_norm_ = 0.0;
    Proposal same;
    same.parameters = trial_ = base_.parameters;
    same.shift = shift_;
    same.notes.push_back(
        "three steps in a row reverted: what they were compared with is "
        "sampled anew");
    return same;
  }
  return propose_from(base_);
}

std::optional<Proposal> Optimiser::refine(const StepFigures& figures,
                                          const OptimiserMoments& moments,
                                          const StepSamples& samples) {
  if (!pending_) {
    throw Error(ErrorKind::logic,
                "[optimiser] refine was called without a proposal to go on from");
  }
  if (!finite(figures) || !(merit(figures) < trial_merit_)) return std::nullopt;
  check_parameters(moments, trial_.size());
  Point point{trial_, figures, moments, {}, base_.updates};
  if (has_direction(settings_.method))
    point.direction = next_direction(settings_.direction, moments, samples, frozen_,
                                     base_.direction.memory);
  const double before = last_norm_;
  Proposal proposal = propose_from(point);
  last_norm_ += before;
  proposal.norm = last_norm_;
  return proposal;
}

Proposal Optimiser::propose_from(const Point& point) {
  StepLimits limits;
  limits.relative = settings_.relative;
  limits.absolute = settings_.absolute;
  limits.hold_below = settings_.hold_below;
  limits.trust_radius = radius_;
  limits.frozen = frozen_;
  for (double x : point.parameters) {
    limits.largest_change.push_back(settings_.largest_change *
                                    std::max(1.0, std::abs(x)));
  }
  ParameterStep step = method_step(point, limits);
  // What stands at a bound and wants across is held, so that the others do not count on
  // it; one that reaches its bound in this step is cut there.
  if (!lower_.empty()) {
    std::vector<std::uint8_t> frozen = frozen_;
    frozen.resize(trial_.size(), 0);
    bool again = false;
    for (std::size_t k = 0; k < trial_.size(); ++k) {
      const double x = point.parameters[k];
      const bool down = x <= lower_[k] && step.change[k] < 0.0;
      const bool up = x >= upper_[k] && step.change[k] > 0.0;
      if (!bounded(k) || !(down || up)) continue;
      frozen[k] = 1;
      again = true;
    }
    if (again) {
      limits.frozen = frozen;
      step = method_step(point, limits);
    }
  }
  Proposal proposal;
  std::vector<double> trial = point.parameters;
  for (std::size_t k = 0; k < trial.size(); ++k) {
    // Not even -0.0 + 0.0: a parameter that does not move keeps its bits.
    if (step.change[k] == 0.0) continue;
    trial[k] += step.change[k];
    if (bounded(k)) trial[k] = std::clamp(trial[k], lower_[k], upper_[k]);
  }
  last_norm_ = step.norm;
  trial_merit_ = merit(point.figures);
  proposal.parameters = trial;
  proposal.predicted = step.predicted;
  proposal.norm = step.norm;
  proposal.shift = step.shift > 0.0 ? step.shift : shift_;
  for (std::int64_t k : step.held) {
    proposal.notes.push_back("held for this step: " + name(k) +
                             " has no variance at these parameters");
  }
  for (std::int64_t k : step.limited) {
    proposal.notes.push_back(
        fmt::format("limited: {} would have moved by more than {:.3g}", name(k),
                    limits.largest_change[static_cast<std::size_t>(k)]));
  }
  if (trial == point.parameters) {
    proposal.notes.push_back("no change: nothing left to gain or nothing free to move");
  }
  trial_ = std::move(trial);
  return proposal;
}

}  // namespace drover
