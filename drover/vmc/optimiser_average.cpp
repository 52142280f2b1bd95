// The average of the newest points, as the last trial of an optimisation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drover/vmc/optimiser.hpp"

namespace drover {

// Adds the base to the points of the average. Without a number of them, a point that lies
// clearly below starts them anew.
void Optimiser::remember_if_flat() {
  const double error = merit_error(base_.figures);
  const auto most = static_cast<std::size_t>(settings_.average);
  if (most == 0 && !flat_.empty()) {
    const double n = static_cast<double>(flat_.size());
    const double noise = std::sqrt(error * error + flat_error2_ / (n * n));
    if (merit(base_.figures) < flat_merit_ / n - settings_.sigma_base * noise) {
      flat_.clear();
    }
  }
  if (flat_.empty()) flat_merit_ = flat_error2_ = 0.0;
  if (most > 0 && flat_.size() == most) flat_.erase(flat_.begin());
  flat_.push_back(base_.parameters);
  flat_merit_ += merit(base_.figures);
  flat_error2_ += error * error;
}

std::span<const std::vector<double>> Optimiser::averaged_points() const {
  const std::size_t used = settings_.average > 0 ? flat_.size() : (flat_.size() + 1) / 2;
  return std::span(flat_).last(used);
}

std::optional<Proposal> Optimiser::propose_average() {
  const auto points = averaged_points();
  if (!started_ || points.size() < 2) return std::nullopt;
  // Relative to the last point, so that a parameter that never moved keeps its bits.
  Proposal proposal;
  const std::vector<double>& last = points.back();
  proposal.parameters = last;
  for (std::size_t k = 0; k < last.size(); ++k) {
    double sum = 0.0;
    for (const auto& point : points) sum += point[k] - last[k];
    if (sum != 0.0) proposal.parameters[k] += sum / static_cast<double>(points.size());
  }
  proposal.shift = shift_;
  proposal.notes.push_back(
      fmt::format("average of the last {} accepted points", points.size()));
  trial_ = proposal.parameters;
  pending_ = averaging_ = true;
  last_norm_ = 0.0;
  return proposal;
}

std::vector<double> Optimiser::result_errors() const {
  if (!average_accepted_) return {};
  const auto points = averaged_points();
  const double n = static_cast<double>(points.size());
  std::vector<double> errors;
  for (std::size_t k = 0; k < base_.parameters.size(); ++k) {
    const double mean = base_.parameters[k];
    double squares = 0.0, neighbours = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double x = points[i][k] - mean;
      squares += x * x;
      if (i > 0) neighbours += x * (points[i - 1][k] - mean);
    }
    const double rho = squares > 0.0 ? std::clamp(neighbours / squares, 0.0, 1.0) : 0.0;
    const double effective = std::max(n * (1.0 - rho) / (1.0 + rho), 1.0);
    errors.push_back(std::sqrt(squares / (n - 1.0) / effective));
  }
  return errors;
}

}  // namespace drover
