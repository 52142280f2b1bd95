// Plain reference evaluation of basis functions and orbitals at a point, in double.
//
// With S = S_lm(x,y,z), R(r^2) = sum_k c_k exp(-a_k r^2), R' and R" its derivatives in
// r^2:
//   chi = S R,   grad chi = R grad S + 2 r S R',
//   lap chi = R lap S + 4 l S R' + S (6 R' + 4 r^2 R")
// since r.grad S = l S for a homogeneous polynomial of degree l. The fast kernels are
// tested against this; exp is drover's own, so the bits are the same on every CPU.
#pragma once

#include <array>
#include <vector>

#include "drover/chem/molecule.hpp"

namespace drover {

// Functions and their derivatives at one point.
struct FieldValues {
  std::vector<double> value;                    // [functions]
  std::vector<std::array<double, 3>> gradient;  // [functions], 1/bohr
  std::vector<double> laplacian;                // [functions], 1/bohr^2
};

// Every basis function of the molecule at `point` (bohr).
FieldValues evaluate_basis(const std::vector<Atom>& atoms, const Basis& basis,
                           const std::array<double, 3>& point);

// The orbitals C [number][functions] at `point` (bohr).
FieldValues evaluate_orbitals(const std::vector<Atom>& atoms, const Basis& basis,
                              const std::vector<double>& orbitals, int number,
                              const std::array<double, 3>& point);

}  // namespace drover
