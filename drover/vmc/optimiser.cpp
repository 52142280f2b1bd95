#include "drover/vmc/optimiser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "drover/core/error.hpp"
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

CautionSettings CautionSettings::defaults(Objective objective, OptimiseMethod method) {
  CautionSettings c;
  if (objective == Objective::reference_variance) {
    c.shift = 1e-2;
    c.smallest_shift = 1e-5;
    c.radius = 1.0;
    c.largest_radius = 2.0;
  } else if (method == OptimiseMethod::sr) {
    c.shift = 10.0;
    c.smallest_shift = 1.0;
  }
  return c;
}

OptimiserSettings OptimiserSettings::defaults(Objective objective,
                                              OptimiseMethod method) {
  OptimiserSettings s;
  s.objective = objective;
  s.method = method;
  s.caution = CautionSettings::defaults(objective, method);
  return s;
}

MomentSet OptimiserSettings::moments() const {
  if (objective == Objective::reference_variance) return MomentSet::gauss_newton();
  return method == OptimiseMethod::sr ? MomentSet::sr() : MomentSet::linear_method();
}

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

Verdict Optimiser::judge(const StepFigures& figures, const OptimiserMoments& moments) {
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
    best_ = {trial_, figures, moments};
    Verdict verdict = accept(figures, moments);
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
  if (settings_.objective == Objective::energy && base_.figures.variance > 0.0 &&
      growth > settings_.largest_variance_growth &&
      !(change < -settings_.sigma_base * error)) {
    return revert(
        fmt::format("the variance grew {:.1f}-fold to {:.3g} hartree^2 without a "
                    "clear gain ({})",
                    growth, figures.variance, difference(change, error)));
  }
  // Boldness comes back with success, faster when the gain is beyond noise.
  const CautionSettings& c = settings_.caution;
  if (!(change > error)) {
    shift_ = std::max(c.smallest_shift, shift_ / (change < -error ? 3.0 : 1.5));
    radius_ = std::min(c.largest_radius, radius_ * (change < -error ? 1.5 : 1.2));
  }
  const std::string what =
      averaging_ ? "accepted the average of the last points: " : "accepted: ";
  Verdict verdict = accept(figures, moments);
  verdict.reason = what + difference(change, error);
  if (std::abs(change) <= error) verdict.reason += ", within its noise";
  return verdict;
}

Verdict Optimiser::accept(const StepFigures& figures, const OptimiserMoments& moments) {
  base_ = {trial_, figures, moments};
  // The error is added so that a lucky low number with a wide error does not become best.
  if (merit(figures) + merit_error(figures) <
      merit(best_.figures) + merit_error(best_.figures)) {
    best_ = base_;
  }
  average_accepted_ = averaging_;
  if (!averaging_) remember_if_flat();
  reverted_in_a_row_ = 0;
  pending_ = false;
  averaging_ = false;
  return {true, false, ""};
}

// Adds the base to the flat stretch, or starts a new one when it lies clearly below.
void Optimiser::remember_if_flat() {
  const double error = merit_error(base_.figures);
  if (!flat_.empty()) {
    const double n = static_cast<double>(flat_.size());
    const double noise = std::sqrt(error * error + flat_error2_ / (n * n));
    if (merit(base_.figures) < flat_merit_ / n - settings_.sigma_base * noise) {
      flat_.clear();
    }
  }
  if (flat_.empty()) flat_merit_ = flat_error2_ = 0.0;
  flat_.push_back(base_.parameters);
  flat_merit_ += merit(base_.figures);
  flat_error2_ += error * error;
}

std::optional<Proposal> Optimiser::propose_average() {
  const std::size_t used = (flat_.size() + 1) / 2;
  if (!started_ || used < 2) return std::nullopt;
  // Relative to the last point, so that a parameter that never moved keeps its bits.
  Proposal proposal;
  proposal.parameters = flat_.back();
  for (std::size_t k = 0; k < proposal.parameters.size(); ++k) {
    double sum = 0.0;
    for (std::size_t i = flat_.size() - used; i < flat_.size(); ++i) {
      sum += flat_[i][k] - flat_.back()[k];
    }
    if (sum != 0.0) proposal.parameters[k] += sum / static_cast<double>(used);
  }
  proposal.shift = shift_;
  proposal.notes.push_back(fmt::format("average of the last {} accepted points", used));
  trial_ = proposal.parameters;
  pending_ = averaging_ = true;
  last_norm_ = 0.0;
  return proposal;
}

Verdict Optimiser::revert(const std::string& why) {
  const CautionSettings& c = settings_.caution;
  shift_ = std::min(c.largest_shift, shift_ * 4.0);
  const double tried = last_norm_ > 0.0 ? std::min(radius_, last_norm_) : radius_;
  radius_ = std::max(c.smallest_radius, 0.4 * tried);
  trial_ = base_.parameters;
  ++reverted_in_a_row_;
  pending_ = false;
  averaging_ = false;
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

ParameterStep Optimiser::method_step(const StepLimits& limits) const {
  if (settings_.objective == Objective::reference_variance) {
    return gauss_newton_step(base_.moments, shift_, limits);
  }
  if (settings_.method == OptimiseMethod::sr) {
    return sr_step(base_.moments, 1.0 / shift_, limits);
  }
  return linear_step(base_.moments, shift_, limits);
}

bool Optimiser::bounded(std::size_t k) const {
  return k < lower_.size() && lower_[k] < upper_[k];
}

Proposal Optimiser::propose() {
  if (!started_) {
    throw Error(ErrorKind::logic,
                "[optimiser] propose was called before the starting point was judged");
  }
  StepLimits limits;
  limits.relative = settings_.relative;
  limits.absolute = settings_.absolute;
  limits.hold_below = settings_.hold_below;
  limits.trust_radius = radius_;
  limits.frozen = frozen_;
  for (double x : base_.parameters) {
    limits.largest_change.push_back(settings_.largest_change *
                                    std::max(1.0, std::abs(x)));
  }
  ParameterStep step = method_step(limits);
  // What stands at a bound and wants across is held, so that the others do not count on
  // it; one that reaches its bound in this step is cut there.
  if (!lower_.empty()) {
    std::vector<std::uint8_t> frozen = frozen_;
    frozen.resize(trial_.size(), 0);
    bool again = false;
    for (std::size_t k = 0; k < trial_.size(); ++k) {
      const double x = base_.parameters[k];
      const bool down = x <= lower_[k] && step.change[k] < 0.0;
      const bool up = x >= upper_[k] && step.change[k] > 0.0;
      if (!bounded(k) || !(down || up)) continue;
      frozen[k] = 1;
      again = true;
    }
    if (again) {
      limits.frozen = frozen;
      step = method_step(limits);
    }
  }
  Proposal proposal;
  trial_ = base_.parameters;
  for (std::size_t k = 0; k < trial_.size(); ++k) {
    // Not even -0.0 + 0.0: a parameter that does not move keeps its bits.
    if (step.change[k] == 0.0) continue;
    trial_[k] += step.change[k];
    if (bounded(k)) trial_[k] = std::clamp(trial_[k], lower_[k], upper_[k]);
  }
  pending_ = true;
  averaging_ = average_accepted_ = false;
  last_norm_ = step.norm;
  proposal.parameters = trial_;
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
  if (trial_ == base_.parameters) {
    proposal.notes.push_back("no change: nothing left to gain or nothing free to move");
  }
  return proposal;
}

}  // namespace drover
