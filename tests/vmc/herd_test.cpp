// Walkers: brought by the caller, followed one by one over devices and restarts, and many
// steps of them without growing memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "drover/mesh/collectives.hpp"
#include "drover/vmc/herd.hpp"
#include "drover/wave/molecular_model.hpp"
#include "run_fixture.hpp"
#include "tests/mesh/thread_ranks.hpp"

namespace drover::testing {
namespace {

Array<double> brought(std::int64_t walkers, std::int64_t electrons) {
  Array<double> x({walkers, electrons, 3});
  for (std::int64_t i = 0; i < x.size(); ++i) x[i] = 0.01 * double(i % 97) - 0.4;
  return x;
}

TEST(WalkersBrought, stand_where_the_caller_put_them_on_any_devices) {
  const MolecularModel model(molecule_of("H2O_sto-3g.molden"), JastrowSettings{});
  const Array<double> x = brought(200, 10);
  for (const int devices : {1, 3}) {
    const auto scope = use_mesh(Mesh::cpu(devices));
    const Sharded<Herd> herd = make_herd_at(current_mesh(), model, 200, x);
    const Array<double> rows = gather_rows(herd, 10);
    ASSERT_EQ(rows.rows(), 200);
    for (std::int64_t w = 0; w < 200; ++w) {
      for (std::int64_t k = 0; k < 30; ++k) EXPECT_EQ(rows(w, k), x[30 * w + k]);
      for (std::int64_t k = 30; k < 34; ++k) EXPECT_EQ(rows(w, k), 0.0);
    }
  }
}

TEST(WalkersBrought, begin_a_run_and_are_checked_against_its_count_and_molecule) {
  const Molecule helium = molecule_of("He_sto-3g.molden");
  Settings settings = small_settings();
  settings.optimise.steps = settings.optimise.reference_steps = 0;
  RunControl control;
  control.positions = brought(200, 2);
  const std::string one = bits_of(run_on(1, helium, settings, control));
  EXPECT_EQ(bits_of(run_on(3, helium, settings, control)), one);
  EXPECT_NE(bits_of(run_on(1, helium, settings)), one);
  const auto error_with = [&](Array<double> positions) -> std::string {
    control.positions = std::move(positions);
    try {
      run_on(1, helium, settings, control);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.what();
    }
    return "no error";
  };
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(error_with(brought(128, 2)), "array of [128][2][3]: expected [200][2][3]");
  has(error_with(brought(200, 3)), "array of [200][3][3]: expected [200][2][3]");
  auto broken = brought(200, 2);
  broken(17, 1, 2) = std::nan("");
  has(error_with(broken), "not finite: walker 17, electron 1");
}

TEST(RanksOfARun, that_were_given_different_things_are_all_refused_and_told_what) {
  const Molecule helium = molecule_of("He_sto-3g.molden");
  MolecularModel named(helium, JastrowSettings{});
  const auto parameters = named.parameters().size();
  struct Case {
    const char* what;
    std::function<void(Settings&, RunControl&)> change;  // on rank 1
  };
  const Case cases[] = {
      {"the seed", [](Settings& s, RunControl&) { s.run.seed = 8; }},
      {"the number of walkers",
       [](Settings& s, RunControl&) { s.sampling.walkers = 128; }},
      {"the parameters",
       [&](Settings&, RunControl& c) { c.parameters.assign(parameters, 0.1); }},
      {"the walkers brought",
       [](Settings&, RunControl& c) { c.positions(199, 1, 2) += 1; }},
      {"the number of parameters",
       [](Settings& s, RunControl&) { s.jastrow.terms.pop_back(); }},
  };
  for (const Case& wrong : cases) {
    on_thread_ranks(2, [&](const std::shared_ptr<Communicator>& ranks) {
      const auto scope = use_mesh(Mesh::cpu(1, ranks));
      Settings settings = small_settings();
      RunControl control;
      control.positions = brought(200, 2);
      if (ranks->rank() == 1) wrong.change(settings, control);
      if (settings.sampling.walkers != 200) control.positions = {};
      RunObserver quiet;
      try {
        run(helium, settings, quiet, control);
        ADD_FAILURE() << wrong.what << " was not compared";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_NE(std::string(error.what())
                      .find("the ranks differ in " + std::string(wrong.what) + ":"),
                  std::string::npos)
            << error.what();
      }
    });
  }
}

// The positions of one walker after each step, from checkpoints of every step. After
// `stop` steps the run is stopped; 0: never.
struct Followed {
  std::vector<std::vector<double>> steps;
  Checkpoint last;
};
Followed follow(std::int64_t walker, int devices, const Settings& settings,
                std::optional<Checkpoint> restart, std::size_t stop) {
  Followed out;
  RunControl control;
  control.restart = std::move(restart);
  control.save = [&](const Checkpoint& c) {
    const std::vector<double>& rows = c.reals("walkers");
    const auto width = Herd::row_width(2);
    const auto first = rows.begin() + walker * width;
    out.steps.emplace_back(first, first + 6);
    out.last = c;
  };
  control.stop_requested = [&] { return stop != 0 && out.steps.size() + 1 >= stop; };
  try {
    run_on(devices, molecule_of("He_sto-3g.molden"), settings, control);
    EXPECT_EQ(stop, 0u);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::stopped) << error.what();
  }
  return out;
}

TEST(Walker, moves_the_same_on_any_devices_and_across_a_restart_on_fewer) {
  Settings settings = small_settings();
  settings.sampling.walkers = 300;
  settings.optimise.steps = settings.optimise.reference_steps = 0;
  settings.measure.steps = 90;  // after 20 of equilibration
  settings.run.checkpoint_seconds = 0.0;
  const auto one = follow(17, 1, settings, {}, 0).steps;
  ASSERT_GE(one.size(), 100u);
  std::size_t moved = 0;  // a step may reject each of its four moves: one in 16 does
  for (std::size_t i = 1; i < one.size(); ++i) moved += one[i] != one[i - 1] ? 1 : 0;
  EXPECT_GT(moved, one.size() / 2);
  for (const int devices : {2, 4}) {
    EXPECT_EQ(follow(17, devices, settings, {}, 0).steps, one) << devices << " devices";
  }
  const Followed before = follow(17, 4, settings, {}, 50);
  const Followed after = follow(17, 3, settings, before.last, 0);
  auto both = before.steps;
  EXPECT_GE(both.size(), 49u);
  EXPECT_LE(both.size(), 51u);
  both.insert(both.end(), after.steps.begin(), after.steps.end());
  EXPECT_EQ(both, one);
}

std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

struct Memory : RunObserver {
  std::int64_t early = 0, late = 0;
  void measure_step(std::int64_t done, std::int64_t, double, double, double) override {
    if (done == 1000) early = resident_bytes();
    if (done == 11000) late = resident_bytes();
  }
};

TEST(Run, of_ten_thousand_steps_grows_by_its_records_alone) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer keeps memory of its own";
#endif
  Settings settings = small_settings();
  settings.sampling.walkers = 64;
  settings.sampling.sweeps = 1;
  settings.optimise.steps = settings.optimise.reference_steps = 0;
  settings.measure.steps = 11001;
  const auto scope = use_mesh(Mesh::cpu(2));
  Memory memory;
  RunControl control;
  run(molecule_of("He_sto-3g.molden"), settings, memory, control);
  ASSERT_GT(memory.early, 0);
  ASSERT_GT(memory.late, 0);
  // A run keeps a record a step. Their vector doubles, so that for a moment up to three
  // times the records are held; freed parts may stay with the process.
  const std::int64_t records = 10000 * std::int64_t(sizeof(MeasureRecord));
  EXPECT_LT(memory.late - memory.early, 3 * records + 500000);
}

}  // namespace
}  // namespace drover::testing
