// Determinants other than the file's own.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/chem/support.hpp"

namespace drover {
namespace {

const std::string water = "molden/H2O_cc-pvdz.molden";

Molecule read(const std::string& file, std::vector<std::string> excite,
              std::optional<int> charge = {}) {
  return read_wavefunction(data_path(file), {charge, std::move(excite)});
}

std::vector<double> orbital(const std::vector<double>& all, std::size_t index,
                            int functions) {
  const auto n = static_cast<std::ptrdiff_t>(functions);
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(index) * n;
  return {first, first + n};
}

TEST(Excitations, replace_one_orbital_of_one_spin) {
  const Molecule ground = read(water, {});
  const Molecule excited = read(water, {"up 5 -> 7"});
  EXPECT_EQ(excited.up, 5);
  EXPECT_EQ(excited.down, 5);
  EXPECT_FALSE(excited.restricted);
  EXPECT_EQ(excited.orbitals_down, ground.orbitals_down);
  const int n = ground.basis.functions;
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_EQ(orbital(excited.orbitals_up, k, n), orbital(ground.orbitals_up, k, n));
  EXPECT_NE(orbital(excited.orbitals_up, 4, n), orbital(ground.orbitals_up, 4, n));
  EXPECT_LT(excited.proof.worst_overlap_deviation, 1e-6);  // an orbital of the same set
  EXPECT_NE(std::find(excited.proof.notes.begin(), excited.proof.notes.end(),
                      "excited: up 5 -> up 7"),
            excited.proof.notes.end());
}

TEST(Excitations, there_and_back_is_the_files_determinant) {
  const Molecule ground = read(water, {});
  const Molecule back = read(water, {"down 4 -> 9", "down 9 -> 4"});
  EXPECT_EQ(back.orbitals_down, ground.orbitals_down);
  EXPECT_EQ(back.orbitals_up, ground.orbitals_up);
}

TEST(Excitations, flip_a_spin) {
  const Molecule triplet = read(water, {"down 5 -> up 6"});
  EXPECT_EQ(triplet.up, 6);
  EXPECT_EQ(triplet.down, 4);
  const Molecule turned = read("molden/H_cc-pvdz.molden", {"up 1 -> down 1"});
  EXPECT_EQ(turned.up, 0);
  EXPECT_EQ(turned.down, 1);
}

TEST(Excitations, are_understood_in_every_format) {
  for (const std::string file :
       {"pyscf/H2O_cc-pvdz/scf.chk", "pyscf/CH2_cc-pvdz_uhf/scf.chk",
        "pyscf/N_cc-pvdz_rohf/scf.chk", "pyscf/H2O_cc-pvdz/trexio.h5"}) {
    const Molecule ground = read(file, {});
    const std::string last = std::to_string(ground.up);
    const Molecule excited =
        read(file, {"up " + last + " -> " + std::to_string(ground.up + 1)});
    EXPECT_EQ(excited.up, ground.up) << file;
    EXPECT_NE(excited.orbitals_up, ground.orbitals_up) << file;
    EXPECT_FALSE(excited.proof.has_file_energy) << file;  // it was another determinant's
    EXPECT_LT(excited.proof.worst_overlap_deviation, 1e-6) << file;
  }
}

std::string refusal_of(std::vector<std::string> excite) {
  try {
    read(water, std::move(excite));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_EQ(error.where().key, "system.excite");
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return {};
}

TEST(Excitations, that_cannot_be_are_refused_with_words) {
  for (const char* nonsense : {"5 -> 6", "up 5", "up 5 -> 6 7", "left 5 -> 6", "up -> 6",
                               "up 5 -> x", "up 0 -> 6", "", "up 5 -> up"})
    EXPECT_NE(refusal_of({nonsense}).find("expected \"up 5 -> 6\""), std::string::npos)
        << nonsense;
  EXPECT_NE(refusal_of({"up 6 -> 7"})
                .find("no electron is in up 6; occupied are 1, 2, 3, 4, 5"),
            std::string::npos);
  EXPECT_NE(
      refusal_of({"up 5 -> 4"}).find("up 4 is taken or not in the file; free are 6"),
      std::string::npos);
  EXPECT_NE(refusal_of({"up 5 -> 99"}).find("up 99 is taken or not in the file"),
            std::string::npos);
  // The second of two electrons finds the place of the first taken.
  EXPECT_NE(refusal_of({"up 5 -> 6", "up 4 -> 6"}).find("up 6 is taken"),
            std::string::npos);
}

}  // namespace
}  // namespace drover
