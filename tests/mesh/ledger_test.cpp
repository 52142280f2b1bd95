// What the ledger remembers and what a budget refuses.
#include "drover/mesh/ledger.hpp"

#include <gtest/gtest.h>

#include "drover/core/error.hpp"
#include "drover/mesh/map.hpp"

namespace drover {
namespace {

Collective collective(std::string label, std::int64_t bytes = 8) {
  Collective c;
  c.label = std::move(label);
  c.bytes = bytes;
  c.participants = 2;
  return c;
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Ledger, counts_executions_by_label_kind_step_and_loop_depth) {
  Ledger ledger;
  ledger.begin_step(3);
  ledger.record(collective("energy"));
  for (int i = 0; i < 4; ++i) {
    const LoopScope outer;
    const LoopScope inner;
    ledger.record(collective("inside", 100));
  }
  EXPECT_EQ(ledger.count(), 5);
  EXPECT_EQ(ledger.count("inside"), 4);
  EXPECT_EQ(ledger.count(CollectiveKind::all_reduce), 5);
  EXPECT_EQ(ledger.count(CollectiveKind::gather), 0);
  EXPECT_EQ(ledger.bytes(), 408);
  EXPECT_EQ(ledger.of_step(3).size(), 5u);
  EXPECT_EQ(ledger.of_step(2).size(), 0u);
  EXPECT_EQ(ledger.recent().front().loop_depth, 0);
  EXPECT_EQ(ledger.recent().back().loop_depth, 2);
  EXPECT_EQ(loop_depth(), 0);
}

TEST(Ledger, keeps_totals_of_all_and_entries_of_the_newest) {
  Ledger ledger(10);
  for (int step = 0; step < 100; ++step) {
    ledger.begin_step(step);
    ledger.record(collective("step"));
  }
  EXPECT_EQ(ledger.count(), 100);
  EXPECT_EQ(ledger.recent().size(), 10u);
  EXPECT_EQ(ledger.of_step(99).size(), 1u);
  EXPECT_NE(error_of([&] { ledger.of_step(5); }).find("no longer kept"),
            std::string::npos);
}

TEST(Budget, names_every_surplus_collective_and_stops_it_before_it_communicates) {
  Ledger ledger;
  const BudgetScope budget(ledger, 1);
  ledger.record(collective("declared"));
  const std::string text = error_of([&] { ledger.record(collective("surplus")); });
  EXPECT_EQ(text.find("[budget] 1 collectives were declared"), 0u) << text;
  EXPECT_NE(text.find("\"surplus\""), std::string::npos);
  EXPECT_EQ(text.find("\"declared\""), std::string::npos);
  EXPECT_EQ(ledger.count(), 1) << "the refused one was not executed";
}

TEST(Budget, can_count_only_and_ends_with_its_block) {
  Ledger ledger;
  {
    const BudgetScope budget(ledger, 0, Surplus::count);
    ledger.record(collective("a"));
    ledger.record(collective("b"));
    EXPECT_EQ(budget.executed(), 2);
    EXPECT_EQ(budget.surplus(), (std::vector<std::string>{"a", "b"}));
  }
  ledger.record(collective("c"));
}

TEST(Budget, by_plan_wants_kind_and_label) {
  Ledger ledger;
  const Plan plan{{{CollectiveKind::all_reduce, "step", 2}}};
  const BudgetScope budget(ledger, plan);
  ledger.record(collective("step"));
  EXPECT_NE(error_of([&] { ledger.record(collective("other")); }), "");
  ledger.record(collective("step"));
  EXPECT_NE(error_of([&] { ledger.record(collective("step")); }), "");
}

TEST(Plan, is_compared_with_what_a_step_executed) {
  const auto scope = use_mesh(Mesh::cpu(2));
  const Mesh mesh = current_mesh();
  const Plan plan{{{CollectiveKind::all_reduce, "moments", 1,
                    message_bytes(Accumulator<double>(0.0))},
                   {CollectiveKind::gather, "walkers", 1}}};
  EXPECT_EQ(plan.count(), 2);
  EXPECT_EQ(plan.describe(),
            "1 x all-reduce \"moments\" of 48 bytes\n1 x gather \"walkers\"");
  mesh.ledger().begin_step(1);
  reduce(to_unreduced(replicate(1.0)), "moments");
  const std::string missing = error_of([&] { check_step(mesh.ledger(), 1, plan, 2); });
  EXPECT_NE(missing.find("missing 1 x gather \"walkers\""), std::string::npos) << missing;
  gather(shard(std::vector<double>(4)), "walkers");
  check_step(mesh.ledger(), 1, plan, 2);
  reduce(to_unreduced(replicate(1.0)), "again");
  const std::string surplus = error_of([&] { check_step(mesh.ledger(), 1, plan, 2); });
  EXPECT_NE(surplus.find("again"), std::string::npos) << surplus;
}

TEST(Plan, of_one_device_is_to_communicate_nothing) {
  const auto scope = use_mesh(Mesh::cpu(1));
  const Mesh mesh = current_mesh();
  mesh.ledger().begin_step(1);
  reduce(to_unreduced(replicate(1.0)), "moments");
  check_step(mesh.ledger(), 1, {{{CollectiveKind::all_reduce, "moments", 1}}}, 1);
  EXPECT_EQ(mesh.ledger().count(), 0);
}

}  // namespace
}  // namespace drover
