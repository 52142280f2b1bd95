// Overlap integrals S_ab = <chi_a|chi_b> of a molecule's basis, and of its orbitals.
//
// The product of two Gaussians is one Gaussian at P = (aA + bB)/(a+b); what is left is,
// in each direction, the integral s_ij of (x-A)^i (x-B)^j exp(-p (x-P)^2), from the
// recursion
//   s_(i+1)j = (P-A) s_ij + (i s_(i-1)j + j s_i(j-1)) / (2p),   s_00 = sqrt(pi/p)
// of Obara and Saika, J. Chem. Phys. 84, 3963 (1986). Any l up to 6.
#pragma once

#include <vector>

#include "drover/chem/molecule.hpp"

namespace drover {

// S, [functions][functions], symmetric.
std::vector<double> overlap_matrix(const std::vector<Atom>& atoms, const Basis& basis);

// C S C^T, [orbitals][orbitals], for C [orbitals][functions]. Holds no matrix larger than
// C.
std::vector<double> orbital_overlap(const std::vector<Atom>& atoms, const Basis& basis,
                                    const std::vector<double>& orbitals, int number);

}  // namespace drover
