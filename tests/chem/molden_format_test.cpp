// What the Molden reader accepts, and what it refuses with which words.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <utility>

#include "drover/chem/molden.hpp"
#include "drover/chem/text.hpp"
#include "tests/chem/support.hpp"

namespace drover {
namespace {

const std::string atoms = "[Atoms] AU\nHe 1 2 0.0 0.0 0.0\n";
const std::string basis = "[GTO]\n1 0\ns 1 1.00\n1.5 1.0\n\n";
const std::string orbital = " Sym= 1a\n Ene= -0.5\n Spin= Alpha\n Occup= 2.0\n 1 1.0\n";
const std::string helium = "[Molden Format]\n" + atoms + basis + "[MO]\n" + orbital;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void expect_helium(const std::string& text) {
  const Molecule m = accepted(text);
  EXPECT_EQ(m.up, 1);
  EXPECT_EQ(m.down, 1);
  EXPECT_TRUE(m.restricted);
  ASSERT_EQ(m.atoms.size(), 1U);
  EXPECT_EQ(m.atoms[0].symbol, "He");
  EXPECT_LT(m.proof.worst_overlap_deviation, 1e-14);
}

void expect_refusal(const std::string& text, const std::string& words) {
  const std::string message = refusal(text);
  EXPECT_NE(message.find(words), std::string::npos) << message;
}

TEST(MoldenFormat, a_plain_file_is_read) {
  expect_helium(helium);
}

TEST(MoldenFormat, sections_may_come_in_any_order_and_case) {
  expect_helium("[MOLDEN FORMAT]\n[mo]\n" + orbital + "[gto]\n1 0\nS 1\n1.5 1.0\n" +
                replaced(atoms, "[Atoms] AU", "[ATOMS] (au)"));
}

TEST(MoldenFormat, line_ends_may_be_those_of_windows_or_old_macintoshes_or_missing) {
  for (const char* end : {"\r\n", "\r"}) {
    const auto ended = [&](const std::string& text) {
      std::string out;
      for (char c : text) out += c == '\n' ? std::string(end) : std::string(1, c);
      return out;
    };
    expect_helium(ended(helium));
    expect_refusal(ended(replaced(helium, "1.5 1.0", "1.5 NaN")), ":7: bad contraction");
  }
  expect_helium(helium.substr(0, helium.size() - 1));
}

TEST(MoldenFormat, fortran_exponents_and_glued_keys_are_read) {
  std::string text = replaced(helium, "1.5 1.0", "0.15D+01 +.1d1");
  text = replaced(text, " Spin= Alpha\n Occup= 2.0", "Occup=2\nSpin=alpha");
  expect_helium(text);
}

TEST(MoldenFormat, keys_of_an_orbital_may_come_in_any_order) {
  const std::string first = " Occup= 0.0\n Spin= Alpha\n 1 0.3\n";
  const std::string second = " Spin= Alpha\n Ene= 1.0\n Sym= x=y\n Occup= 2.0\n 1 1.0\n";
  expect_helium("[Molden Format]\n" + atoms + basis + "[MO]\n" + first + second);
}

TEST(MoldenFormat, repeated_mo_headers_go_on_with_the_next_orbitals) {
  const std::string up = replaced(orbital, "2.0", "1.0");
  const std::string down = replaced(up, "Alpha", "Beta");
  const Molecule m =
      accepted("[Molden Format]\n" + atoms + basis + "[MO]\n" + up + "[MO]\n" + down);
  EXPECT_EQ(m.up, 1);
  EXPECT_EQ(m.down, 1);
}

TEST(MoldenFormat, unknown_sections_and_titles_are_passed_over) {
  expect_helium("[Molden Format]\n[Title]\n made by hand\n" + atoms + basis +
                "[FREQ]\n 100.0\n[MO]\n" + orbital + "[CHARGE]\n0.1\n");
}

TEST(MoldenFormat, a_title_may_begin_with_a_bracket) {
  for (const char* title :
       {"[Title]\n [Fe(CN)6 complex\n", "[Title]\n[NiCl4]2- opt\n", "[Title] [Fe\n",
        "[Title]\n[MO] of helium\n", "[Title]\n[GTO] or [STO] basis\n[5D] set\n",
        "[Title]\n[Cell] no. 1\n", "[Title]\n[\n]\n"}) {
    SCOPED_TRACE(title);
    expect_helium("[Molden Format]\n" + (title + atoms) + basis + "[MO]\n" + orbital);
    expect_helium("[Molden Format]\n" + (title + replaced(atoms, "AU", "(Angs) ")) +
                  "[6D] [10F]\n" + basis + "[MO]\n" + orbital);
  }
  expect_refusal("[Molden Format]\n[Title]\n" + replaced(atoms, "AU", "nm") + basis,
                 "no unit in the [Atoms] line");
}

TEST(MoldenFormat, a_section_with_its_unit_ends_a_title) {
  const std::string rest = basis + "[MO]\n" + orbital;
  const auto headed = [&](const char* header) {
    return "[Molden Format]\n" + replaced(atoms, "[Atoms] AU", header) + rest;
  };
  expect_helium(headed("[Title]\n x\n[ Atoms ] AU"));
  expect_helium(headed("[Title] [Atoms] AU"));
  expect_refusal(headed("[Title]\n x\n[Atoms] AU # c"), "found 'AU # c'");
  expect_refusal(headed("[Title]\n x\n[Cell] Angs\n9 0 0\n[Atoms] AU"),
                 "the system is periodic");
}

TEST(MoldenFormat, angstroms_are_converted) {
  const std::string text =
      "[Molden Format]\n" +
      replaced(replaced(atoms, "AU", "(Angs)"), "0.0 0.0 0.0", "0.0 0.0 1.0") + basis +
      "[MO]\n" + orbital;
  EXPECT_NEAR(accepted(text).atoms[0].position[2], 1.8897261246, 1e-10);
}

TEST(MoldenFormat, an_sp_shell_is_an_s_and_a_p_shell_in_that_order) {
  const std::string text = "[Molden Format]\n" + atoms + "[GTO]\n1 0\nsp 1 1.00\n" +
                           "1.5 1.0 1.0\n[MO]\n" + replaced(orbital, " 1 1.0", " 3 1.0");
  const Molecule m = accepted(text);
  ASSERT_EQ(m.basis.shells.size(), 2U);
  EXPECT_EQ(m.basis.shells[0].l, 0);
  EXPECT_EQ(m.basis.shells[1].l, 1);
  // Function 3 of the file is p_y: ours are s, p_z, p_x, p_y.
  EXPECT_EQ(m.orbitals_up, (std::vector<double>{0, 0, 0, 1}));
}

TEST(MoldenFormat, missing_coefficients_are_zero) {
  const std::string text = "[Molden Format]\n" + atoms +
                           "[GTO]\n1 0\ns 1 1.0\n1.5 1.0\np 1 1.0\n1.0 1.0\n[MO]\n" +
                           orbital;
  EXPECT_EQ(accepted(text).orbitals_up, (std::vector<double>{1, 0, 0, 0}));
}

TEST(MoldenFormat, a_line_about_f_wins_over_what_5d_implies) {
  auto functions = [](const std::string& lines) {
    return read_molden("test", "[Molden Format]\n" + atoms +
                                   "[GTO]\n1 0\nd 1 1.0\n1.5 1.0\nf 1 1.0\n1.5 1.0\n"
                                   "g 1 1.0\n1.5 1.0\n" +
                                   lines + "[MO]\n" + orbital)
        .functions();
  };
  EXPECT_EQ(functions(""), 6 + 10 + 15);
  EXPECT_EQ(functions("[5D]\n"), 5 + 7 + 15);
  EXPECT_EQ(functions("[5d7f]\n[9g]\n"), 5 + 7 + 9);
  EXPECT_EQ(functions("[5D10F]\n"), 5 + 10 + 15);
  EXPECT_EQ(functions("[7F] [9G]\n"), 6 + 7 + 9);
  EXPECT_EQ(functions("[5D]\n[10F]\n[15G]\n"), 5 + 10 + 15);
  EXPECT_EQ(functions("[6D]\n[10F]\n"), 6 + 10 + 15);
}

TEST(MoldenFormat, an_ion_needs_its_charge_and_a_wrong_charge_is_refused) {
  const std::string ion = replaced(helium, "He 1 2", "Li 1 3");
  const std::string message = refusal(ion);
  EXPECT_NE(message.find("--set system.charge=1"), std::string::npos) << message;
  EXPECT_NE(message.find("effective core potential"), std::string::npos) << message;
  EXPECT_EQ(accepted(ion, {1}).charge, 1);
  EXPECT_NE(refusal(ion, {2}).find("contradicts"), std::string::npos);
  EXPECT_NE(refusal(helium, {-1}).find("contradicts"), std::string::npos);
}

TEST(MoldenFormat, core_potentials_are_refused_wherever_they_show) {
  expect_refusal(replaced(helium, "He 1 2", "Be 1 2"), "effective charge");
  expect_refusal(
      "[Molden Format]\n" + atoms + "[core]\n1 : 2\n" + basis + "[MO]\n" + orbital,
      "effective core potential");
}

TEST(MoldenFormat, a_core_potential_section_that_replaces_nothing_is_none) {
  const auto with_section = [](const std::string& section) {
    return replaced(helium, "[GTO]", section + "\n[GTO]");
  };
  for (const char* section : {"[Core]\n1 : 0", "[Nval]\nHe 2", "[NVAL]\n HE 2.0\n",
                              "[Nval]\nHe1 2", "[Pseudo]\nHe 1 2"}) {
    SCOPED_TRACE(section);
    expect_helium(with_section(section));
  }
  for (const char* section :
       {"[Core]\n1 : 2", "[Nval]\nBe 2", "[Nval]\nHe 0", "[Nval]\nHe", "[Nval]\n1 2",
        "[Pseudo]\nBe 1 2", "[Core]\nHe : 2"}) {
    SCOPED_TRACE(section);
    expect_refusal(with_section(section), "computed with an effective core potential");
  }
}

TEST(MoldenFormat, a_label_of_two_letters_is_not_taken_for_the_element_of_its_first) {
  const auto labelled = [](const std::string& atom) {
    return replaced(helium, "He 1 2", atom);
  };
  // A core potential without a [core] section shows in the charge alone.
  for (const char* atom : {"Bi 1 5", "Cr 1 6", "CR 1 6", "Os 1 8", "Os3 1 8", "CA 1 6"}) {
    SCOPED_TRACE(atom);
    expect_refusal(labelled(atom), "effective charge left by a core potential");
  }
  expect_refusal(
      labelled("CA 1 6"),
      "Should the atom be of the element C, write a number behind its symbol: C1.");
  for (const char* atom :
       {"C1 1 6", "C12 1 6", "CB 1 6", "CL2 1 6", "Co1 1 6", "Ca 1 20", "CA2 1 20",
        "OW 1 8", "H1 1 1", "HG1 1 1", "D 1 1", "T 1 1", "d2 1 1", "7 1 7"}) {
    SCOPED_TRACE(atom);
    const int charge = std::stoi(std::string(atom).substr(std::string(atom).rfind(' ')));
    EXPECT_EQ(accepted(labelled(atom), {charge - 2}).atoms[0].charge, charge);
  }
  for (const char* atom : {"D 1 2", "Dy 1 1", "Ti 1 1", "TD 1 1"}) {
    SCOPED_TRACE(atom);
    const std::string message = refusal(labelled(atom));
    EXPECT_NE(message.find("does not belong to the element"), std::string::npos)
        << message;
    EXPECT_EQ(message.find("Should the atom"), std::string::npos) << message;
  }
}

TEST(MoldenFormat, fractional_occupations_are_refused_with_the_reason) {
  expect_refusal(replaced(helium, "2.0", "1.98"), "no single determinant");
}

std::string with(const std::string& from, const std::string& to) {
  return replaced(helium, from, to);
}

TEST(MoldenFormat, a_file_that_does_not_fit_is_refused_with_line_and_reason) {
  // Text, and the words with which it must be refused.
  const std::vector<std::pair<std::string, std::string>> cases = {

      {std::string(), "the file is empty"},
      {std::string("\x89PNG\r\n\x1a\n\0\0\0\xff", 12), "unknown kind of file"},
      {std::string("hello\n"), "unknown kind of file"},
      {"[Molden Format]\n" + atoms + basis, "no [MO] section"},
      {"[Molden Format]\n" + atoms + "[MO]\n" + orbital, "no [GTO] section"},
      {"[Molden Format]\n" + basis + "[MO]\n" + orbital, "no [Atoms] section"},
      {helium + atoms, "a second [Atoms] section"},
      {with("AU", ""), "no unit in the [Atoms] line"},
      {with("0.0 0.0 0.0", "0.0 0.0"), ":3: bad line in [Atoms]"},
      {with("0.0 0.0 0.0", "0.0 nan 0.0"), ":3: bad coordinate"},
      {with("0.0 0.0 0.0", "0.0 1e30 0.0"), ":3: bad coordinate"},
      {with("He 1 2", "He 1 2.5"), "bad nuclear charge"},
      {with("He 1 2", "He 1 -2"), "bad nuclear charge"},
      {with("He 1 2", "He 0 2"), "bad line in [Atoms]"},
      {with("1 0\n", "2 0\n"), "an atom of [Atoms]"},
      {with("1 0\ns", "s"), "a shell before any atom"},
      {with("1.5 1.0", "inf 1.0"), ":7: bad exponent"},
      {with("1.5 1.0", "-1.5 1.0"), ":7: bad exponent"},
      {with("1.5 1.0", "1.5 NaN"), ":7: bad contraction coefficient"},
      {with("1.5 1.0", "1.5 0.0"), "every coefficient of a shell is zero"},
      {with("1.5 1.0", "1.5"), "bad primitive"},
      {with("s 1 1.00", "s 2 1.00"), "ends inside a shell"},
      {with("s 1 1.00", "s 0 1.00"), "bad shell"},
      {with("s 1 1.00", "s 99999999999 1.00"), "bad shell"},
      {with("s 1 1.00", "s 1 1.20"), "scale factor"},
      {with("s 1 1.00", "k 1 1.00"), "unknown shell"},
      {with("s 1 1.00", "h 1 1.00"), "a Cartesian shell of l = 5"},
      {with("[GTO]", "[STO]"), "Slater functions"},
      {with("[GTO]", "[GTO"), "bad header"},
      {with("[GTO]", "[Cell] (Angs)\n9 0 0\n[GTO]"),
       ":4: the system is periodic: expected a molecule, found a section [Cell]"},
      {with("[MO]", "[5D]\n[6D]\n[MO]"), "both spherical and Cartesian"},
      {with("\n 1 1.0", "\n 2 1.0"), "a coefficient too many"},
      {with("\n 1 1.0", "\n 0 1.0"), "bad index"},
      {with("\n 1 1.0", "\n -7 1.0"), "bad index"},
      {with("\n 1 1.0", "\n 99999999999999 1.0"), "bad line in [MO]"},
      {with("\n 1 1.0", "\n 1 ********"), "bad orbital coefficient"},
      {with("\n 1 1.0", "\n 1 1e400"), "bad orbital coefficient"},
      {with("\n 1 1.0", "\n 1 1.0\n 1 1.0"), "coefficient 1 twice"},
      {with("\n 1 1.0", "\n 1 1.01"), "not orthonormal"},
      {with("\n 1 1.0", "\n"), "not orthonormal"},
      {with("Alpha", "Gamma"), "bad spin"},
      {with(" Occup= 2.0\n", ""), "has no occupation"},
      {with("Occup= 2.0", "Occup= 0.0"), "no electrons"},
      {with("Occup= 2.0", "Occup= -1.0"), "no single determinant"},
      {with("Ene=", "Energy="), "unknown key in [MO]"},
      {with(" Sym= 1a\n Ene= -0.5\n Spin= Alpha\n Occup= 2.0\n", ""),
       "a coefficient before any orbital"},
      {helium + replaced(orbital, "Alpha", "Beta"), "holds two electrons"},
      {with("He 1 2 0.0 0.0 0.0\n", "H 1 1 0.0 0.0 0.0\nH 2 1 0.0 0.0 0.0\n"),
       "two nuclei stand at the same place"}};
  for (const auto& [text, words] : cases) {
    SCOPED_TRACE(text);
    expect_refusal(text, words);
  }
}

TEST(MoldenFormat, files_that_cannot_be_read_are_named) {
  EXPECT_THROW(read_wavefunction("/nonexistent/file.molden"), Error);
  EXPECT_THROW(read_wavefunction(""), Error);
  EXPECT_THROW(read_wavefunction("/dev/null"), Error);
  EXPECT_THROW(read_wavefunction(std::filesystem::temp_directory_path().string()), Error);
}

TEST(MoldenFormat, a_pipe_is_refused_without_waiting_for_a_writer) {
  const std::string path = TemporaryFile("", "pipe").path();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string message;
  try {
    read_wavefunction(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    message = error.what();
  }
  std::filesystem::remove(path);
  EXPECT_EQ(message,
            path +
                ": expected a regular file, found a pipe; copy its contents to a "
                "file first");
}

TEST(TextNumbers, are_read_strictly) {
  EXPECT_EQ(parse_number("1.5"), 1.5);
  EXPECT_EQ(parse_number("-3D+02"), -300.0);
  EXPECT_EQ(parse_number("0.5-100"), 0.5e-100);
  EXPECT_EQ(parse_number("1e-999"), 0.0);
  for (const char* bad : {"", "+", "-", "e5", "nan", "inf", "-inf", "0x10", "1.0.0",
                          "1,5", "1e999", "1 2", "--1", "1e", "*****"})
    EXPECT_FALSE(parse_number(bad)) << bad;
  EXPECT_EQ(parse_integer("-12"), -12);
  for (const char* bad : {"", "1.0", "2147483648", "1e3", "x"})
    EXPECT_FALSE(parse_integer(bad)) << bad;
}

}  // namespace
}  // namespace drover
