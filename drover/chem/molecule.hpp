// A molecule with its one-determinant wave function in a Gaussian basis, as the kernels
// want it.
//
// A basis function is  S_lm(x,y,z) * sum_k c_k exp(-a_k r^2)  about its atom: S_lm are
// the real solid harmonics in Racah's normalisation (S_00 = 1, S_1 = z, x, y, S_20 =
// (3z^2-r^2)/2, S_21 = sqrt(3) xz, S_2-1 = sqrt(3) yz, S_22 = sqrt(3)/2 (x^2-y^2), S_2-2
// = sqrt(3) xy, ...) in the order m = 0, +1, -1, +2, -2, ...; for a Cartesian shell the
// plain monomials x^i y^j z^k in alphabetical order (xx, xy, xz, yy, yz, zz). Every other
// factor (radial and angular normalisation, the file's convention) is already inside c_k
// or the orbital coefficients.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace drover {

struct Atom {
  std::string symbol;
  int charge = 0;                    // nuclear charge
  std::array<double, 3> position{};  // bohr
};

struct Shell {
  int atom = 0;
  int l = 0;
  bool spherical = true;
  std::vector<double> exponents;     // 1/bohr^2
  std::vector<double> coefficients;  // c_k, same length
  int first_function = 0;            // index of its first basis function

  int functions() const { return spherical ? 2 * l + 1 : (l + 1) * (l + 2) / 2; }
};

struct Basis {
  std::vector<Shell> shells;
  int functions = 0;
};

// What the import found out about itself; printed by `check`.
struct ImportProof {
  std::string format;                    // "Molden"
  std::string convention;                // which normalisation and order passed
  double worst_overlap_deviation = 0.0;  // max |C^T S C - 1| over the occupied orbitals
  double nuclear_repulsion = 0.0;        // hartree
  bool has_file_energy = false;
  double file_energy = 0.0;        // hartree, where the file has one
  std::vector<std::string> notes;  // what the user should know, in words
};

struct Molecule {
  std::string name;  // from the file's name
  std::vector<Atom> atoms;
  int charge = 0;
  int up = 0, down = 0;  // electrons of each spin; up first everywhere
  Basis basis;
  std::vector<double> orbitals_up;    // [up][functions]
  std::vector<double> orbitals_down;  // [down][functions]
  bool restricted = true;             // both spins share orbitals (down's are up's first)
  ImportProof proof;

  int electrons() const { return up + down; }
};

// sum_{I<J} Z_I Z_J / R_IJ, hartree.
double nuclear_repulsion(const std::vector<Atom>& atoms);

}  // namespace drover
