// Counting collectives and holding them to a budget.
#include "drover/mesh/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "drover/core/error.hpp"

namespace drover {
namespace {

thread_local int current_loop_depth = 0;

std::string quoted_list(const std::vector<std::string>& labels) {
  constexpr std::size_t shown = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(labels.size(), shown); ++i) {
    list += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", labels[i]);
  }
  if (labels.size() > shown) list += fmt::format(" and {} more", labels.size() - shown);
  return list;
}

bool matches(const PlannedCollective& planned, const Collective& executed) {
  return planned.kind == executed.kind && planned.label == executed.label &&
         (planned.bytes < 0 || planned.bytes == executed.bytes);
}

std::string line(const PlannedCollective& planned) {
  return fmt::format("{} x {} \"{}\"{}", planned.count, name_of(planned.kind),
                     planned.label,
                     planned.bytes < 0 ? "" : fmt::format(" of {} bytes", planned.bytes));
}

}  // namespace

std::string_view name_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return "all-reduce";
    case CollectiveKind::reduce_scatter:
      return "reduce-scatter";
    case CollectiveKind::all_gather:
      return "all-gather";
    case CollectiveKind::gather:
      return "gather";
    case CollectiveKind::broadcast:
      return "broadcast";
    case CollectiveKind::barrier:
      return "barrier";
    case CollectiveKind::agree:
      return "agree";
  }
  return "collective";
}

std::int64_t Plan::count() const {
  std::int64_t total = 0;
  for (const PlannedCollective& planned : collectives) total += planned.count;
  return total;
}

std::int64_t Plan::bytes() const {
  std::int64_t total = 0;
  for (const PlannedCollective& planned : collectives) {
    if (planned.bytes > 0) total += planned.count * planned.bytes;
  }
  return total;
}

std::string Plan::describe() const {
  if (collectives.empty()) return "no collective";
  std::string text;
  for (const PlannedCollective& planned : collectives) {
    text += (text.empty() ? "" : "\n") + line(planned);
  }
  return text;
}

LoopScope::LoopScope() {
  ++current_loop_depth;
}
LoopScope::~LoopScope() {
  --current_loop_depth;
}
int loop_depth() {
  return current_loop_depth;
}

void Ledger::record(Collective collective) {
  const std::lock_guard<std::mutex> lock(mutex_);
  collective.loop_depth = current_loop_depth;
  collective.step = step_;
  for (BudgetScope* budget : budgets_) budget->charge(collective);
  Total& total = totals_[{collective.kind, collective.label}];
  total.count += 1;
  total.bytes += collective.bytes;
  entries_.push_back(std::move(collective));
  while (entries_.size() > kept_) {
    dropped_through_ = std::max(dropped_through_, entries_.front().step);
    entries_.pop_front();
  }
}

void Ledger::begin_step(std::int64_t step) {
  const std::lock_guard<std::mutex> lock(mutex_);
  step_ = step;
}

std::int64_t Ledger::step() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return step_;
}

std::int64_t Ledger::count() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::int64_t count = 0;
  for (const auto& [key, total] : totals_) count += total.count;
  return count;
}

std::int64_t Ledger::count(std::string_view label) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::int64_t count = 0;
  for (const auto& [key, total] : totals_) {
    if (key.second == label) count += total.count;
  }
  return count;
}

std::int64_t Ledger::count(CollectiveKind kind) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::int64_t count = 0;
  for (const auto& [key, total] : totals_) {
    if (key.first == kind) count += total.count;
  }
  return count;
}

std::int64_t Ledger::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::int64_t bytes = 0;
  for (const auto& [key, total] : totals_) bytes += total.bytes;
  return bytes;
}

std::vector<Collective> Ledger::recent() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {entries_.begin(), entries_.end()};
}

std::vector<Collective> Ledger::of_step(std::int64_t step) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (step <= dropped_through_) {
    throw Error(
        ErrorKind::logic,
        fmt::format("[ledger] entries of step {} are no longer kept: the newest {} "
                    "collectives are; ask sooner or make the ledger longer",
                    step, kept_));
  }
  std::vector<Collective> found;
  std::copy_if(entries_.begin(), entries_.end(), std::back_inserter(found),
               [&](const Collective& c) { return c.step == step; });
  return found;
}

void Ledger::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.clear();
  totals_.clear();
  dropped_through_ = -1;
}

void Ledger::open(BudgetScope* budget) {
  const std::lock_guard<std::mutex> lock(mutex_);
  budgets_.push_back(budget);
}

void Ledger::close(BudgetScope* budget) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase(budgets_, budget);
}

BudgetScope::BudgetScope(Ledger& ledger, std::int64_t collectives, Surplus surplus)
    : ledger_(ledger), by_plan_(false), allowed_(collectives), policy_(surplus) {
  ledger_.open(this);
}

BudgetScope::BudgetScope(Ledger& ledger, Plan plan, Surplus surplus)
    : ledger_(ledger),
      by_plan_(true),
      left_(std::move(plan)),
      allowed_(left_.count()),
      policy_(surplus) {
  ledger_.open(this);
}

BudgetScope::~BudgetScope() {
  ledger_.close(this);
}

std::int64_t BudgetScope::executed() const {
  const std::lock_guard<std::mutex> lock(ledger_.mutex_);
  return executed_;
}

std::vector<std::string> BudgetScope::surplus() const {
  const std::lock_guard<std::mutex> lock(ledger_.mutex_);
  return surplus_;
}

void BudgetScope::charge(const Collective& collective) {
  bool declared = executed_ < allowed_;
  if (by_plan_) {
    const auto planned = std::find_if(left_.collectives.begin(), left_.collectives.end(),
                                      [&](const PlannedCollective& p) {
                                        return p.count > 0 && matches(p, collective);
                                      });
    declared = planned != left_.collectives.end();
    if (declared) --planned->count;
  }
  if (!declared) {
    surplus_.push_back(collective.label);
    if (policy_ == Surplus::raise) {
      throw Error(
          ErrorKind::logic,
          fmt::format(
              "[budget] {} collectives were declared and {} executed; one more, {} "
              "of {} bytes{}, would be surplus; surplus so far: {}. {}",
              allowed_, executed_, name_of(collective.kind), collective.bytes,
              collective.loop_depth > 0
                  ? fmt::format(" at loop depth {}", collective.loop_depth)
                  : "",
              quoted_list(surplus_),
              collective.loop_depth > 0
                  ? "Let the loop carry the Unreduced (map_sum_into) and reduce it "
                    "once after the loop"
                  : "Pack what is reduced into one partial, or declare it"));
    }
  }
  ++executed_;
}

void check_step(const Ledger& ledger, std::int64_t step, const Plan& plan, int devices) {
  Plan missing;
  if (devices > 1) missing = plan;
  std::vector<std::string> surplus;
  for (const Collective& executed : ledger.of_step(step)) {
    const auto planned = std::find_if(
        missing.collectives.begin(), missing.collectives.end(),
        [&](const PlannedCollective& p) { return p.count > 0 && matches(p, executed); });
    if (planned != missing.collectives.end()) {
      --planned->count;
    } else {
      surplus.push_back(fmt::format("{} \"{}\" of {} bytes", name_of(executed.kind),
                                    executed.label, executed.bytes));
    }
  }
  std::erase_if(missing.collectives, [](const auto& p) { return p.count <= 0; });
  if (missing.collectives.empty() && surplus.empty()) return;
  throw Error(
      ErrorKind::logic,
      fmt::format("[ledger] step {} did not communicate what its plan says: missing "
                  "{}; surplus: {}. Correct the step or the plan",
                  step, missing.describe(),
                  surplus.empty() ? "none" : quoted_list(surplus)));
}

}  // namespace drover
