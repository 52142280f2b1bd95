// Optimisations through the engine: what each method communicates, that its bits do not
// know devices, microbatches or a restart, and what stays frozen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "drover/vmc/optimise_choice.hpp"
#include "drover/wave/molecular_model.hpp"
#include "run_fixture.hpp"

namespace drover::testing {
namespace {

struct Wanted {
  const char* name;
  Objective objective;
  OptimiseMethod method;
  std::int64_t updates = 1;
};
void PrintTo(const Wanted& w, std::ostream* out) {
  *out << w.name;
}

const Wanted all_wanted[] = {
    {"linear", Objective::energy, OptimiseMethod::linear},
    {"sr", Objective::energy, OptimiseMethod::sr},
    {"sr_cg", Objective::energy, OptimiseMethod::sr_cg},
    {"min_sr", Objective::energy, OptimiseMethod::min_sr},
    {"spring", Objective::energy, OptimiseMethod::spring},
    {"adam", Objective::energy, OptimiseMethod::adam},
    {"sgd", Objective::energy, OptimiseMethod::sgd},
    {"rmsprop", Objective::energy, OptimiseMethod::rmsprop},
    {"lion", Objective::energy, OptimiseMethod::lion},
    {"variance", Objective::variance, OptimiseMethod::gauss_newton},
    {"variance_adam", Objective::variance, OptimiseMethod::adam},
    {"reference", Objective::reference_variance, OptimiseMethod::gauss_newton},
    {"reference_sgd", Objective::reference_variance, OptimiseMethod::sgd},
    {"linear_updates", Objective::energy, OptimiseMethod::linear, 3},
    {"sr_cg_updates", Objective::energy, OptimiseMethod::sr_cg, 2},
    {"reference_updates", Objective::reference_variance, OptimiseMethod::gauss_newton, 3},
};

Settings settings_of(const Wanted& wanted) {
  Settings s = small_settings();
  s.optimise.objective = wanted.objective;
  s.optimise.method = wanted.method;
  s.optimise.updates = wanted.updates;
  if (wanted.method == OptimiseMethod::sr_cg) s.optimise.cg_iterations = 3;
  s.measure.steps = 4;
  return s;
}

class Optimisation : public ::testing::TestWithParam<Wanted> {};

// Remembers the collectives of each step of the objective's stage.
class Watch : public RunObserver {
 public:
  Watch(const Ledger& ledger, Objective objective)
      : ledger_(ledger), objective_(name_of(objective)) {}
  void optimisation_step(const OptimisationRecord& r) override {
    if (r.objective == objective_) steps.push_back(ledger_.of_step(ledger_.step()));
  }
  void note(std::string_view text) override { notes.emplace_back(text); }
  std::vector<std::vector<Collective>> steps;
  std::vector<std::string> notes;

 private:
  const Ledger& ledger_;
  std::string objective_;
};

TEST_P(Optimisation, communicates_what_its_plan_says) {
  const Molecule lih = molecule_of("LiH_3.015_cc-pvdz.molden");
  const Settings settings = settings_of(GetParam());
  const Mesh mesh = Mesh::cpu(2);
  const auto scope = use_mesh(mesh);
  Watch watch(mesh.ledger(), GetParam().objective);
  RunControl control;
  MolecularModel model(lih, settings.jastrow);
  const RunResult r = run(static_cast<Model&>(model), settings, watch, control).result;
  const auto parameters = static_cast<std::int64_t>(r.parameters.size());
  const Plan plan = plan_of_step(settings.optimise, GetParam().objective, parameters,
                                 settings.sampling.walkers);
  const RunHeader header = describe_run(model, settings);
  EXPECT_GE(header.collectives_per_step, plan.count());
  EXPECT_GE(header.bytes_per_step, plan.bytes());
  ASSERT_GE(watch.steps.size(), 3u);  // the start, two steps
  std::int64_t most = 0;
  for (const auto& step : watch.steps) {
    most = std::max(most, std::ssize(step));
    // Each of them is in the plan, with its bytes, and no label oftener than planned.
    for (const PlannedCollective& planned : plan.collectives) {
      const auto count = std::count_if(step.begin(), step.end(), [&](const auto& c) {
        return c.kind == planned.kind && c.label == planned.label &&
               (planned.bytes < 0 || c.bytes == planned.bytes);
      });
      EXPECT_LE(count, planned.count) << planned.label;
    }
    EXPECT_EQ(step.front().label, labels_of(GetParam().objective).first);
  }
  // The first step is accepted, so it does all that the plan says but for updates that
  // end early.
  const bool updates = GetParam().updates > 1;
  if (!updates) {
    EXPECT_EQ(std::ssize(watch.steps.front()), plan.count());
  }
  EXPECT_LE(most, plan.count());
  if (updates) {
    EXPECT_GE(most, 2);
  }
}

TEST_P(Optimisation, has_the_same_bits_for_any_devices_microbatch_and_restart) {
  const Molecule lih = molecule_of("LiH_3.015_cc-pvdz.molden");
  Settings settings = settings_of(GetParam());
  const std::string straight = bits_of(run_on(1, lih, settings));
  EXPECT_EQ(bits_of(run_on(3, lih, settings)), straight);
  std::optional<Checkpoint> state;
  for (int part = 0; part < 100; ++part) {
    RunControl control;
    control.restart = state;
    int polls = 0;
    control.stop_requested = [&] { return ++polls > 11; };
    control.save = [&](const Checkpoint& c) { state = c; };
    settings.run.microbatch = part % 2 == 0 ? 64 : 0;
    try {
      EXPECT_EQ(bits_of(run_on(1 + part % 4, lih, settings, control)), straight);
      EXPECT_GT(part, 2);
      return;
    } catch (const Error& e) {
      ASSERT_EQ(e.kind(), ErrorKind::stopped) << e.what();
    }
  }
  FAIL() << "the run did not end";
}

INSTANTIATE_TEST_SUITE_P(Methods, Optimisation, ::testing::ValuesIn(all_wanted),
                         [](const auto& which) { return std::string(which.param.name); });

TEST(OptimisationRun, of_a_gradient_needs_less_memory_and_shorter_messages) {
  const Molecule lih = molecule_of("LiH_3.015_cc-pvdz.molden");
  const auto scope = use_mesh(Mesh::cpu(2));
  const MolecularModel model(lih, JastrowSettings{});
  const auto header_of = [&](OptimiseMethod method) {
    Settings settings = settings_of({"", Objective::energy, method});
    settings.optimise.reference_steps = 0;
    return describe_run(model, settings);
  };
  const RunHeader adam = header_of(OptimiseMethod::adam);
  const RunHeader sr = header_of(OptimiseMethod::sr);
  const RunHeader cg = header_of(OptimiseMethod::sr_cg);
  EXPECT_LT(5 * adam.bytes_per_step, sr.bytes_per_step);
  EXPECT_EQ(adam.memory_bytes, sr.memory_bytes);
  // O of each sample stays on its device: two tiles of 64, two samples each.
  EXPECT_EQ(cg.memory_bytes - adam.memory_bytes, 8 * 128 * 2 * (4 + cg.parameters));
  EXPECT_EQ(cg.collectives_per_step, 1 + 3);
  EXPECT_EQ(cg.collectives[1].rfind("overlap product: at most 3 all-reduces of ", 0), 0u);
}

TEST(OptimisationRun, keeps_the_bits_of_frozen_parameters_and_moves_the_others) {
  const Molecule lih = molecule_of("LiH_3.015_cc-pvdz.molden");
  const MolecularModel model(lih, JastrowSettings{});
  for (const OptimiseMethod method : {OptimiseMethod::linear, OptimiseMethod::sr_cg,
                                      OptimiseMethod::min_sr, OptimiseMethod::adam}) {
    Settings settings = settings_of({"", Objective::energy, method});
    settings.optimise.freeze = {"nuclear-cusp.*", "boys-handy.?_raw*"};
    const RunResult r = run_on(2, lih, settings).result;
    int frozen = 0, moved = 0;
    for (std::size_t k = 0; k < r.parameters.size(); ++k) {
      const std::string& name = r.parameter_names[k];
      const bool held =
          name.rfind("nuclear-cusp.", 0) == 0 || name.find("_raw") != std::string::npos;
      if (held) {
        EXPECT_EQ(r.parameters[k], model.parameters()[k].initial) << name;
      }
      frozen += held ? 1 : 0;
      moved += r.parameters[k] != model.parameters()[k].initial ? 1 : 0;
    }
    EXPECT_EQ(frozen, 8);  // p4(0) and rc, b and d, of each element
    EXPECT_GT(moved, 20);
  }
  Settings settings = small_settings();
  settings.optimise.freeze = {"boys-handi.*"};
  try {
    run_on(1, lih, settings);
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_NE(std::string(e.what()).find("the nearest is \"boys-handy."),
              std::string::npos)
        << e.what();
  }
}

TEST(OptimisationRun, moves_later_what_was_held_for_a_step) {
  // Ranges of Boys-Handy have no slope while their coefficients are 1e-5.
  const Molecule lih = molecule_of("LiH_3.015_cc-pvdz.molden");
  Settings settings = small_settings();
  settings.optimise.reference_steps = 8;
  const Mesh mesh = Mesh::cpu(1);
  const auto scope = use_mesh(mesh);
  Watch watch(mesh.ledger(), Objective::energy);
  RunControl control;
  const RunResult r = run(lih, settings, watch, control).result;
  const MolecularModel model(lih, settings.jastrow);
  int held = 0, moved = 0;
  for (std::size_t k = 0; k < r.parameters.size(); ++k) {
    const std::string note = "held for this step: " + r.parameter_names[k] + " ";
    const auto is_note = [&](const std::string& n) { return n.rfind(note, 0) == 0; };
    if (std::none_of(watch.notes.begin(), watch.notes.end(), is_note)) continue;
    ++held;
    if (r.parameters[k] != model.parameters()[k].initial) ++moved;
  }
  EXPECT_GT(held, 0);
  EXPECT_EQ(moved, held);
}

TEST(OptimisationRun, recovers_from_a_bad_start_or_says_why_not) {
  // All coefficients 1: the start's mean energy is off by 144 hartree.
  const Molecule lih = molecule_of("LiH_3.015_cc-pvdz.molden");
  const MolecularModel model(lih, JastrowSettings{});
  Settings settings = small_settings();
  settings.sampling.walkers = 512;
  settings.sampling.equilibration = 0;
  settings.optimise.reference_steps = 20;
  settings.optimise.samples = 4;
  settings.optimise.steps = 12;
  RunControl control;
  for (const ParameterInfo& p : model.parameters())
    control.parameters.push_back(p.name.rfind("boys-handy.c", 0) == 0 ? 1.0 : p.initial);
  const RunResult r = run_on(1, lih, settings, control).result;
  const auto& steps = r.optimisation;
  EXPECT_GT(steps.front().variance, 100.0 * r.variance_clipped);
  // Better than its Hartree-Fock energy, and each step that was not taken says why.
  EXPECT_LT(r.energy, -7.98373242);
  for (const OptimisationRecord& o : steps)
    if (!o.accepted) {
      EXPECT_EQ(o.reason.rfind("reverted: ", 0), 0u) << o.reason;
    }
}

TEST(OptimisationRun, counts_what_it_clipped_and_quotes_errors_of_an_average) {
  const Molecule lih = molecule_of("LiH_3.015_cc-pvdz.molden");
  Settings settings = settings_of({"", Objective::energy, OptimiseMethod::lion});
  settings.optimise.steps = 8;
  settings.optimise.learning_rate = 1e-4;  // within the noise: all are accepted
  settings.optimise.average = 4;
  settings.optimise.clip = 2.0;
  const RunResult r = run_on(1, lih, settings).result;
  std::int64_t clipped = 0;
  for (const OptimisationRecord& o : r.optimisation) clipped += o.clipped;
  EXPECT_GT(clipped, 0);
  ASSERT_EQ(r.optimisation.back().reason.rfind("accepted the average", 0), 0u);
  ASSERT_EQ(r.parameter_errors.size(), r.parameters.size());
  // The mean of the last four points before it, and their spread.
  const std::size_t n = r.optimisation.size() - 1;
  for (std::size_t k = 0; k < r.parameters.size(); ++k) {
    double mean = 0.0, low = 1e9, high = -1e9;
    for (std::size_t i = n - 4; i < n; ++i) {
      const double x = r.optimisation[i].parameters[k];
      mean += x / 4;
      low = std::min(low, x);
      high = std::max(high, x);
    }
    EXPECT_NEAR(r.parameters[k], mean, 1e-12);
    EXPECT_LE(r.parameter_errors[k], high - low);
    EXPECT_GE(r.parameter_errors[k], (high - low) / 8);  // s / sqrt(4), s >= range / 4
  }
}

}  // namespace
}  // namespace drover::testing
