// The sections [Atoms], [GTO] and [MO] of a Molden file.
#include "drover/chem/molden_sections.hpp"

#include <algorithm>
#include <cmath>

#include "drover/chem/elements.hpp"
#include "drover/chem/solid_harmonics.hpp"

namespace drover::molden {

namespace {

// Far beyond any molecule, and small enough that no product of them overflows.
constexpr int most_atoms = 10000;
constexpr int most_shells = 20000;
constexpr int most_primitives = 200;
constexpr double largest_position = 1e5;    // bohr
constexpr double largest_exponent = 1e12;   // 1/bohr^2
constexpr double smallest_exponent = 1e-8;  // 1/bohr^2
constexpr double largest_coefficient = 1e9;

double coefficient(const Cursor& cursor, std::string_view word, const char* what) {
  const std::optional<double> value = parse_number(word);
  if (!value || std::abs(*value) > largest_coefficient)
    throw cursor.complaint({std::string("bad ") + what,
                            "a finite number of at most 1e9 in size", shown(word),
                            "Write the file again; an overflowed or missing number "
                            "cannot be guessed."});
  return *value;
}

}  // namespace

std::size_t Cursor::line_end() const {
  return std::min(text_.find_first_of("\r\n", at_), text_.size());
}

bool Cursor::next() {
  if (at_ >= text_.size()) return false;
  const std::size_t end = line_end();
  line_ = trimmed(text_.substr(at_, end - at_));
  at_ = end + (text_.substr(end, 2) == "\r\n" ? 2 : 1);
  ++number_;
  return true;
}

bool Cursor::next_in_section() {
  while (at_ < text_.size()) {
    const std::string_view ahead = trimmed(text_.substr(at_, line_end() - at_));
    if (!ahead.empty() && ahead.front() == '[') return false;
    next();
    if (!line_.empty()) return true;
  }
  return false;
}

std::vector<AtomLine> read_atoms(Cursor& cursor, double scale) {
  std::vector<AtomLine> atoms;
  while (cursor.next_in_section()) {
    const auto words = split_words(cursor.line());
    const Complaint shape = {"bad line in [Atoms]",
                             "'symbol number nuclear-charge x y z'", shown(cursor.line()),
                             "Write the file again."};
    if (words.size() != 6) throw cursor.complaint(shape);
    const std::optional<int> index = parse_integer(words[1]);
    const std::optional<double> charge = parse_number(words[2]);
    if (!index || *index < 1 || !charge) throw cursor.complaint(shape);
    if (*charge < 0.0 || *charge > largest_nuclear_charge ||
        *charge != std::floor(*charge))
      throw cursor.complaint({"bad nuclear charge", "a whole number from 0 to 118",
                              shown(words[2]), "Drover knows point nuclei only."});
    AtomLine out;
    out.line = cursor.number();
    out.index = *index;
    out.atom.charge = static_cast<int>(*charge);
    out.atom.symbol = element_symbol(out.atom.charge);
    if (out.atom.charge > 0 && !label_fits(words[0], out.atom.charge)) {
      std::string advice =
          "It looks like the effective charge left by a core potential: Drover treats "
          "all electrons, so repeat the calculation without one.";
      if (element_charge(words[0].substr(0, 1)) == out.atom.charge)
        advice += " Should the atom be of the element " + out.atom.symbol +
                  ", write a number behind its symbol: " + out.atom.symbol + "1.";
      throw cursor.complaint({"the nuclear charge does not belong to the element",
                              "the full nuclear charge of " + shown(words[0]),
                              std::string(words[2]), advice});
    }
    for (std::size_t d = 0; d < 3; ++d) {
      const std::optional<double> x = parse_number(words[3 + d]);
      if (!x || std::abs(*x * scale) > largest_position)
        throw cursor.complaint({"bad coordinate", "a finite number below 1e5 bohr",
                                shown(words[3 + d]), "Correct the geometry."});
      out.atom.position[d] = *x * scale;
    }
    if (atoms.size() >= most_atoms)
      throw cursor.complaint({"too many atoms", "at most " + std::to_string(most_atoms),
                              "more", "Cut the system."});
    atoms.push_back(out);
  }
  if (atoms.empty())
    throw cursor.complaint({"[Atoms] is empty", "a line for every atom", "none",
                            "The file is truncated; write it again."});
  return atoms;
}

namespace {

// Reads `count` primitives of a shell; an sp shell has a second column of coefficients.
void read_primitives(Cursor& cursor, int count, std::string_view label, bool sp,
                     ShellLines& first, ShellLines& second) {
  const int shell_line = cursor.number();
  for (int k = 0; k < count; ++k) {
    const std::string promise = std::to_string(count) + " primitives for the " +
                                std::string(label) + " shell of line " +
                                std::to_string(shell_line);
    if (!cursor.next_in_section())
      throw cursor.complaint({"the [GTO] section ends inside a shell", promise,
                              std::to_string(k),
                              "The file is truncated; write it again."});
    const auto words = split_words(cursor.line());
    if (words.size() != (sp ? 3U : 2U))
      throw cursor.complaint({"bad primitive",
                              (sp ? "'exponent s-coefficient p-coefficient', "
                                  : "'exponent coefficient', ") +
                                  promise,
                              shown(cursor.line()), "Write the file again."});
    const std::optional<double> exponent = parse_number(words[0]);
    if (!exponent || !(*exponent >= smallest_exponent && *exponent <= largest_exponent))
      throw cursor.complaint({"bad exponent", "a number between 1e-8 and 1e12 per bohr^2",
                              shown(words[0]), "Write the file again."});
    first.shell.exponents.push_back(*exponent);
    first.shell.coefficients.push_back(
        coefficient(cursor, words[1], "contraction coefficient"));
    if (!sp) continue;
    second.shell.exponents.push_back(*exponent);
    second.shell.coefficients.push_back(
        coefficient(cursor, words[2], "contraction coefficient"));
  }
}

}  // namespace

std::vector<ShellLines> read_shells(Cursor& cursor) {
  constexpr std::string_view letters = "spdfghi";
  std::vector<ShellLines> shells;
  std::map<int, int> seen;  // atom -> line
  int atom = 0;
  while (cursor.next_in_section()) {
    const auto words = split_words(cursor.line());
    const std::string label = lower_case(words[0]);
    if (const std::optional<int> index = parse_integer(words[0])) {
      if (words.size() > 2 || *index < 1)
        throw cursor.complaint({"bad line in [GTO]",
                                "'atom-number 0' or 'shell-letter primitives 1.00'",
                                shown(cursor.line()),
                                "Check that the shell before it has the number of "
                                "primitives that it announces."});
      atom = *index;
      const auto [at, fresh] = seen.emplace(atom, cursor.number());
      if (!fresh)
        throw cursor.complaint({"atom " + std::to_string(atom) + " has two bases", "one",
                                "the first at line " + std::to_string(at->second),
                                "Remove one."});
      continue;
    }
    const bool sp = label == "sp";
    const std::size_t l = label.size() == 1 ? letters.find(label[0]) : letters.size();
    if (!sp && l >= letters.size())
      throw cursor.complaint({"unknown shell", "s, p, sp, d, f, g, h or i",
                              shown(words[0]),
                              "Drover reads shells up to l = 6; write the file again "
                              "with such a basis."});
    if (atom == 0)
      throw cursor.complaint({"a shell before any atom", "'atom-number 0' first",
                              shown(cursor.line()), "Write the file again."});
    const std::optional<int> count =
        words.size() > 1 ? parse_integer(words[1]) : std::nullopt;
    if (!count || *count < 1 || *count > most_primitives || words.size() > 4)
      throw cursor.complaint({"bad shell",
                              "'" + label + " PRIMITIVES 1.00' with 1 to 200 primitives",
                              shown(cursor.line()), "Write the file again."});
    if (words.size() > 2) {
      const std::optional<double> factor = parse_number(words[2]);
      // Some programs write 0 for "none".
      if (!factor || (*factor != 1.0 && *factor != 0.0))
        throw cursor.complaint({"the shell has a scale factor", "1.00", shown(words[2]),
                                "Programs differ in what it scales: multiply it into the "
                                "exponents and write "
                                "1.00."});
    }
    ShellLines first, second;
    first.line = second.line = cursor.number();
    first.shell.atom = second.shell.atom = atom;
    first.shell.l = sp ? 0 : static_cast<int>(l);
    second.shell.l = 1;
    read_primitives(cursor, *count, label, sp, first, second);
    for (ShellLines* shell : {&first, &second}) {
      if (shell == &second && !sp) break;
      if (std::all_of(shell->shell.coefficients.begin(), shell->shell.coefficients.end(),
                      [](double c) { return c == 0.0; }))
        throw complain(cursor.path(), shell->line,
                       {"every coefficient of a shell is zero", "a contraction", "zeros",
                        "Remove the shell and its orbital coefficients, or write the "
                        "file again."});
      shells.push_back(std::move(*shell));
    }
    if (shells.size() > most_shells)
      throw cursor.complaint({"too many shells", "at most " + std::to_string(most_shells),
                              "more", "Use a smaller basis."});
  }
  return shells;
}

namespace {

void finish(Cursor& cursor, Orbital& orbital, int number) {
  auto& c = orbital.coefficients;
  std::stable_sort(c.begin(), c.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < c.size(); ++i)
    if (c[i].first == c[i - 1].first)
      throw complain(cursor.path(), orbital.line,
                     {"orbital " + std::to_string(number) + " has coefficient " +
                          std::to_string(c[i].first) + " twice",
                      "each index once", "two values", "Write the file again."});
  if (!c.empty()) orbital.largest_index = c.back().first;
}

void read_key(Cursor& cursor, Orbital& orbital, std::string_view key,
              std::string_view value) {
  const std::string name = lower_case(trimmed(key));
  const std::string_view word = trimmed(value);
  if (name == "sym") return;
  if (name == "spin") {
    const std::string spin = lower_case(word);
    if (spin != "alpha" && spin != "beta")
      throw cursor.complaint({"bad spin", "Spin= Alpha or Spin= Beta", shown(word),
                              "Write the file again."});
    orbital.beta = spin == "beta";
  } else if (name == "ene") {
    coefficient(cursor, word, "orbital energy");
  } else if (name == "occup") {
    orbital.occupation = coefficient(cursor, word, "occupation");
  } else {
    throw cursor.complaint({"unknown key in [MO]", "Sym=, Ene=, Spin= or Occup=",
                            shown(cursor.line()), "Remove the line."});
  }
}

}  // namespace

void read_orbitals(Cursor& cursor, std::vector<Orbital>& orbitals) {
  std::map<std::string, bool> seen;  // keys of the current orbital
  bool open = false;
  auto number = [&] { return static_cast<int>(orbitals.size()); };
  while (cursor.next_in_section()) {
    const std::string_view line = cursor.line();
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos) {
      const std::string key = lower_case(trimmed(line.substr(0, equals)));
      // A key after coefficients, or one that this orbital has already, begins another.
      if (!open || !orbitals.back().coefficients.empty() || seen.count(key)) {
        if (open) finish(cursor, orbitals.back(), number());
        orbitals.emplace_back();
        orbitals.back().line = cursor.number();
        seen.clear();
        open = true;
      }
      seen[key] = true;
      read_key(cursor, orbitals.back(), line.substr(0, equals), line.substr(equals + 1));
      continue;
    }
    const auto words = split_words(line);
    const std::optional<int> index = parse_integer(words[0]);
    if (words.size() != 2 || !index)
      throw cursor.complaint({"bad line in [MO]",
                              "'index coefficient', or one of Sym=, Ene=, Spin=, Occup=",
                              shown(line), "Write the file again."});
    if (!open)
      throw cursor.complaint({"a coefficient before any orbital",
                              "Sym=, Ene=, Spin= or Occup= first", shown(line),
                              "Write the file again."});
    if (*index < 1)
      throw cursor.complaint({"bad index of a basis function", "1 or more",
                              shown(words[0]), "Write the file again."});
    orbitals.back().coefficients.emplace_back(
        *index, coefficient(cursor, words[1], "orbital coefficient"));
  }
  if (open) finish(cursor, orbitals.back(), number());
}

}  // namespace drover::molden
