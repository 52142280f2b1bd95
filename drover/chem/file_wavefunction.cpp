// From a wave function as a file tells it to a Molecule (see file_wavefunction.hpp).
#include "drover/chem/file_wavefunction.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include "drover/chem/conventions.hpp"
#include "drover/chem/solid_harmonics.hpp"
#include "drover/chem/text.hpp"

namespace drover {

namespace {

// Molden's Cartesian orders, www.theochem.ru.nl/molden/molden_format.html.
constexpr std::array<std::string_view, 6> molden_d = {"xx", "yy", "zz", "xy", "xz", "yz"};
constexpr std::array<std::string_view, 10> molden_f = {"xxx", "yyy", "zzz", "xyy", "xxy",
                                                       "xxz", "xzz", "yzz", "yyz", "xyz"};
constexpr std::array<std::string_view, 15> molden_g = {
    "xxxx", "yyyy", "zzzz", "xxxy", "xxxz", "xyyy", "yyyz", "xzzz",
    "yzzz", "xxyy", "xxzz", "yyzz", "xxyz", "xyyz", "xyzz"};

template <std::size_t n>
int place(const std::array<std::string_view, n>& names, const Monomial& t) {
  const std::string name = std::string(static_cast<std::size_t>(t.i), 'x') +
                           std::string(static_cast<std::size_t>(t.j), 'y') +
                           std::string(static_cast<std::size_t>(t.k), 'z');
  for (std::size_t at = 0; at < n; ++at)
    if (names[at] == name) return static_cast<int>(at);
  return -1;
}

std::string with_sign(int charge) {
  return (charge > 0 ? "+" : "") + std::to_string(charge);
}

// The charge of the molecule; throws where it is not certain.
int check_charge(const FileWavefunction& file, std::optional<int> charge) {
  int nuclear = 0;
  for (const Atom& atom : file.atoms) nuclear += atom.charge;
  const int electrons =
      static_cast<int>(file.up.occupied.size() + file.down.occupied.size());
  if (electrons == 0)
    throw complain(file.path, -1,
                   {"the wave function has no electrons", "at least one occupied orbital",
                    "none", "Write the occupations to the file."});
  const int found = nuclear - electrons;
  const std::string count = std::to_string(electrons) +
                            " electrons and nuclear charges of " +
                            std::to_string(nuclear);
  if (charge && *charge != found)
    throw complain(file.path, -1,
                   {"system.charge contradicts the occupied orbitals",
                    "charge " + with_sign(found) + " (" + count + ")", with_sign(*charge),
                    "Correct system.charge, or the occupations in the file."});
  if (!charge && file.charge && *file.charge != found)
    throw complain(file.path, -1,
                   {"the file's charge contradicts its occupied orbitals",
                    "charge " + with_sign(found) + " (" + count + ")",
                    with_sign(*file.charge), "Write the file again."});
  if (!charge && !file.charge && found != 0)
    throw complain(
        file.path, -1,
        {"the file's electrons and nuclear charges differ",
         "as many electrons as nuclear charges, or system.charge given", count,
         "If the molecule is an ion of charge " + with_sign(found) +
             ", say so with --set system.charge=" + std::to_string(found) +
             " (or charge under [system]). If it was computed with an effective core "
             "potential, which the file may not be able to say, it cannot be used: "
             "Drover treats all electrons, so repeat the calculation without one."});
  return found;
}

void check_nuclei(const FileWavefunction& file) {
  for (std::size_t a = 0; a < file.atoms.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const Atom &one = file.atoms[a], &other = file.atoms[b];
      if (one.charge > 0 && other.charge > 0 && one.position == other.position)
        throw complain(file.path, -1,
                       {"two nuclei stand at the same place", "different positions",
                        "atoms " + std::to_string(b + 1) + " and " +
                            std::to_string(a + 1) + " at one point",
                        "Correct the geometry."});
    }
}

}  // namespace

void FileSpin::add(int number, bool holds_electron, std::vector<double> orbital) {
  if (!holds_electron) {
    if (keep_empty == KeepEmpty::none || seen++ % stride != 0) return;
    empty.emplace(number, std::move(orbital));
    if (keep_empty == KeepEmpty::some && empty.size() > most_proof_orbitals) {
      stride *= 2;
      bool drop = false;
      std::erase_if(empty, [&](const auto&) { return std::exchange(drop, !drop); });
    }
    return;
  }
  occupied.push_back(std::move(orbital));
  numbers.push_back(number);
}

int FileWavefunction::functions() const {
  int sum = 0;
  for (const FileShell& shell : shells) sum += shell.functions();
  return sum;
}

int file_position(FunctionOrder order, int l, bool spherical, int internal) {
  if (l == 0) return 0;
  if (l == 1) {
    // Ours is z, x, y.
    if (order == FunctionOrder::trexio && spherical) return internal;
    return (internal + 2) % 3;
  }
  if (spherical)
    return order == FunctionOrder::pyscf ? m_of_index(internal) + l : internal;
  if (order != FunctionOrder::molden) return internal;
  const Monomial t = cartesian_monomial(l, internal);
  if (l == 2) return place(molden_d, t);
  if (l == 3) return place(molden_f, t);
  if (l == 4) return place(molden_g, t);
  throw Error(ErrorKind::logic,
              "[file_position] Molden names no order for Cartesian functions of l > 4");
}

int whole_occupation(const std::string& path, int line, int orbital, double occupation) {
  // A file's digits may end the number; natural orbitals differ from whole by far more.
  constexpr double tolerance = 1e-6;
  for (int whole = 0; whole < 3; ++whole)
    if (std::abs(occupation - whole) <= tolerance) return whole;
  throw complain(
      path, line,
      {"orbital " + std::to_string(orbital) + " has the occupation " +
           std::to_string(occupation),
       "0, 1 or 2", "a number that belongs to no single determinant",
       "Drover's wave function has one determinant: write the orbitals of a Hartree-Fock "
       "or Kohn-Sham calculation without smearing, not natural orbitals."});
}

Error periodic_system(const std::string& path, int line, const std::string& found) {
  return complain(
      path, line,
      {"the system is periodic", "a molecule", found, "Drover treats molecules only."});
}

double nuclear_repulsion(const std::vector<Atom>& atoms) {
  double sum = 0.0;
  for (std::size_t a = 0; a < atoms.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (atoms[a].charge == 0 || atoms[b].charge == 0) continue;
      double distance2 = 0.0;
      for (std::size_t d = 0; d < 3; ++d) {
        const double step = atoms[a].position[d] - atoms[b].position[d];
        distance2 += step * step;
      }
      sum +=
          static_cast<double>(atoms[a].charge) * atoms[b].charge / std::sqrt(distance2);
    }
  return sum;
}

Molecule import_molecule(const FileWavefunction& file, std::optional<int> charge) {
  check_nuclei(file);
  const int checked_charge = check_charge(file, charge);
  const std::size_t functions = static_cast<std::size_t>(file.functions());
  for (const FileSpin* spin : {&file.up, &file.down})
    if (spin->occupied.size() > functions)
      throw complain(file.path, -1,
                     {"more occupied orbitals than basis functions",
                      "at most " + std::to_string(functions) + " of each spin",
                      std::to_string(spin->occupied.size()), "Check the file's basis."});

  Molecule molecule = prove_import(file);
  molecule.name = std::filesystem::path(file.path).stem().string();
  if (molecule.name.empty())
    molecule.name = std::filesystem::path(file.path).parent_path().stem().string();
  molecule.charge = checked_charge;
  const auto &up = file.up.occupied, &down = file.down.occupied;
  molecule.restricted = down.size() <= up.size();
  for (std::size_t o = 0; o < down.size() && molecule.restricted; ++o)
    molecule.restricted = down[o] == up[o];
  molecule.proof.nuclear_repulsion = nuclear_repulsion(file.atoms);
  molecule.proof.has_file_energy = file.energy.has_value();
  molecule.proof.file_energy = file.energy.value_or(0.0);
  return molecule;
}

}  // namespace drover
