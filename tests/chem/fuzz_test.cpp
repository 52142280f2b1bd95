// Thousands of damaged files: each is read to a consistent molecule or refused with an
// Error, never a crash, a hang or another exception. Deterministic; meant to run under
// sanitizers too.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "drover/chem/molden.hpp"
#include "drover/chem/text.hpp"
#include "tests/chem/support.hpp"

namespace drover {
namespace {

std::string mutated(std::string text, std::mt19937& random) {
  static const std::vector<std::string> pieces = {
      "nan",        "inf", "1e999",     "-1",    "0",           "99999999999", "[",
      "]",          "=",   "\n",        " ",     "D",           "[MO]\n",      "[5D]",
      "sp 3 1.0\n", "*",   "[GTO]\n",   "1 0\n", "Spin=Beta",   "\r",          "\t",
      "1.0",        "s",   "g 1 1.0\n", "i",     "[Atoms] AU\n"};
  auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  const std::size_t changes = 1 + below(4);
  for (std::size_t c = 0; c < changes && !text.empty(); ++c) {
    const std::size_t at = below(text.size());
    const std::size_t line = text.rfind('\n', at);
    const std::size_t begin = line == std::string::npos ? 0 : line + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    switch (below(8)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, 1 + below(20));
        break;
      case 2:
        text.insert(at, pieces[below(pieces.size())]);
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        if (begin < end) text.erase(begin, end - begin);
        break;
      case 5:
        if (begin < end) text.insert(at, text.substr(begin, end - begin));
        break;
      case 6:
        text[at] = static_cast<char>('0' + below(10));
        break;
      default:
        text.replace(at, 1 + below(8), pieces[below(pieces.size())]);
        break;
    }
  }
  return text;
}

void expect_consistent(const Molecule& m) {
  const auto n = static_cast<std::size_t>(m.basis.functions);
  EXPECT_GT(m.electrons(), 0);
  EXPECT_EQ(m.orbitals_up.size(), static_cast<std::size_t>(m.up) * n);
  EXPECT_EQ(m.orbitals_down.size(), static_cast<std::size_t>(m.down) * n);
  EXPECT_LE(m.proof.worst_overlap_deviation, 1e-4);
  EXPECT_TRUE(std::isfinite(m.proof.nuclear_repulsion));
  for (double c : m.orbitals_up) EXPECT_TRUE(std::isfinite(c));
}

void fuzz(const std::string& file, unsigned seed, int times) {
  const std::string original = slurp(data_path(file));
  ASSERT_FALSE(original.empty());
  std::mt19937 random(seed);
  int read = 0;
  for (int i = 0; i < times; ++i) {
    const std::string text = mutated(original, random);
    try {
      expect_consistent(import_molecule(read_molden("fuzzed", text), std::nullopt));
      ++read;
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::input) << error.what();
    } catch (const std::exception& other) {
      FAIL() << "mutation " << i << " of " << file << ": " << other.what();
    }
  }
  // Both outcomes occur, or the mutations are too mild or too wild to test anything.
  EXPECT_GT(read, 0);
  EXPECT_LT(read, times);
}

TEST(MoldenFuzz, damaged_files_of_psi4_are_read_or_refused) {
  fuzz("molden/H2_1.4_cc-pvdz.molden", 1, 2000);
  fuzz("molden/N_cc-pvdz.molden", 2, 1000);
}

TEST(MoldenFuzz, damaged_files_of_pyscf_are_read_or_refused) {
  fuzz("pyscf/H2O_6-31gs_cart/scf.molden", 3, 1000);
  fuzz("pyscf/CH2_cc-pvdz_uhf/scf.molden", 4, 500);
}

TEST(MoldenFuzz, noise_is_refused) {
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    std::string text = "[Molden Format]\n[Atoms] AU\n";
    for (int k = 0; k < 300; ++k) text += static_cast<char>(random() % 256);
    EXPECT_THROW(read_molden("noise", text), Error);
  }
}

TEST(MoldenFuzz, every_truncation_of_a_file_is_read_or_refused) {
  const std::string original = slurp(data_path("molden/H_cc-pvdz.molden"));
  for (std::size_t length = 0; length < original.size(); length += 3) {
    try {
      expect_consistent(
          import_molecule(read_molden("cut", original.substr(0, length)), std::nullopt));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
    }
  }
}

}  // namespace
}  // namespace drover
