// PySCF checkpoints and TREXIO files beyond their orbitals: energies, refusals, the text
// back end, damaged files. (tests/chem/golden_test.cpp compares the orbitals.)
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "drover/chem/basis.hpp"
#include "drover/chem/gaussian.hpp"
#include "drover/chem/read.hpp"
#include "tests/chem/support.hpp"

namespace drover {
namespace {

std::string refusal_of(const std::string& path) {
  try {
    read_wavefunction(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  ADD_FAILURE() << path << " was accepted";
  return {};
}

void expect_words(const std::string& message, const std::string& words) {
  EXPECT_NE(message.find(words), std::string::npos) << message;
}

TEST(PyscfCheckpoint, knows_the_energy_of_the_file) {
  const Molecule m = read_wavefunction(data_path("pyscf/CH2_cc-pvdz_uhf/scf.chk"));
  const auto reference = read_json(data_path("pyscf/CH2_cc-pvdz_uhf/reference.json"));
  EXPECT_TRUE(m.proof.has_file_energy);
  EXPECT_EQ(m.proof.file_energy, reference["E"].get<double>());
  EXPECT_NEAR(m.proof.nuclear_repulsion, reference["Vnn"].get<double>(), 1e-12);
  EXPECT_EQ(m.proof.format, "PySCF checkpoint");
  EXPECT_FALSE(m.restricted);
}

TEST(PyscfCheckpoint, shares_the_orbitals_of_both_spins_where_the_method_does) {
  EXPECT_TRUE(read_wavefunction(data_path("pyscf/N_cc-pvdz_rohf/scf.chk")).restricted);
  EXPECT_TRUE(read_wavefunction(data_path("pyscf/H2O_cc-pvdz/scf.chk")).restricted);
}

// O2 with symmetry=True, scf.UHF and molden.from_scf of PySCF 2.14: such orbitals stand
// in the checkpoint as a list of one matrix a spin.
TEST(PyscfCheckpoint, orbitals_of_both_spins_may_be_a_list) {
  const Molecule chk = read_wavefunction(data_path("pyscf/O2_sto-3g_symmetry/scf.chk"));
  const Molecule molden =
      read_wavefunction(data_path("pyscf/O2_sto-3g_symmetry/scf.molden"));
  EXPECT_EQ(chk.up, 9);
  EXPECT_EQ(chk.down, 7);
  EXPECT_LT(chk.proof.worst_overlap_deviation, 1e-12);
  const std::array<double, 3> point = {0.3, -0.2, 0.9};
  for (bool down : {false, true}) {
    const auto values = [&](const Molecule& m) {
      return evaluate_orbitals(m.atoms, m.basis, down ? m.orbitals_down : m.orbitals_up,
                               down ? m.down : m.up, point)
          .value;
    };
    const std::vector<double> of_chk = values(chk), of_molden = values(molden);
    ASSERT_EQ(of_chk.size(), of_molden.size());
    // PySCF writes Molden files with 14 digits.
    for (std::size_t o = 0; o < of_chk.size(); ++o)
      EXPECT_NEAR(of_chk[o], of_molden[o], 1e-12);
  }
}

TEST(PyscfCheckpoint, a_list_of_orbitals_of_other_shapes_is_refused) {
  std::string text = slurp(data_path("pyscf/O2_sto-3g_symmetry/scf.chk"));
  // The extents of a 10 x 10 array and the most that they may be, little-endian; one of
  // the first array's becomes 9.
  const std::string ten("\x0a\0\0\0\0\0\0\0", 8);
  const std::size_t at = text.find(ten + ten + ten + ten);
  ASSERT_NE(at, std::string::npos);
  text[at + 8] = '\x09';
  expect_words(refusal(text), "scf/mo_coeff has a shape that does not fit");
}

// A checkpoint with a piece of its molecule replaced in place.
std::string edited(const std::string& from, std::string to) {
  std::string text = slurp(data_path("pyscf/H2O_6-31gs_cart/scf.chk"));
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_LE(to.size(), from.size());
  to.resize(from.size(), ' ');
  return text.replace(at, from.size(), to);
}

TEST(PyscfCheckpoint, what_is_not_finite_is_refused_only_where_it_is_needed) {
  for (const char* word : {"NaN", "Infinity", "-Infinity"}) {
    const std::string name(word);
    EXPECT_EQ(accepted(edited("9.18755873355659", name)).electrons(), 10);
    EXPECT_EQ(accepted(edited("'6-31g*'", "\\\"NaN\\\"")).electrons(), 10);
    expect_words(refusal(edited("1.4713190025449525", name)),
                 "expected finite numbers in _env, found '" + name + "'");
    expect_words(refusal(edited("[0, 0, 6, 1,", "[" + name + ",")),
                 "finite numbers in _bas");
  }
}

TEST(PyscfCheckpoint, periodic_systems_are_refused) {
  expect_words(refusal(edited("\"cart\": true", "\"a\": [[9]]")),
               "the system is periodic");
}

TEST(PyscfCheckpoint, core_potentials_are_refused) {
  expect_words(refusal_of(data_path("trexio/H2O_ccecp-ccpvdz/scf.chk")),
               "effective core potentials");
}

TEST(Trexio, core_potentials_and_several_determinants_are_refused) {
  expect_words(refusal_of(data_path("trexio/H2O_ccecp-ccpvdz/trexio.h5")),
               "effective core potentials");
  expect_words(refusal_of(data_path("trexio/Be_cas2in4_cc-pvdz/trexio.h5")),
               "determinant_num = 16");
}

TEST(Hdf5Formats, a_charge_that_contradicts_the_electrons_is_refused) {
  for (const char* file : {"scf.chk", "trexio.h5"})
    EXPECT_THROW(
        read_wavefunction(data_path(std::string("pyscf/H2O_cc-pvdz/") + file), {1}),
        Error);
}

// A helium atom in TREXIO's text back end; edits replace the text of whole files.
class TextDirectory {
 public:
  explicit TextDirectory(const std::map<std::string, std::string>& edits = {})
      : path_(std::filesystem::temp_directory_path() /
              (std::to_string(getpid()) + "-helium.trexio")) {
    const double norm = primitive_norm(0, 1.5);
    char number[40];
    std::snprintf(number, sizeof number, "  %.16e\n", norm);
    std::map<std::string, std::string> files = {
        {"metadata", "metadata_unsafe_isSet 0 \n"},
        {"nucleus",
         "rank_nucleus_charge 1\ndims_nucleus_charge 0 1\n"
         "nucleus_num_isSet 1 \nnucleus_num 1 \nnucleus_charge\n"
         "  2.0000000000000000e+00\nnucleus_coord\n  1.0e-01\n  2.0e-01\n"
         "  3.0e-01\nnucleus_label\nHe\n"},
        {"electron", "electron_up_num 1 \nelectron_dn_num 1 \n"},
        {"basis",
         "basis_prim_num 2 \nbasis_shell_num 2 \nlen_basis_type 9\nbasis_type\n"
         "Gaussian\nbasis_nucleus_index\n0\n0\nbasis_shell_ang_mom\n0\n1\n"
         "basis_shell_factor\n 1.0\n 1.0\nbasis_shell_index\n0\n1\n"
         "basis_exponent\n 1.5\n 1.0\nbasis_coefficient\n 1.0\n 1.0\n"
         "basis_prim_factor\n" +
             std::string(number) + " 1.0\n"},
        {"ao", "ao_cartesian 0 \nao_num 4 \nao_shell\n1\n1\n1\n0\n"},
        {"mo",
         "mo_num 1 \nlen_mo_type 4\nmo_type\nRHF\nmo_coefficient\n 0.0\n 0.0\n 0.0\n"
         " 1.0\nmo_coefficient_im\nmo_occupation\n 2.0\nmo_energy\n"}};
    for (const auto& [name, text] : edits) files[name] = text;
    std::filesystem::create_directory(path_);
    for (const auto& [name, text] : files)
      std::ofstream(path_ / (name + ".txt"), std::ios::binary) << text;
  }
  TextDirectory(const TextDirectory&) = delete;
  TextDirectory& operator=(const TextDirectory&) = delete;
  ~TextDirectory() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(Trexio, the_text_back_end_is_read) {
  const TextDirectory directory;
  const Molecule m = read_wavefunction(directory.path());
  EXPECT_EQ(m.electrons(), 2);
  EXPECT_EQ(m.atoms[0].position[2], 0.3);
  // The file's functions stand in an order of shells of their own: p before s.
  ASSERT_EQ(m.basis.shells.size(), 2U);
  EXPECT_EQ(m.basis.shells[0].l, 1);
  EXPECT_EQ(m.orbitals_up, (std::vector<double>{0, 0, 0, 1}));
  EXPECT_LT(m.proof.worst_overlap_deviation, 1e-14);
}

TEST(Trexio, a_single_determinant_is_taken_from_its_bits) {
  const TextDirectory good(
      {{"determinant", "determinant_num 1 \n"}, {"determinant_list", "   1   1 \n"}});
  EXPECT_EQ(read_wavefunction(good.path()).electrons(), 2);
  const TextDirectory wrong(
      {{"determinant", "determinant_num 1 \n"}, {"determinant_list", "   2   1 \n"}});
  expect_words(refusal_of(wrong.path()), "determinant_list");
}

TEST(Trexio, what_does_not_fit_is_refused_by_name) {
  const std::vector<std::array<std::string, 3>> cases = {
      {"electron", "electron_up_num 2 \nelectron_dn_num 1 \n", "electron_up_num"},
      {"ao", "ao_cartesian 0 \nao_num 4 \nao_shell\n1\n1\n0\n1\n", "ao_shell"},
      {"ao", "ao_cartesian 0 \nao_num 4 \nao_shell\n1\n1\n1\n7\n", "indices below 2"},
      {"ao", "ao_cartesian 0 \n", "ao_num"},
      {"mo", "mo_num 1 \nmo_coefficient\n 0.0\n 1.0\n", "mo_coefficient"},
      {"mo", "mo_num 1 \nmo_coefficient\n 0.0\n 0.0\n 0.0\n 1.0\n", "mo_occupation"},
      {"mo", "mo_num 1 \nmo_coefficient\n 0\n 0\n 0\n 1\nmo_occupation\n 1.5\n",
       "no single determinant"},
      {"mo", "mo_num 1 \nmo_coefficient\n 0\n 0\n 0\n 2\nmo_occupation\n 2\n",
       "not orthonormal"},
      {"nucleus", "nucleus_num 1 \nnucleus_charge\n 1.5\nnucleus_coord\n 0\n 0\n 0\n",
       "nucleus_charge"},
      {"nucleus", "nucleus_num 1 \nnucleus_charge\n 3\nnucleus_coord\n 0\n 0\n 0\n",
       "--set system.charge=1"},
      {"basis", "basis_type\nSlater\n", "not of Gaussians"},
      {"pbc", "pbc_periodic 1 \n", "periodic"},
      {"ecp", "ecp_num 3 \n", "effective core potentials"},
      {"csf", "csf_num 2 \n", "several determinants"}};
  for (const auto& [file, text, words] : cases) {
    SCOPED_TRACE(file + ": " + text);
    const std::map<std::string, std::string> edit = {{file, text}};
    const TextDirectory directory(edit);
    expect_words(refusal_of(directory.path()), words);
  }
}

TEST(Hdf5Formats, every_truncated_file_is_refused) {
  for (const char* file : {"scf.chk", "trexio.h5"}) {
    const std::string whole = slurp(data_path(std::string("pyscf/H2O_cc-pvdz/") + file));
    for (std::size_t length = 1; length < whole.size(); length += 997)
      refusal(whole.substr(0, length));
  }
}

TEST(Hdf5Formats, a_damaged_heap_is_refused_before_the_library_trusts_it) {
  const std::string whole = slurp(data_path("pyscf/H2O_6-31gs_cart/scf.chk"));
  const std::size_t heap = whole.find("GCOL");
  ASSERT_NE(heap, std::string::npos);
  // Sizes of the collection and of its first object, and the object's index.
  for (std::size_t at : {heap + 8, heap + 10, heap + 24, heap + 26, heap + 16})
    for (char byte : {'\0', '\x7f', '\xff'}) {
      std::string text = whole;
      if (text[at] == byte) continue;
      text[at] = byte;
      EXPECT_NE(refusal(text).find("mol"), std::string::npos);
    }
}

TEST(Hdf5Formats, numbers_of_an_absurd_size_are_refused_before_memory_is_taken) {
  std::string text = slurp(data_path("pyscf/O2_sto-3g_symmetry/scf.chk"));
  // Datatype messages: little-endian IEEE floats of 8 bytes become ones of 4 GB.
  const std::string real("\x11\x20\x3f\0\x08\0\0\0", 8);
  int types = 0;
  for (std::size_t at = text.find(real); at != std::string::npos;
       at = text.find(real, at)) {
    text[at + 7] = '\xff';
    ++types;
  }
  EXPECT_GT(types, 0);
  expect_words(refusal(text), "numbers of at most 16 bytes, found 4278190088 bytes");
}

TEST(Hdf5Formats, characters_of_an_absurd_size_are_refused_before_memory_is_taken) {
  std::string text = slurp(data_path("pyscf/O2_sto-3g_symmetry/scf.chk"));
  // The datatype of 'mol': a string of variable length, then its character of one byte.
  const std::string type("\x19\x01\x01\0\x10\0\0\0\x10\0\0\0\x01\0\0\0", 16);
  const std::size_t at = text.find(type);
  ASSERT_NE(at, std::string::npos);
  text[at + 15] = '\x01';
  expect_words(refusal(text), "found one with characters of more than a byte");
}

TEST(Hdf5Formats, damaged_text_and_numbers_are_read_or_refused) {
  // Digits and letters of the JSON string and bytes of the numbers change in place; the
  // library's own structures stay as they are.
  const std::string whole = slurp(data_path("pyscf/H2O_6-31gs_cart/scf.chk"));
  const std::size_t begin = whole.find("{\"atom\""), end = whole.find("\"unit\"", begin);
  ASSERT_NE(end, std::string::npos);
  std::mt19937 random(6);
  for (int i = 0; i < 1000; ++i) {
    std::string text = whole;
    for (int k = 0; k < 3; ++k)
      text[begin + random() % (end - begin)] = "0123456789[]{},:-\"eE."[random() % 21];
    const TemporaryFile file(text, "test.chk");
    try {
      const Molecule m = read_wavefunction(file.path());
      EXPECT_LE(m.proof.worst_overlap_deviation, 1e-4);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
    }
  }
}

}  // namespace
}  // namespace drover
