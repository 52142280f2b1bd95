// The same bits for any number of devices, any microbatch, and across a stop and a
// restart.
#include <gtest/gtest.h>

#include "run_fixture.hpp"

namespace drover::testing {
namespace {

TEST(SameBits, any_number_of_devices_gives_the_same_run) {
  const Molecule water = molecule_of("H2O_sto-3g.molden");
  const Settings settings = small_settings();
  const std::string one = bits_of(run_on(1, water, settings));
  for (const int devices : {2, 3, 4, 7})
    EXPECT_EQ(bits_of(run_on(devices, water, settings)), one);
}

TEST(SameBits, any_microbatch_gives_the_same_run) {
  const Molecule lih = molecule_of("LiH_3.015_cc-pvdz.molden");
  Settings settings = small_settings();
  const std::string automatic = bits_of(run_on(2, lih, settings));
  for (const std::int64_t microbatch : {64, 192, 1}) {
    settings.run.microbatch = microbatch;
    EXPECT_EQ(bits_of(run_on(2, lih, settings)), automatic) << microbatch;
  }
}

// Stops after `steps` polls, which come between steps.
struct Stopped {
  Checkpoint state;
  bool stopped = false;
};
Stopped stop_after(int steps, int devices, const Molecule& molecule,
                   const Settings& settings, std::optional<Checkpoint> restart = {}) {
  Stopped out;
  RunControl control;
  int polls = 0;
  control.stop_requested = [&] { return ++polls > steps; };
  control.save = [&](const Checkpoint& c) { out.state = c; };
  control.restart = std::move(restart);
  try {
    run_on(devices, molecule, settings, control);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::stopped) << e.what();
    out.stopped = true;
  }
  return out;
}

TEST(SameBits, a_run_stopped_anywhere_and_resumed_on_other_devices_is_the_straight_run) {
  const Molecule water = molecule_of("H2O_sto-3g.molden");
  const Settings settings = small_settings();
  const std::string straight = bits_of(run_on(1, water, settings));
  // In every stage: equilibration, reference, energy, the last equilibration, measuring.
  for (const int steps : {5, 21, 30, 46, 60, 71}) {
    const Stopped first = stop_after(steps, 4, water, settings);
    ASSERT_TRUE(first.stopped) << steps;
    RunControl control;
    control.restart = first.state;
    EXPECT_EQ(bits_of(run_on(3, water, settings, control)), straight) << steps;
  }
}

TEST(SameBits, a_run_stopped_many_times_is_the_straight_run) {
  const Molecule lih = molecule_of("LiH_3.015_cc-pvdz.molden");
  const Settings settings = small_settings();
  const std::string straight = bits_of(run_on(2, lih, settings));
  std::optional<Checkpoint> state;
  for (int part = 0; part < 100; ++part) {
    const Stopped next = stop_after(7, 1 + part % 3, lih, settings, state);
    if (!next.stopped) break;
    state = next.state;
  }
  RunControl control;
  control.restart = state;
  EXPECT_EQ(bits_of(run_on(2, lih, settings, control)), straight);
}

TEST(SameBits, another_seed_is_another_run) {
  const Molecule water = molecule_of("H2O_sto-3g.molden");
  Settings settings = small_settings();
  const std::string first = bits_of(run_on(1, water, settings));
  settings.run.seed = 8;
  EXPECT_NE(bits_of(run_on(1, water, settings)), first);
}

TEST(Restart, a_checkpoint_of_another_run_is_refused) {
  const Molecule water = molecule_of("H2O_sto-3g.molden");
  Settings settings = small_settings();
  const Stopped first = stop_after(5, 1, water, settings);
  RunControl control;
  control.restart = first.state;
  settings.run.seed = 8;
  try {
    run_on(1, water, settings, control);
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_NE(std::string(e.what()).find("belongs to another run"), std::string::npos);
  }
}

TEST(StartFrom, walkers_and_parameters_of_another_run_are_taken) {
  const Molecule water = molecule_of("H2O_sto-3g.molden");
  Settings settings = small_settings();
  const RunRecord first = run_on(2, water, settings);
  settings.optimise.steps = 0;
  RunControl control;
  control.start = first.final_state;
  const RunRecord second = run_on(1, water, settings, control);
  EXPECT_EQ(second.result.parameters, first.result.parameters);
  EXPECT_NE(second.result.state_digest, first.result.state_digest);

  control.start = first.final_state;
  settings.sampling.walkers = 128;
  try {
    run_on(1, water, settings, control);
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("sampling.walkers"), std::string::npos)
        << e.what();
  }
}

TEST(Failure, moves_that_are_never_accepted_stop_the_run_with_words) {
  const Molecule water = molecule_of("H2O_sto-3g.molden");
  Settings settings = small_settings();
  settings.sampling.step_size = 1e6;
  settings.sampling.equilibration = 0;
  try {
    run_on(1, water, settings);
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::numerical);
    EXPECT_NE(std::string(e.what()).find("accepted"), std::string::npos) << e.what();
  }
}

TEST(Measure, max_steps_is_the_largest_number_of_steps) {
  const Molecule helium = molecule_of("He_sto-3g.molden");
  Settings settings = small_settings();
  settings.optimise.steps = 0;
  settings.measure.steps = 0;
  settings.measure.target_error = 1e-9;
  for (const std::int64_t most : {1, 100}) {
    settings.measure.max_steps = most;
    const RunResult r = run_on(1, helium, settings).result;
    EXPECT_EQ(r.steps, most);
    ASSERT_FALSE(r.warnings.empty());
    EXPECT_NE(r.warnings.back().find("max_steps"), std::string::npos);
  }
}

TEST(Measure, one_walker_reaches_its_target_by_blocking) {
  const Molecule helium = molecule_of("He_sto-3g.molden");
  Settings settings = small_settings();
  settings.optimise.steps = 0;
  settings.sampling.walkers = 1;
  settings.measure.steps = 0;
  settings.measure.target_error = 0.1;
  const RunResult r = run_on(2, helium, settings).result;
  EXPECT_LE(r.error, 0.1);
  EXPECT_GT(r.error, 0.0);
  EXPECT_LT(r.steps, 20000);
}

}  // namespace
}  // namespace drover::testing
