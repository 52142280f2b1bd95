// The optimiser's memory as a flat list of numbers, for the checkpoint.
//
// Layout: version, P, shift, radius, last norm, four flags, reverts in a row, the merit
// that the trial was proposed from, two flags, then the trial; base and best (parameters,
// six figures, moments, direction, updates); the points of the average (number, sum of
// merits, of squared errors, parameters of each). A direction: norm, updates, then d and
// two momenta, each with its length.
#include <fmt/format.h>

#include <utility>

#include "drover/core/error.hpp"
#include "drover/vmc/optimiser.hpp"

namespace drover {

namespace {

constexpr double state_version = 2.0;
constexpr std::size_t head_length = 13;

void append(std::vector<double>& numbers, const StepFigures& f) {
  numbers.insert(numbers.end(),
                 {f.energy, f.energy_error, f.variance, f.variance_error,
                  static_cast<double>(f.counted), static_cast<double>(f.nonfinite)});
}

// The next numbers of the list, which is advanced.
std::span<const double> next(std::span<const double>& numbers, std::size_t count) {
  if (numbers.size() < count) {
    throw Error(
        ErrorKind::input,
        fmt::format("[optimiser] the checkpoint's optimiser ends {} numbers early; "
                    "the file is damaged or from another version",
                    count - numbers.size()));
  }
  const auto part = numbers.first(count);
  numbers = numbers.subspan(count);
  return part;
}

void append(std::vector<double>& numbers, const Direction& d) {
  numbers.push_back(d.norm);
  numbers.push_back(static_cast<double>(d.memory.updates));
  for (const auto* v : {&d.step, &d.memory.first, &d.memory.second}) {
    numbers.push_back(static_cast<double>(v->size()));
    numbers.insert(numbers.end(), v->begin(), v->end());
  }
}

Direction take_direction(std::span<const double>& numbers, std::size_t parameters) {
  Direction d;
  const auto head = next(numbers, 2);
  d.norm = head[0];
  d.memory.updates = static_cast<std::int64_t>(head[1]);
  for (auto* v : {&d.step, &d.memory.first, &d.memory.second}) {
    const double length = next(numbers, 1)[0];
    if (length != 0.0 && length != static_cast<double>(parameters)) {
      throw Error(ErrorKind::input,
                  fmt::format("[optimiser] the checkpoint's optimiser has a direction of "
                              "{} numbers for {} parameters; the file is damaged or from "
                              "another version",
                              length, parameters));
    }
    const auto part = next(numbers, static_cast<std::size_t>(length));
    v->assign(part.begin(), part.end());
  }
  return d;
}

}  // namespace

std::vector<double> Optimiser::state() const {
  std::vector<double> numbers = {state_version,
                                 static_cast<double>(trial_.size()),
                                 shift_,
                                 radius_,
                                 last_norm_,
                                 started_ ? 1.0 : 0.0,
                                 pending_ ? 1.0 : 0.0,
                                 averaging_ ? 1.0 : 0.0,
                                 average_accepted_ ? 1.0 : 0.0,
                                 static_cast<double>(reverted_in_a_row_),
                                 trial_merit_,
                                 refreshing_ ? 1.0 : 0.0,
                                 refreshed_ ? 1.0 : 0.0};
  numbers.insert(numbers.end(), trial_.begin(), trial_.end());
  for (const Point* point : {&base_, &best_}) {
    numbers.insert(numbers.end(), point->parameters.begin(), point->parameters.end());
    append(numbers, point->figures);
    append(numbers, point->moments);
    append(numbers, point->direction);
    numbers.push_back(static_cast<double>(point->updates));
  }
  numbers.insert(numbers.end(),
                 {static_cast<double>(flat_.size()), flat_merit_, flat_error2_});
  for (const auto& point : flat_) {
    numbers.insert(numbers.end(), point.begin(), point.end());
  }
  return numbers;
}

void Optimiser::restore(std::span<const double> numbers) {
  const std::size_t p = trial_.size();
  const auto head = next(numbers, head_length);
  if (head[0] != state_version || head[1] != static_cast<double>(p)) {
    throw Error(
        ErrorKind::input,
        fmt::format("[optimiser] the checkpoint's optimiser has version {} and {} "
                    "parameters, expected {} and {}; it belongs to another run or "
                    "another version",
                    head[0], head[1], state_version, p));
  }
  const auto list = [&](std::size_t count) {
    const auto part = next(numbers, count);
    return std::vector<double>(part.begin(), part.end());
  };
  Optimiser read = *this;  // left alone when the numbers turn out not to fit
  read.shift_ = head[2];
  read.radius_ = head[3];
  read.last_norm_ = head[4];
  read.started_ = head[5] == 1.0;
  read.pending_ = head[6] == 1.0;
  read.averaging_ = head[7] == 1.0;
  read.average_accepted_ = head[8] == 1.0;
  read.reverted_in_a_row_ = static_cast<std::int64_t>(head[9]);
  read.trial_merit_ = head[10];
  read.refreshing_ = head[11] == 1.0;
  read.refreshed_ = head[12] == 1.0;
  read.trial_ = list(p);
  for (Point* point : {&read.base_, &read.best_}) {
    point->parameters = list(p);
    const auto f = next(numbers, 6);
    point->figures = {f[0],
                      f[1],
                      f[2],
                      f[3],
                      static_cast<std::int64_t>(f[4]),
                      static_cast<std::int64_t>(f[5])};
    point->moments = take_moments(numbers);
    point->direction = take_direction(numbers, p);
    point->updates = static_cast<std::int64_t>(next(numbers, 1)[0]);
  }
  const auto flat = next(numbers, 3);
  read.flat_.clear();
  read.flat_merit_ = flat[1];
  read.flat_error2_ = flat[2];
  const double left = static_cast<double>(numbers.size());
  if (!(flat[0] >= 0.0) || flat[0] * static_cast<double>(p) != left) {
    throw Error(
        ErrorKind::input,
        fmt::format("[optimiser] the checkpoint's optimiser ends with {} numbers, "
                    "expected {} points of {} parameters; the file is damaged or "
                    "from another version",
                    left, flat[0], p));
  }
  // Without parameters the points are empty and only their count is left to believe.
  const auto points = static_cast<std::size_t>(flat[0]);
  if (points <= 1000000) {
    for (std::size_t i = 0; i < points; ++i) read.flat_.push_back(list(p));
  }
  *this = std::move(read);
}

}  // namespace drover
