// What is said before a run: requests that the machine serves badly or not at all.
#include "drover/app/cautions.hpp"

#include <gtest/gtest.h>

#include "tests/app/program.hpp"

namespace drover::app {
namespace {

RunHeader header(std::int64_t walkers, std::int64_t devices, std::int64_t ranks = 1) {
  RunHeader h;
  h.walkers = walkers;
  h.tiles = (walkers + 63) / 64;
  h.devices = devices;
  h.ranks = ranks;
  h.electrons = 2;
  return h;
}

TEST(Cautions, AreNoneForAnOrdinaryRun) {
  EXPECT_EQ(cautions(header(4096, 8), Settings{}, Molecule{}),
            std::vector<std::string>{});
  EXPECT_EQ(cautions(header(4096, 16, 2), Settings{}, Molecule{}),
            std::vector<std::string>{});
}

TEST(Cautions, NameMoreDevicesThanCoresAndDevicesWithoutWalkers) {
  RunHeader h = header(3, 5);
  h.crowding = {"5 devices share 2 cores: no faster than as many devices as cores"};
  const auto texts = cautions(h, Settings{}, Molecule{});
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts[0], h.crowding[0]);
  EXPECT_TRUE(has(texts[1], "4 of 5 devices have no walkers: 3 walkers make one tile"));
  EXPECT_TRUE(has(texts[2], "3 walkers in a tile of 64"));
}

TEST(Cautions, NameOrbitalsWithoutACusp) {
  Settings settings;
  RunHeader h = header(4096, 2);
  h.electrons = 1;
  const auto with = [&](const std::vector<std::string>& terms) {
    settings.jastrow.terms.clear();
    for (const std::string& name : terms)
      settings.jastrow.terms.push_back(term_named(name));
    return cautions(h, settings, Molecule{});
  };
  for (const std::vector<std::string>& terms :
       {std::vector<std::string>{}, {"boys-handy"}, {"pytc-dtn", "neural-en"}}) {
    const auto texts = with(terms);
    ASSERT_EQ(texts.size(), 1u);
    EXPECT_TRUE(has(texts[0], "no cusp at the nuclei"));
  }
  // dtn's chi has the cusp, where there is a chi
  EXPECT_TRUE(with({"dtn"}).empty());
  settings.jastrow.terms[0].numbers["chi_order"] = 0;
  EXPECT_EQ(cautions(h, settings, Molecule{}).size(), 1u);
}

TEST(Cautions, NameAJastrowFunctionWithoutTheElectronElectronCusp) {
  Settings settings;
  const auto with = [&](const std::vector<std::string>& terms) {
    settings.jastrow.terms.clear();
    for (const std::string& name : terms)
      settings.jastrow.terms.push_back(term_named(name));
    return cautions(header(4096, 2), settings, Molecule{});
  };
  auto texts = with({"nuclear-cusp", "neural-en"});
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_TRUE(has(texts[0], "the cusp where two electrons meet")) << texts[0];
  for (const char* carrier : {"boys-handy", "pade", "rexp", "polynomial", "dtn",
                              "pytc-dtn", "neural-ee", "neural-een"})
    EXPECT_TRUE(with({"nuclear-cusp", carrier}).empty()) << carrier;
  EXPECT_EQ(with({}).size(), 2u);
  settings.jastrow.cusp = "pytc";  // its networks have none
  EXPECT_EQ(with({"nuclear-cusp", "neural-ee"}).size(), 1u);
  EXPECT_TRUE(with({"nuclear-cusp", "rexp"}).empty());
}

TEST(Cautions, NameOrbitalsThatAreHardlyOrthonormal) {
  Molecule molecule;
  molecule.proof.worst_overlap_deviation = 4.1e-5;  // a digit changed in a Molden file
  const auto texts = cautions(header(4096, 2), Settings{}, molecule);
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_TRUE(has(texts[0], "orthonormal only to 4.1e-05"));
}

TEST(Memory, IsRefusedWhereTheMachineHasLess) {
  RunHeader h = header(std::int64_t{1} << 30, 2);
  h.memory_bytes = 40'000'000'000;  // on each of the two devices
  EXPECT_EQ(peak_memory(h, true), 4 * 80e9);
  EXPECT_EQ(error_of([&] { refuse_too_large(h, true, 320'000'000'000); }), "no error");
  const std::string error = error_of([&] { refuse_too_large(h, true, 319'999'999'999); });
  EXPECT_TRUE(has(error, "1073741824 walkers of 2 electrons need 320.0 GB")) << error;
  h.ranks = 2;  // a rank above 0 has its own walkers alone
  EXPECT_EQ(peak_memory(h, false), 40e9);
  EXPECT_GT(usable_memory(), 1 << 20);
}

TEST_F(Commands, CautionsAreInTheTableTheLogAndTheResult) {
  const Outcome o =
      drover(fake, {"run", "water.toml", "--json", "--set", "jastrow.terms=[]"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "no cusp at the nuclei"));
  EXPECT_TRUE(has(o.err, "no cusp at the nuclei"));
  EXPECT_TRUE(has(content("water-1/log.txt"), "no cusp at the nuclei"));
}

TEST_F(Commands, ARunThatIsTooLargeIsRefusedAndLeavesNoFolder) {
  Engine engine = fake.engine();
  engine.plan = [&](const Settings& settings, const Molecule&) {
    RunHeader h = fake.header(settings);
    h.memory_bytes = std::int64_t{1} << 60;
    return h;
  };
  for (const char* command : {"run", "check"}) {
    const Captured file;
    Output output(file.descriptor());
    EXPECT_EQ(run_program({command, "water.toml", "--set", "sampling.walkers=4294967296"},
                          engine, output, output),
              2);
    EXPECT_TRUE(has(file.text(), "sampling.walkers: 4294967296 walkers")) << file.text();
  }
  EXPECT_EQ(fake.runs, 0);
  EXPECT_FALSE(std::filesystem::exists("water-1"));
}

}  // namespace
}  // namespace drover::app
