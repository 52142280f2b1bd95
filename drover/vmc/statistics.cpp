#include "drover/vmc/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drover/core/error.hpp"

namespace drover {

std::vector<BlockingLevel> blocking(std::span<const double> series) {
  std::vector<BlockingLevel> levels;
  std::vector<double> values(series.begin(), series.end());
  std::int64_t length = 1;
  while (values.size() >= 2) {
    Moments moments;
    for (double x : values) moments.add(x);
    const double dof = static_cast<double>(values.size() - 1);
    const double error = std::sqrt(moments.variance() / dof);
    levels.push_back({length, moments.count, error, error / std::sqrt(2.0 * dof)});
    const std::size_t half = values.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
      values[i] = 0.5 * (values[2 * i] + values[2 * i + 1]);
    }
    values.resize(half);
    length *= 2;
  }
  return levels;
}

Plateau plateau(std::span<const BlockingLevel> levels) {
  Plateau found;
  if (levels.empty()) return found;
  const double naive = levels[0].error;
  const double n = static_cast<double>(levels[0].blocks);
  std::size_t chosen = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const auto at_least = [&](std::size_t i) {
      return levels[i].error - levels[i].error_of_error;
    };
    if (at_least(l) > at_least(chosen)) chosen = l;
  }
  // The last level has two or three blocks: no basis for saying that it is flat.
  for (std::size_t l = 0; l < levels.size() && levels[l].blocks >= 4; ++l) {
    const double length = static_cast<double>(levels[l].block_length);
    const double ratio = naive > 0.0 ? levels[l].error / naive : 1.0;
    const double tau = ratio * ratio;
    if (length * length * length > 2.0 * n * tau * tau) {
      chosen = l;
      found.reached = true;
      break;
    }
  }
  found.level = static_cast<std::int64_t>(chosen);
  found.error = levels[chosen].error;
  found.error_of_error = levels[chosen].error_of_error;
  return found;
}

double autocorrelation_time(std::span<const double> series) {
  const std::size_t n = series.size();
  if (n < 4) return 1.0;
  Moments moments;
  for (double x : series) moments.add(x);
  // A spread at the level of rounding is no spread.
  const double scale = 1e-15 * std::abs(moments.mean);
  const double c0 = moments.variance();
  if (!(c0 > scale * scale)) return 1.0;
  std::vector<double> x(n);
  for (std::size_t t = 0; t < n; ++t) x[t] = series[t] - moments.mean;
  const auto rho = [&](std::size_t lag) {
    double sum = 0.0;
    for (std::size_t t = 0; t + lag < n; ++t) sum += x[t] * x[t + lag];
    return sum / (static_cast<double>(n) * c0);
  };
  double total = 0.0;
  double previous = 1.0 + rho(1);
  for (std::size_t lag = 0; lag + 1 < n; lag += 2) {
    const double pair = lag == 0 ? previous : rho(lag) + rho(lag + 1);
    if (!(pair > 0.0)) break;
    previous = std::min(previous, pair);
    total += previous;
  }
  return std::max(2.0 * total - 1.0, 0.01);
}

void WalkerSums::add(double walker_sum, double walker_count) {
  if (!(walker_count > 0.0)) return;
  ++walkers;
  counted += walker_count;
  sum += walker_sum;
  sum2 += walker_sum * walker_sum;
  sum_count += walker_sum * walker_count;
  counted2 += walker_count * walker_count;
}

std::optional<MeanAndError> walker_spread(const WalkerSums& sums) {
  if (sums.walkers < 2 || !(sums.counted > 0.0)) return std::nullopt;
  const double w = static_cast<double>(sums.walkers);
  const double ratio = sums.sum / sums.counted;
  const double spread =
      sums.sum2 - 2.0 * ratio * sums.sum_count + ratio * ratio * sums.counted2;
  const double variance =
      std::max(spread, 0.0) * (w / (w - 1.0)) / (sums.counted * sums.counted);
  return MeanAndError{sums.shift + ratio, std::sqrt(variance)};
}

void HalfChainSums::add(double length, double shifted_mean, double m2) {
  if (!(length >= 2.0)) return;
  ++chains;
  samples += length;
  sum_inverse_length += 1.0 / length;
  sum_means += shifted_mean;
  sum_means2 += shifted_mean * shifted_mean;
  within += m2;
}

std::optional<double> split_r_hat(const HalfChainSums& sums) {
  if (sums.chains < 2) return std::nullopt;
  constexpr double largest = 1e12;
  const double m = static_cast<double>(sums.chains);
  const double w = std::max(sums.within, 0.0) / (sums.samples - m);
  const double mean = sums.sum_means / m;
  const double v = std::max(sums.sum_means2 - m * mean * mean, 0.0) / (m - 1.0);
  if (!(w > 0.0)) return v > 0.0 ? largest : 1.0;
  const double ratio = (w - w * (sums.sum_inverse_length / m) + v) / w;
  return std::min(std::sqrt(std::max(ratio, 0.0)), largest);
}

std::optional<double> split_r_hat(std::span<const std::vector<double>> chains) {
  HalfChainSums sums;
  // Any number near the mean serves as the shift; equal chains must give exact zeros.
  for (const auto& chain : chains) {
    if (!chain.empty()) {
      sums.shift = chain[0];
      break;
    }
  }
  for (const auto& chain : chains) {
    const std::size_t half = chain.size() / 2;
    for (std::size_t start : {std::size_t{0}, chain.size() - half}) {
      Moments moments;
      for (std::size_t t = start; t < start + half; ++t) {
        moments.add(chain[t] - sums.shift);
      }
      sums.add(static_cast<double>(half), moments.mean, moments.m2);
    }
  }
  return split_r_hat(sums);
}

namespace {

// How many standard deviations the ratio of two variances with k and m degrees of freedom
// is from one: Paulson's approximation for F (Ann. Math. Stat. 13, 233 (1942)). Unlike a
// plain difference of errors it knows that four blocks often show a third of the error.
double excess_of(double variance, double k, double reference, double m) {
  if (!(reference > 0.0)) return variance > 0.0 ? 1e12 : 0.0;
  const double root = std::cbrt(variance / reference);
  const double a = 2.0 / (9.0 * k), b = 2.0 / (9.0 * m);
  return ((1.0 - b) * root - (1.0 - a)) / std::sqrt(b * root * root + a);
}

// The quoted error and the words about it; see the rule at combine().
void choose_error(const MeasuredEnergies& measured, EnergyStatistics& out) {
  const auto spread = walker_spread(measured.walkers);
  out.levels = blocking(measured.series);
  const Plateau flat = plateau(out.levels);
  const bool blocked = !out.levels.empty();
  out.plateau_reached = flat.reached;
  out.error_blocking = blocked ? flat.error : 0.0;
  const double w = static_cast<double>(measured.walkers.walkers);
  const bool many = measured.walkers.walkers >= 32;
  out.error_known = spread.has_value() || blocked;
  if (spread && (many || !blocked)) {
    out.error = spread->error;
  } else if (spread) {
    out.error = std::max(spread->error, flat.error);
  } else {
    out.error = out.error_blocking;
  }
  if (!out.error_known) {
    out.warnings.push_back(
        "no error bar: one walker and one step have no spread; measure more steps or use "
        "more walkers");
    return;
  }
  if (!many && !flat.reached) {
    out.warnings.push_back(fmt::format(
        "the error bar has not converged: blocking of {} steps found no plateau and {} "
        "walkers are too few to replace it; measure longer or use at least 32 walkers",
        measured.series.size(), measured.walkers.walkers));
  }
  if (!many) return;
  for (std::size_t l = 0; l < out.levels.size(); ++l) {
    const BlockingLevel& level = out.levels[l];
    const double z =
        excess_of(level.error * level.error, static_cast<double>(level.blocks - 1),
                  spread->error * spread->error, w - 1.0);
    // Short of the plateau blocking is still too small: there only its excess counts.
    const bool at_plateau = flat.reached && static_cast<std::int64_t>(l) == flat.level;
    if ((at_plateau ? std::abs(z) : z) <= 4.0) continue;
    out.warnings.push_back(fmt::format(
        "two error bars disagree: {:.3g} hartree from the walkers' own means, {:.3g} "
        "from blocking {} steps at a time: {}",
        spread->error, level.error, level.block_length,
        z > 0 ? "the walkers still drift together (equilibrate longer)"
              : "the walkers keep to different regions (measure longer)"));
    break;
  }
}

}  // namespace

EnergyStatistics combine(const MeasuredEnergies& measured) {
  const WalkerSums& walkers = measured.walkers;
  if (!(walkers.counted > 0.0)) {
    throw Error(
        ErrorKind::numerical,
        "[statistics] the measuring stage counted no energy: expected at least one "
        "finite local energy, found none; look at the wave function and at the "
        "walkers' positions");
  }
  EnergyStatistics out;
  out.energy = walkers.shift + walkers.sum / walkers.counted;
  bool finite = std::isfinite(out.energy) && std::isfinite(walkers.sum2) &&
                std::isfinite(measured.variance);
  for (double e : measured.series) finite = finite && std::isfinite(e);
  if (!finite) {
    throw Error(ErrorKind::numerical,
                fmt::format("[statistics] a sum of energies is not a number: energy {}, "
                            "variance {}; non-finite energies must be counted and left "
                            "out before they are summed",
                            out.energy, measured.variance));
  }
  out.error_naive = std::sqrt(std::max(measured.variance, 0.0) / walkers.counted);
  choose_error(measured, out);
  if (out.error_known && out.error_naive > 0.0) {
    const double ratio = out.error / out.error_naive;
    out.tau = ratio * ratio;
  }
  out.effective_samples = out.tau > 0.0 ? walkers.counted / out.tau : walkers.counted;
  const auto r_hat = split_r_hat(measured.half_chains);
  if (r_hat) {
    out.r_hat = *r_hat;
    // R-hat is about sqrt(1 + (tau - 1)/n) for half chains of n steps. The average over
    // thousands of walkers does not need the 1.01 asked of a handful of chains, but 1.1
    // means halves of five correlation times: memory of the start shows.
    if (out.r_hat > 1.1) {
      out.warnings.push_back(fmt::format(
          "R-hat is {:.4f}, above 1.1: the walkers have hardly forgotten where they "
          "started; measure longer or equilibrate longer",
          out.r_hat));
    }
  } else {
    out.warnings.push_back(
        "R-hat is not known: no walker has four energies yet; it is shown as 1");
  }
  return out;
}

void fill(RunResult& result, const EnergyStatistics& statistics) {
  result.energy = statistics.energy;
  result.error = statistics.error;
  result.error_naive = statistics.error_naive;
  result.error_blocking = statistics.error_blocking;
  result.tau = statistics.tau;
  result.effective_samples = statistics.effective_samples;
  result.r_hat = statistics.r_hat;
  result.blocking = statistics.levels;
  result.warnings.insert(result.warnings.end(), statistics.warnings.begin(),
                         statistics.warnings.end());
}

std::string with_error(double value, double error) {
  if (!std::isfinite(value) || !std::isfinite(error) || !(error > 0.0)) {
    return fmt::format("{}({})", value, error);
  }
  int decimals = 0;
  double scaled = error;
  // Two digits when the error starts with a one: 0.0013 -> (13), 0.0004 -> (4).
  while (scaled < 1.95 && decimals < 15) {
    scaled *= 10.0;
    ++decimals;
  }
  return fmt::format("{:.{}f}({:.0f})", value, decimals, scaled);
}

}  // namespace drover
