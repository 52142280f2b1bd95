// The import proof (see conventions.hpp). What programs write was learned from the
// sources of IOData (theochem/iodata), Molden2AIM (zorkzou/Molden2AIM) and PySCF.
#include "drover/chem/conventions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include "drover/chem/gaussian.hpp"
#include "drover/chem/overlap.hpp"
#include "drover/chem/solid_harmonics.hpp"
#include "drover/chem/text.hpp"

namespace drover {

namespace {

constexpr double accepted = 1e-4;

// Norm of the function to which ORCA's coefficients refer over that of x^l, squared.
double orca_factor(int l) {
  constexpr double factors[] = {1.0, 1.0, 3.0, 15.0, 35.0};  // x, xy, xyz, xxyz
  return l < 5 ? factors[l] : 1.0;                           // h: xxxxx
}

double shell_factor(const FileShell& shell, const Convention& convention) {
  const bool cartesian = !shell.spherical && shell.l > 1;
  if (convention.orca_factors) return 1.0 / std::sqrt(orca_factor(shell.l));
  if (cartesian && (convention.cartesian == CartesianNorm::all ||
                    convention.cartesian == CartesianNorm::each_all))
    return std::sqrt(double_factorial(2 * shell.l - 1));
  return 1.0;
}

double function_factor(const FileShell& shell, int internal,
                       const Convention& convention) {
  if (shell.l < 2) return 1.0;
  if (shell.spherical) {
    const int m = std::abs(m_of_index(internal));
    return convention.orca_signs && (m == 3 || m == 4) ? -1.0 : 1.0;
  }
  const bool each = convention.cartesian == CartesianNorm::each ||
                    convention.cartesian == CartesianNorm::each_all;
  return each ? monomial_norm_factor(cartesian_monomial(shell.l, internal)) : 1.0;
}

bool concerns(const FileWavefunction& file, const Convention& convention) {
  bool has_cartesian = false, has_signs = false;
  for (const FileShell& shell : file.shells) {
    has_cartesian = has_cartesian || (!shell.spherical && shell.l > 1);
    has_signs = has_signs || (shell.spherical && shell.l > 2);
  }
  if (convention.orca_factors) return !has_cartesian;  // ORCA has no Cartesian functions
  if (convention.orca_signs) return has_signs;
  return convention.cartesian == CartesianNorm::each || has_cartesian ||
         conventions_of(file.order).size() == 1;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

}  // namespace

const std::vector<Convention>& conventions_of(FunctionOrder order) {
  using enum CartesianNorm;
  static const std::vector<Convention> molden = {
      {"contractions as written, each function of unit norm (Molden)"},
      {"contractions renormalised, each function of unit norm", false, true},
      {"unnormalised primitives with ORCA's factors and signs (ORCA)", true, false, each,
       true, true},
      {"unnormalised primitives (Psi4 before 1.0)", true, false, each},
      {"Cartesian contractions short of sqrt((2l-1)!!) (Turbomole)", false, false,
       each_all},
      {"Cartesian functions with the norm of xy and xyz (CFOUR)", false, false, all},
      {"contractions renormalised, Cartesian functions with the norm of x^l "
       "(Psi4 up to 1.3)",
       false, true, shell},
      {"contractions as written, Cartesian functions with the norm of x^l", false, false,
       shell},
      {"contractions as written, ORCA's signs", false, false, each, false, true},
      {"contractions renormalised, ORCA's signs", false, true, each, false, true},
  };
  // Their readers multiply every factor of the file into the coefficients.
  static const std::vector<Convention> pyscf = {
      {"PySCF: libcint's coefficients, m = -l..l, Cartesian functions not of unit norm",
       true, false, shell}};
  static const std::vector<Convention> trexio = {
      {"TREXIO: product of the file's normalisation factors", true, false, shell}};
  return order == FunctionOrder::molden  ? molden
         : order == FunctionOrder::pyscf ? pyscf
                                         : trexio;
}

Molecule convert(const FileWavefunction& file, const Convention& convention) {
  Molecule molecule;
  molecule.atoms = file.atoms;
  molecule.up = static_cast<int>(file.up.occupied.size());
  molecule.down = static_cast<int>(file.down.occupied.size());
  const auto functions = static_cast<std::size_t>(file.functions());
  molecule.basis.functions = static_cast<int>(functions);
  molecule.orbitals_up.resize(file.up.occupied.size() * functions);
  molecule.orbitals_down.resize(file.down.occupied.size() * functions);

  int first = 0;
  for (const FileShell& from : file.shells) {
    Shell shell;
    shell.atom = from.atom;
    shell.l = from.l;
    shell.spherical = from.spherical || from.l < 2;
    shell.exponents = from.exponents;
    shell.coefficients = from.coefficients;
    shell.first_function = first;
    double scale = shell_factor(from, convention);
    if (!convention.raw_primitives)
      for (std::size_t k = 0; k < shell.exponents.size(); ++k)
        shell.coefficients[k] *= primitive_norm(shell.l, shell.exponents[k]);
    if (convention.renormalise)
      scale /= contraction_norm(shell.l, shell.exponents, shell.coefficients);
    for (double& c : shell.coefficients) c *= scale;

    for (int f = 0; f < shell.functions(); ++f) {
      const double factor = function_factor(from, f, convention);
      const auto source = static_cast<std::size_t>(
          first + file_position(file.order, from.l, from.spherical, f));
      const auto target = static_cast<std::size_t>(first + f);
      for (std::size_t o = 0; o < file.up.occupied.size(); ++o)
        molecule.orbitals_up[o * functions + target] =
            factor * file.up.occupied[o][source];
      for (std::size_t o = 0; o < file.down.occupied.size(); ++o)
        molecule.orbitals_down[o * functions + target] =
            factor * file.down.occupied[o][source];
    }
    first += shell.functions();
    molecule.basis.shells.push_back(std::move(shell));
  }
  return molecule;
}

Orthonormality orthonormality(const Molecule& molecule) {
  Orthonormality out;
  for (bool down : {false, true}) {
    const auto& orbitals = down ? molecule.orbitals_down : molecule.orbitals_up;
    const int count = down ? molecule.down : molecule.up;
    if (down && molecule.orbitals_down == molecule.orbitals_up) continue;
    const std::vector<double> s =
        orbital_overlap(molecule.atoms, molecule.basis, orbitals, count);
    for (int o = 0; o < count; ++o)
      for (int q = 0; q < count; ++q) {
        const double value = s[static_cast<std::size_t>(o * count + q)];
        double deviation = std::abs(value - (o == q ? 1.0 : 0.0));
        if (!std::isfinite(deviation))
          deviation = std::numeric_limits<double>::infinity();
        out.deviation = std::max(out.deviation, deviation);
        if (o == q && (out.orbital == 0 || deviation > std::abs(out.worst_norm - 1.0))) {
          out.worst_norm = value;
          out.orbital = o + 1;
          out.down = down;
        }
      }
  }
  return out;
}

namespace {

// The file with some of its empty orbitals as if they were occupied: they are orthonormal
// too, and hold much of the functions of high l that the occupied ones hardly touch.
FileWavefunction with_empty_orbitals(const FileWavefunction& file) {
  FileWavefunction wide = file;
  for (FileSpin* spin : {&wide.up, &wide.down}) {
    const std::size_t step =
        (spin->empty.size() + most_proof_orbitals - 1) / most_proof_orbitals;
    std::size_t at = 0;
    for (auto& [number, orbital] : spin->empty)
      if (at++ % step == 0) spin->occupied.push_back(std::move(orbital));
    spin->empty.clear();
  }
  return wide;
}

// The largest difference between two readings of the occupied orbitals, as coefficients
// of primitives of unit norm.
double difference(const Molecule& a, const Molecule& b) {
  double largest = 0.0;
  const auto compare = [&](const std::vector<double>& p, const std::vector<double>& q,
                           int orbitals) {
    const auto functions = static_cast<std::size_t>(a.basis.functions);
    for (std::size_t s = 0; s < a.basis.shells.size(); ++s) {
      const Shell &one = a.basis.shells[s], &other = b.basis.shells[s];
      for (std::size_t k = 0; k < one.exponents.size(); ++k) {
        const double norm = primitive_norm(one.l, one.exponents[k]);
        const double x = one.coefficients[k] / norm, y = other.coefficients[k] / norm;
        for (std::size_t o = 0; o < static_cast<std::size_t>(orbitals); ++o)
          for (int f = 0; f < one.functions(); ++f) {
            const std::size_t at =
                o * functions + static_cast<std::size_t>(one.first_function + f);
            largest = std::max(largest, std::abs(p[at] * x - q[at] * y));
          }
      }
    }
  };
  compare(a.orbitals_up, b.orbitals_up, a.up);
  compare(a.orbitals_down, b.orbitals_down, a.down);
  return largest;
}

struct Reading {
  const Convention* convention = nullptr;
  Molecule molecule;
  double deviation = 0.0;  // of the occupied orbitals
  double score = 0.0;      // of the empty ones too, where they can tell
};

// The reading that fits best; of those that a file's digits cannot tell apart, the first.
// What a wrong guess among these would change is put into its notes.
Molecule decide(std::vector<Reading>& readings) {
  const Reading& best = *std::min_element(
      readings.begin(), readings.end(),
      [](const Reading& a, const Reading& b) { return a.score < b.score; });
  // The rounding of coefficients, and that of sums, shows in every reading, up to a
  // factor.
  const auto noise_of = [](double least) { return 3 * std::max(least, 1e-14); };
  const double noise = noise_of(best.score);
  const auto fits = [&](const Reading& r) {
    return r.score <= noise && r.deviation <= noise_of(best.deviation);
  };
  constexpr double same = 1e-11;  // psi differs by no more than rounding
  Reading* chosen = nullptr;
  for (Reading& r : readings) {
    if (!fits(r) && difference(best.molecule, r.molecule) > same) continue;
    if (chosen == nullptr) {
      chosen = &r;
      continue;
    }
    const double changed = difference(chosen->molecule, r.molecule);
    if (changed > std::max(noise, same))
      chosen->molecule.proof.notes.push_back(
          "the orbitals fit this convention as well: " + std::string(r.convention->name) +
          "; coefficients would differ by up to " + number(changed) +
          ". More digits or the empty orbitals in the file may decide, a TREXIO file or "
          "a PySCF checkpoint would");
  }
  chosen->molecule.proof.convention = chosen->convention->name;
  chosen->molecule.proof.worst_overlap_deviation = chosen->deviation;
  return std::move(chosen->molecule);
}

}  // namespace

Molecule prove_import(const FileWavefunction& file) {
  std::vector<Reading> readings;
  std::string tried;
  for (const Convention& convention : conventions_of(file.order)) {
    if (!concerns(file, convention)) continue;
    Molecule molecule = convert(file, convention);
    const Orthonormality found = orthonormality(molecule);
    tried += "\n  " + std::string(convention.name) + ": norm " +
             number(found.worst_norm) + " of spin-" + (found.down ? "down" : "up") +
             " orbital " + std::to_string(found.orbital) + ", largest |C^T S C - 1| " +
             number(found.deviation);
    if (found.deviation <= accepted)
      readings.push_back(
          {&convention, std::move(molecule), found.deviation, found.deviation});
  }
  if (readings.empty())
    throw complain(
        file.path, -1,
        {"the occupied orbitals are not orthonormal under any known convention",
         "|C^T S C - 1| of at most 1e-4", "these worst norms:" + tried,
         file.hint + (file.hint.empty() ? "" : " ") +
             "The file is damaged or incomplete, or its program writes a basis in a way "
             "that Drover does not know" +
             (file.order == FunctionOrder::molden
                  ? "; write TREXIO or a PySCF checkpoint instead."
                  : ".")});
  if (readings.size() > 1 && file.up.empty.size() + file.down.empty.size() > 0) {
    const FileWavefunction all = with_empty_orbitals(file);
    std::vector<double> scores;
    for (const Reading& r : readings)
      scores.push_back(orthonormality(convert(all, *r.convention)).deviation);
    // Programs may write empty orbitals that are not orthonormal; those tell nothing.
    if (*std::min_element(scores.begin(), scores.end()) <= accepted)
      for (std::size_t k = 0; k < readings.size(); ++k) readings[k].score = scores[k];
  }
  Molecule best = decide(readings);
  best.proof.format = file.format;
  best.proof.notes.insert(best.proof.notes.begin(), file.notes.begin(), file.notes.end());
  const double deviation = best.proof.worst_overlap_deviation;
  if (deviation > 1e-7)
    best.proof.notes.push_back("the orbitals are orthonormal only to " +
                               number(deviation) +
                               ": the file was written with few digits");
  return best;
}

}  // namespace drover
