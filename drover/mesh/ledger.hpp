// The ledger of collectives: what was communicated, and a budget that holds a step to its
// plan.
//
// A collective is an operation that combines data of all devices of a mesh: between D > 1
// devices it is one, in one process or many; with D = 1 there is none. Executions are
// counted, not places in the source. The newest entries are kept, totals are kept of all,
// so memory does not grow with the number of steps.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace drover {

enum class CollectiveKind {
  all_reduce,
  reduce_scatter,
  all_gather,
  gather,
  broadcast,
  barrier,
  agree
};
std::string_view name_of(CollectiveKind kind);

struct Collective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::string label;
  std::int64_t bytes = 0;  // of the packed buffer that each rank hands to the collective
  std::int64_t numbers = 0;  // values that it carries (a sum takes several words)
  int participants = 1;      // devices
  int loop_depth = 0;        // of LoopScopes on the calling thread
  std::int64_t step = 0;
};

// What one step will communicate, said before it runs.
struct PlannedCollective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::string label;
  std::int64_t count = 1;
  std::int64_t bytes = -1;  // of each; -1: not stated
};

struct Plan {
  std::vector<PlannedCollective> collectives;

  std::int64_t count() const;
  std::int64_t bytes() const;    // of those that state them
  std::string describe() const;  // a line per collective, for people
};

// Says that the code between here and the end of the block repeats. Counted per thread.
class LoopScope {
 public:
  LoopScope();
  ~LoopScope();
  LoopScope(const LoopScope&) = delete;
  LoopScope& operator=(const LoopScope&) = delete;
};
int loop_depth();

class BudgetScope;

class Ledger {
 public:
  // Entries of the newest `kept` collectives are kept in full.
  explicit Ledger(std::size_t kept = 4096) : kept_(kept) {}
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Called before the collective communicates; fills loop depth and step. Errors: logic,
  // when a budget on this ledger has no room for it.
  void record(Collective collective);

  void begin_step(std::int64_t step);
  std::int64_t step() const;

  std::int64_t count() const;
  std::int64_t count(std::string_view label) const;
  std::int64_t count(CollectiveKind kind) const;
  std::int64_t bytes() const;
  std::vector<Collective> recent() const;  // oldest first
  // Errors: logic, when entries of that step are no longer kept.
  std::vector<Collective> of_step(std::int64_t step) const;
  void clear();

 private:
  friend class BudgetScope;
  struct Total {
    std::int64_t count = 0;
    std::int64_t bytes = 0;
  };
  void open(BudgetScope* budget);
  void close(BudgetScope* budget);

  mutable std::mutex mutex_;
  std::size_t kept_;
  std::deque<Collective> entries_;
  std::map<std::pair<CollectiveKind, std::string>, Total, std::less<>> totals_;
  std::vector<BudgetScope*> budgets_;
  std::int64_t step_ = 0;
  std::int64_t dropped_through_ = -1;  // newest step with an entry that is not kept
};

// What a budget does with a collective that was not declared.
enum class Surplus { raise, count };

// Holds the collectives of a block to what was declared: their number, or a plan (kind,
// label and number). A surplus one throws Error (logic) before it communicates, with the
// labels of all surplus ones; or is only counted.
class BudgetScope {
 public:
  BudgetScope(Ledger& ledger, std::int64_t collectives, Surplus surplus = Surplus::raise);
  BudgetScope(Ledger& ledger, Plan plan, Surplus surplus = Surplus::raise);
  ~BudgetScope();
  BudgetScope(const BudgetScope&) = delete;
  BudgetScope& operator=(const BudgetScope&) = delete;

  std::int64_t executed() const;
  std::vector<std::string> surplus() const;  // labels, in order of execution

 private:
  friend class Ledger;
  void charge(const Collective& collective);

  Ledger& ledger_;
  bool by_plan_;
  Plan left_;
  std::int64_t allowed_;
  Surplus policy_;
  std::int64_t executed_ = 0;
  std::vector<std::string> surplus_;
};

// Compares what a step executed with its plan, for a mesh of `devices`: kind, label,
// number and, where stated, bytes. Errors: logic, with what is missing and what is
// surplus.
void check_step(const Ledger& ledger, std::int64_t step, const Plan& plan, int devices);

}  // namespace drover
