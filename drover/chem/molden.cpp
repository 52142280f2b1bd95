// Reader of Molden files: headers, and how the sections fit together (see molden.hpp).
#include "drover/chem/molden.hpp"

#include <array>
#include <cctype>
#include <cmath>

#include "drover/chem/elements.hpp"
#include "drover/chem/molden_sections.hpp"

namespace drover {

namespace {

using molden::AtomLine;
using molden::Cursor;
using molden::Orbital;
using molden::ShellLines;

constexpr double bohr_per_angstrom = 1.0 / 0.529177210903;  // CODATA 2018
constexpr int most_functions = 20000;

// Whether the shells of one l are spherical, and which line says so. [5D] also implies
// spherical f functions, but a line about f itself wins.
struct Kind {
  std::optional<bool> spherical;
  int line = 0;
};

class Reader {
 public:
  Reader(const std::string& path, std::string_view text, KeepEmpty keep_empty)
      : cursor_(path, text) {
    file_.up.keep_empty = file_.down.keep_empty = keep_empty;
    file_.path = path;
    file_.format = "Molden";
    file_.order = FunctionOrder::molden;
  }

  FileWavefunction read() {
    while (cursor_.next()) {
      std::string_view line = cursor_.line();
      // Text outside a section we know (a title, frequencies) is passed over.
      if (in_title_ && !ends_title(line)) continue;
      while (!line.empty() && line.front() == '[') line = header(line);
    }
    require(!atoms_.empty(), "[Atoms]", "the geometry");
    require(!shells_.empty(), "[GTO]", "the basis");
    require(!orbitals_.empty(), "[MO]", "the orbitals");
    join_atoms();
    join_shells();
    join_orbitals();
    return std::move(file_);
  }

 private:
  void require(bool present, const char* section, const char* what) {
    if (!present)
      throw complain(file_.path, cursor_.number(),
                     {std::string("no ") + section + " section with " + what,
                      std::string(section) + " before the end of the file", "none",
                      "The file is truncated or was written without it; write it again "
                      "with basis and orbitals."});
  }

  // A title may begin with a bracket too, "[Fe(CN)6 complex" or "[MO] of water": a header
  // stands alone or before another or something in parentheses, [Atoms] and [Cell] before
  // their unit.
  static bool ends_title(std::string_view line) {
    const std::size_t close = line.find(']');
    if (line.empty() || line.front() != '[' || close == std::string_view::npos)
      return false;
    const auto words = split_words(line.substr(close + 1));
    if (words.empty() || words[0][0] == '[' || words[0][0] == '(') return true;
    const std::string name = lower_case(trimmed(line.substr(1, close - 1)));
    if (name == "atoms" && words.size() == 1) return true;
    return (name == "atoms" || name == "cell" || name == "cellaxes") &&
           known_unit(words[0]).has_value();
  }

  // Handles one header; returns what follows it if that is another header, else nothing.
  std::string_view header(std::string_view line) {
    const std::size_t close = line.find(']');
    if (close == std::string_view::npos)
      throw cursor_.complaint(
          {"bad header", "'[name]'", shown(line), "Write the file again."});
    const std::string name = lower_case(trimmed(line.substr(1, close - 1)));
    const std::string_view rest = trimmed(line.substr(close + 1));
    in_title_ = name == "title";
    if (in_title_) return ends_title(rest) ? rest : std::string_view();
    if (name == "atoms") {
      once(atoms_line_, "[Atoms]");
      atoms_ = molden::read_atoms(cursor_, unit(rest));
    } else if (name == "gto") {
      once(shells_line_, "[GTO]");
      shells_ = molden::read_shells(cursor_);
    } else if (name == "mo") {
      molden::read_orbitals(cursor_, orbitals_);
    } else if (name == "sto") {
      throw cursor_.complaint({"the basis is of Slater functions ([STO])",
                               "Gaussian functions ([GTO])", "[STO]",
                               "Repeat the calculation in a Gaussian basis."});
    } else if (name == "cell" || name == "cellaxes") {
      throw periodic_system(file_.path, cursor_.number(),
                            "a section " + std::string(line.substr(0, close + 1)));
    } else if (name == "core" || name == "pseudo" || name == "nval") {
      refuse_core_potential(name, line.substr(0, close + 1));
    } else {
      kind_header(name);
    }
    return !rest.empty() && rest.front() == '[' ? rest : std::string_view{};
  }

  void once(int& line, const char* section) {
    if (line != 0)
      throw cursor_.complaint({std::string("a second ") + section + " section", "one",
                               "the first at line " + std::to_string(line),
                               "Give each molecule a file of its own."});
    line = cursor_.number();
  }

  // In bohr; nothing for what names no unit.
  static std::optional<double> known_unit(std::string_view text) {
    std::string word;
    for (char c : lower_case(text))
      if (c >= 'a' && c <= 'z') word += c;
    if (word == "au" || word == "bohr") return 1.0;
    if (word.substr(0, 4) == "angs") return bohr_per_angstrom;
    return std::nullopt;
  }

  double unit(std::string_view rest) {
    if (const std::optional<double> known = known_unit(rest)) return *known;
    throw cursor_.complaint({"no unit in the [Atoms] line", "AU or Angs after [Atoms]",
                             rest.empty() ? std::string("nothing") : shown(rest),
                             "Add the unit in which the coordinates are."});
  }

  // [Core] lists the electrons that each potential replaces, [Nval] and [Pseudo] what it
  // leaves of a nuclear charge: where that is all, there is no potential.
  void refuse_core_potential(const std::string& name, std::string_view section) {
    while (cursor_.next_in_section()) {
      const auto words = split_words(cursor_.line());
      const double last = parse_number(words.back()).value_or(-1.0);
      if (last == 0.0 && name == "core") continue;
      if (name != "core" && std::isalpha(static_cast<unsigned char>(words[0][0])) != 0 &&
          last == std::floor(last) && last >= 1 && last <= largest_nuclear_charge &&
          label_fits(words[0], static_cast<int>(last)))
        continue;
      throw cursor_.complaint(
          {"the file was computed with an effective core potential", "all electrons",
           std::string(section) + " with " + shown(cursor_.line()),
           "Drover treats all electrons, so repeat the calculation without one."});
    }
  }

  void kind_header(const std::string& name) {
    struct Meaning {
      const char* name;
      int l;
      bool spherical;
    };
    constexpr std::array<Meaning, 14> meanings = {{{"5d", 2, true},
                                                   {"6d", 2, false},
                                                   {"5d7f", 3, true},
                                                   {"5d10f", 3, false},
                                                   {"6d7f", 3, true},
                                                   {"6d10f", 3, false},
                                                   {"7f", 3, true},
                                                   {"10f", 3, false},
                                                   {"9g", 4, true},
                                                   {"15g", 4, false},
                                                   {"11h", 5, true},
                                                   {"21h", 5, false},
                                                   {"13i", 6, true},
                                                   {"28i", 6, false}}};
    for (const Meaning& meaning : meanings)
      if (name == meaning.name) {
        say(meaning.l, meaning.spherical);
        if (name.size() > 3) say(2, name[0] == '5');  // 5d7f and its like
      }
  }

  void say(int l, bool spherical) {
    Kind& kind = kinds_[static_cast<std::size_t>(l)];
    if (kind.spherical && *kind.spherical != spherical)
      throw cursor_.complaint({"the file calls functions of l = " + std::to_string(l) +
                                   " both spherical and Cartesian",
                               "one of the two",
                               "the other at line " + std::to_string(kind.line),
                               "Remove the wrong line."});
    kind = {spherical, cursor_.number()};
  }

  bool is_spherical(int l) const {
    if (kinds_[static_cast<std::size_t>(l)].spherical)
      return *kinds_[static_cast<std::size_t>(l)].spherical;
    if (l == 3) return kinds_[2].spherical.value_or(false);  // [5D] means [5D7F]
    if (l > 4) return is_spherical(4);  // Molden knows no such line; programs follow [9G]
    return false;
  }

  void join_atoms() {
    for (const AtomLine& line : atoms_) {
      const int number = static_cast<int>(file_.atoms.size());
      const auto [at, fresh] = atom_numbers_.emplace(line.index, number);
      if (!fresh)
        throw complain(file_.path, line.line,
                       {"two atoms with number " + std::to_string(line.index),
                        "a number for every atom",
                        "the first is atom " + std::to_string(at->second + 1),
                        "Write the file again."});
      file_.atoms.push_back(line.atom);
      if (line.atom.charge == 0)
        file_.notes.push_back("atom " + std::to_string(line.index) +
                              " has no nuclear charge: a centre of basis functions only");
    }
  }

  void join_shells() {
    int functions = 0;
    for (ShellLines& lines : shells_) {
      FileShell& shell = lines.shell;
      const auto at = atom_numbers_.find(shell.atom);
      if (at == atom_numbers_.end())
        throw complain(file_.path, lines.line,
                       {"a shell of an atom that is not there", "an atom of [Atoms]",
                        "atom " + std::to_string(shell.atom), "Write the file again."});
      shell.atom = at->second;
      shell.spherical = shell.l > 1 && is_spherical(shell.l);
      if (shell.l > 4 && !shell.spherical)
        throw complain(
            file_.path, lines.line,
            {"a Cartesian shell of l = " + std::to_string(shell.l),
             "spherical functions beyond g",
             "Cartesian ones, for which Molden names no order",
             "Repeat the calculation with spherical functions ([5D7F], [9G])."});
      functions += shell.functions();
      if (functions > most_functions)
        throw complain(
            file_.path, lines.line,
            {"too many basis functions", "at most " + std::to_string(most_functions),
             "more", "Use a smaller basis."});
      file_.shells.push_back(std::move(shell));
    }
    functions_ = functions;
  }

  void join_orbitals() {
    bool has_beta = false;
    int largest = 0;
    for (const Orbital& orbital : orbitals_) {
      has_beta = has_beta || orbital.beta;
      largest = std::max(largest, orbital.largest_index);
    }
    int placed[2] = {};
    for (std::size_t o = 0; o < orbitals_.size(); ++o) {
      const Orbital& orbital = orbitals_[o];
      const int number = static_cast<int>(o) + 1;
      if (orbital.largest_index > functions_)
        throw complain(
            file_.path, orbital.line,
            {"orbital " + std::to_string(number) + " has a coefficient too many",
             "indices up to " + std::to_string(functions_) + ", the number of functions",
             std::to_string(orbital.largest_index),
             "A line such as [5D] or [6D] may be wrong, or a part of [GTO] missing."});
      if (!orbital.occupation)
        throw complain(file_.path, orbital.line,
                       {"orbital " + std::to_string(number) + " has no occupation",
                        "Occup= 0, 1 or 2", "none",
                        "The file is truncated or its program does not write them; add "
                        "them."});
      const int electrons =
          whole_occupation(file_.path, orbital.line, number, *orbital.occupation);
      if (has_beta && electrons == 2)
        throw complain(file_.path, orbital.line,
                       {"orbital " + std::to_string(number) + " holds two electrons",
                        "at most one, since the file has orbitals of both spins", "2",
                        "Write the file again."});
      std::vector<double> dense(static_cast<std::size_t>(functions_), 0.0);
      for (const auto& [index, value] : orbital.coefficients)
        dense[static_cast<std::size_t>(index - 1)] = value;
      const int place = ++placed[orbital.beta ? 1 : 0];
      if (orbital.beta) {
        file_.down.add(place, electrons > 0, std::move(dense));
        continue;
      }
      if (!has_beta) file_.down.add(place, electrons == 2, dense);
      file_.up.add(place, electrons > 0, std::move(dense));
    }
    const std::size_t up = file_.up.occupied.size(), down = file_.down.occupied.size();
    if (!has_beta && up > down + 1)
      file_.notes.push_back(std::to_string(up - down) +
                            " singly occupied orbitals are taken as spin-up");
    if (largest < functions_)
      file_.hint = "The largest index in [MO] is " + std::to_string(largest) +
                   ", but the basis has " + std::to_string(functions_) +
                   " functions: a line [5D], [7F] or [9G] may be missing.";
  }

  Cursor cursor_;
  FileWavefunction file_;
  std::vector<AtomLine> atoms_;
  std::vector<ShellLines> shells_;
  std::vector<Orbital> orbitals_;
  int atoms_line_ = 0, shells_line_ = 0;
  bool in_title_ = false;
  std::array<Kind, 7> kinds_;
  std::map<int, int> atom_numbers_;  // the file's number -> ours
  int functions_ = 0;
};

}  // namespace

bool looks_like_molden(std::string_view text) {
  const std::string head = lower_case(text.substr(0, 65536));
  return head.find("[molden format]") != std::string::npos ||
         head.find("[atoms]") != std::string::npos;
}

FileWavefunction read_molden(const std::string& path, std::string_view text,
                             KeepEmpty keep_empty) {
  return Reader(path, text, keep_empty).read();
}

}  // namespace drover
