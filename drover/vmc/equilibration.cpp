#include "drover/vmc/equilibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "drover/core/error.hpp"

namespace drover {

namespace {

constexpr std::size_t blocks = 8;
// P(|S| >= 18) = 0.031 for eight values without trend (exact, Kendall's table).
constexpr std::int64_t trend = 18;

double mean(std::span<const double> values) {
  // Relative to the first value, so that a small drift on a large energy is not rounded.
  double sum = 0.0;
  for (double x : values) sum += x - values[0];
  return values[0] + sum / static_cast<double>(values.size());
}

double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

template <class Summary>
std::int64_t trend_of_blocks(std::span<const double> window, Summary summary) {
  std::array<double, blocks> values{};
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t begin = b * window.size() / blocks;
    const std::size_t end = (b + 1) * window.size() / blocks;
    values[b] = summary(window.subspan(begin, end - begin));
  }
  return kendall_s(values);
}

// A trend that amounts to something: the medians of the window's two halves differ by
// more than a quarter of the steps' scatter (1.4826 median absolute deviations). A long
// series shows trends far below that; what is left of such a relaxation is smaller still.
bool moves(std::span<const double> window) {
  const std::size_t half = window.size() / 2;
  const double change = median(window.last(half)) - median(window.first(half));
  const double centre = median(window);
  std::vector<double> deviations;
  for (double x : window) deviations.push_back(std::abs(x - centre));
  return std::abs(change) > 0.25 * 1.4826 * median(deviations);
}

// Checks stand at min_steps and then an eighth further each time: three of them
// fall into the stretch that has to pass.
bool is_check(std::int64_t n, std::int64_t min_steps) {
  std::int64_t check = min_steps;
  while (check < n) check += check / 8;
  return check == n;
}

bool is_count(double x) {
  return x >= 0.0 && x <= 1e15 && x == std::floor(x);
}

}  // namespace

std::int64_t kendall_s(std::span<const double> series) {
  std::int64_t s = 0;
  for (std::size_t j = 1; j < series.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      s += (series[j] > series[i] ? 1 : 0) - (series[j] < series[i] ? 1 : 0);
    }
  }
  return s;
}

EquilibrationJudge::EquilibrationJudge(EquilibrationSettings settings)
    : settings_(settings) {
  if (settings_.min_steps < 24 || settings_.max_steps < settings_.min_steps ||
      settings_.patience < 1) {
    throw Error(
        ErrorKind::logic,
        fmt::format("[equilibration] settings out of range: min_steps {} (at least "
                    "24), max_steps {} (at least min_steps), patience {} (at "
                    "least 1)",
                    settings_.min_steps, settings_.max_steps, settings_.patience));
  }
}

EquilibrationVerdict EquilibrationJudge::feed(const EquilibrationStep& step) {
  if (last_.state != EquilibrationState::running) return last_;
  if (!std::isfinite(step.energy) || !std::isfinite(step.variance)) {
    last_ = {
        EquilibrationState::failed,
        fmt::format("equilibration step {}: the energy is {} and its variance {}; "
                    "expected finite numbers. Look at the wave function: parameters, "
                    "basis, walkers at a node",
                    steps() + 1, step.energy, step.variance)};
    return last_;
  }
  // Negated so that an acceptance that is not a number counts as none.
  without_moves_ = !(step.acceptance > 0.0) ? without_moves_ + 1 : 0;
  energies_.push_back(step.energy);
  variances_.push_back(step.variance);
  errors_.push_back(std::isfinite(step.energy_error) ? std::abs(step.energy_error) : 0.0);
  if (without_moves_ >= settings_.patience) {
    last_ = {EquilibrationState::failed,
             fmt::format("equilibration: not one move was accepted in {} steps in a row "
                         "(expected about half of them); the step size is wrong for this "
                         "wave function or the wave function is not a number where the "
                         "walkers want to go",
                         without_moves_)};
    return last_;
  }
  const std::int64_t n = steps();
  if (n < settings_.min_steps) return last_;
  if (is_check(n, settings_.min_steps)) {
    if (!stationary(nullptr)) {
      passing_since_ = 0;
    } else if (passing_since_ == 0) {
      passing_since_ = n;
    }
  }
  last_ = judge();
  return last_;
}

EquilibrationVerdict EquilibrationJudge::judge() const {
  const std::int64_t n = steps();
  if (passing_since_ > 0 && 4 * n >= 5 * passing_since_) {
    return {
        EquilibrationState::equilibrated,
        fmt::format("equilibrated after {} steps: energy and variance show no trend", n)};
  }
  if (n < settings_.max_steps) return {};
  std::string why;
  if (stationary(&why)) {
    why = "the series looks stationary, but not for long enough to be sure";
  }
  return {EquilibrationState::not_converged,
          fmt::format("not equilibrated after {} steps, the largest number allowed: {}; "
                      "the energy may be biased. Allow more steps, or more sweeps in a "
                      "step",
                      n, why)};
}

bool EquilibrationJudge::stationary(std::string* why) const {
  const auto last_third = [](const std::vector<double>& series) {
    const std::size_t third = series.size() / 3;
    return std::span(series).last(third);
  };
  const auto energies = last_third(energies_);
  const auto explain = [&](const char* what, std::int64_t s) {
    if (why) {
      *why = fmt::format(
          "the {} is still {} (Kendall's S of eight blocks is {}, below {} "
          "expected)",
          what, s > 0 ? "rising" : "falling", s, trend);
    }
    return false;
  };
  const std::int64_t s_energy = trend_of_blocks(energies, mean);
  if (std::abs(s_energy) >= trend && moves(energies)) return explain("energy", s_energy);
  const auto variances = last_third(variances_);
  const std::int64_t s_variance = trend_of_blocks(variances, median);
  if (std::abs(s_variance) >= trend && moves(variances)) {
    return explain("variance", s_variance);
  }
  const std::size_t sixth = energies.size() / 2;
  const double before = mean(energies.first(sixth));
  const double after = mean(energies.last(sixth));
  const double error = median(last_third(errors_));
  const double bound = 3.0 * std::sqrt(2.0) * error;
  if (error > 0.0 && std::abs(after - before) > bound) {
    if (why) {
      *why = fmt::format(
          "the energy still moves: {:.6f} in the last sixth of the steps, "
          "{:.6f} in the sixth before, expected within {:.6f}",
          after, before, bound);
    }
    return false;
  }
  return true;
}

// Layout: steps, steps without moves, passing since, state, then energies, variances and
// errors. The words of a finished judge are made anew from the numbers.
std::vector<double> EquilibrationJudge::state() const {
  std::vector<double> numbers = {
      static_cast<double>(steps()), static_cast<double>(without_moves_),
      static_cast<double>(passing_since_), static_cast<double>(last_.state)};
  for (const auto* series : {&energies_, &variances_, &errors_}) {
    numbers.insert(numbers.end(), series->begin(), series->end());
  }
  return numbers;
}

void EquilibrationJudge::restore(std::span<const double> numbers) {
  const bool head = numbers.size() >= 4 && is_count(numbers[0]) && is_count(numbers[1]) &&
                    is_count(numbers[2]) && is_count(numbers[3]) && numbers[3] <= 3.0;
  if (!head || static_cast<double>(numbers.size()) != 4.0 + 3.0 * numbers[0]) {
    throw Error(
        ErrorKind::input,
        fmt::format("[equilibration] the checkpoint's state of the equilibration "
                    "has {} numbers that do not fit together; the file is damaged "
                    "or from another version",
                    numbers.size()));
  }
  const auto n = static_cast<std::size_t>(numbers[0]);
  const auto part = [&](std::size_t i) {
    const auto values = numbers.subspan(4 + i * n, n);
    return std::vector<double>(values.begin(), values.end());
  };
  energies_ = part(0);
  variances_ = part(1);
  errors_ = part(2);
  without_moves_ = static_cast<std::int64_t>(numbers[1]);
  passing_since_ = static_cast<std::int64_t>(numbers[2]);
  last_ = {static_cast<EquilibrationState>(static_cast<int>(numbers[3])), ""};
  if (last_.state == EquilibrationState::failed) {
    last_.words = "equilibration had failed before the checkpoint was written";
  } else if (last_.state != EquilibrationState::running) {
    last_ = judge();
  }
}

StepSizeController::StepSizeController(double start, StepSizeSettings settings)
    : settings_(settings), step_size_(start) {
  const bool good = start > 0.0 && std::isfinite(start) && settings_.target > 0.0 &&
                    settings_.target < 1.0 && settings_.steps >= 4 &&
                    settings_.smallest > 0.0 && settings_.largest > settings_.smallest;
  if (!good) {
    throw Error(
        ErrorKind::logic,
        fmt::format("[step size] start {} bohr, target acceptance {}, {} steps of "
                    "adaptation: expected a positive start, a target between 0 "
                    "and 1, at least 4 steps",
                    start, settings_.target, settings_.steps));
  }
  step_size_ = std::clamp(start, settings_.smallest, settings_.largest);
}

double StepSizeController::feed(double acceptance) {
  if (frozen_) return step_size_;
  if (!(acceptance >= 0.0 && acceptance <= 1.0)) {
    throw Error(ErrorKind::numerical,
                fmt::format("[step size] acceptance {} after {} steps of adaptation: "
                            "expected a number from 0 to 1",
                            acceptance, count_));
  }
  ++count_;
  last_acceptance_ = acceptance;
  close_ = std::abs(acceptance - settings_.target) <= 0.02 ? close_ + 1 : 0;
  if (close_ >= 3) {
    frozen_ = true;
    return step_size_;
  }
  const std::int64_t fine = count_ - settings_.steps / 2;
  const double gain = fine > 0 ? 1.0 / static_cast<double>(fine + 1) : 1.0;
  const double ratio =
      std::clamp((acceptance + 0.05) / (settings_.target + 0.05), 0.5, 2.0);
  // Without a single accepted move a small gain would never arrive: halve it.
  const double factor = acceptance > 0.0 ? 1.0 + gain * (ratio - 1.0) : 0.5;
  step_size_ = std::clamp(step_size_ * factor, settings_.smallest, settings_.largest);
  frozen_ = count_ >= settings_.steps;
  return step_size_;
}

std::string StepSizeController::failure() const {
  if (!frozen_ || last_acceptance_ > 0.0) return {};
  return fmt::format(
      "no move was accepted in the last of {} steps of adaptation although the step was "
      "brought to {:.3g} bohr (expected an acceptance near {:.2f}); give a step size, or "
      "look at the wave function where the walkers start",
      count_, step_size_, settings_.target);
}

std::vector<double> StepSizeController::state() const {
  return {step_size_, last_acceptance_, static_cast<double>(count_),
          static_cast<double>(close_), frozen_ ? 1.0 : 0.0};
}

void StepSizeController::restore(std::span<const double> numbers) {
  const bool good = numbers.size() == 5 && numbers[0] > 0.0 &&
                    std::isfinite(numbers[0]) && numbers[1] >= 0.0 && numbers[1] <= 1.0 &&
                    is_count(numbers[2]) && is_count(numbers[3]) &&
                    (numbers[4] == 0.0 || numbers[4] == 1.0);
  if (!good) {
    throw Error(
        ErrorKind::input,
        fmt::format("[step size] the checkpoint's state of the step size ({} "
                    "numbers) is not one that was written; the file is damaged or "
                    "from another version",
                    numbers.size()));
  }
  step_size_ = numbers[0];
  last_acceptance_ = numbers[1];
  count_ = static_cast<std::int64_t>(numbers[2]);
  close_ = static_cast<std::int64_t>(numbers[3]);
  frozen_ = numbers[4] == 1.0;
}

}  // namespace drover
