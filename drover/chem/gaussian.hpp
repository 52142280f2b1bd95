// Norms of Gaussian functions about one centre.
//
//   N_l(a)^2 = (2a/pi)^(3/2) (4a)^l / (2l-1)!!
// normalises x^l exp(-a r^2) and, alike, every S_lm exp(-a r^2) in Racah's normalisation;
// a monomial x^i y^j z^k of the same l wants the further factor
//   sqrt((2l-1)!! / ((2i-1)!! (2j-1)!! (2k-1)!!)).
// Helgaker, Jorgensen and Olsen, Molecular Electronic-Structure Theory, sections 6.6
// and 8.2.
#pragma once

#include <vector>

#include "drover/chem/solid_harmonics.hpp"

namespace drover {

// n!! for odd n >= -1, as a double.
double double_factorial(int n);

// N_l(a); only square roots and products, so its bits are the same on every machine.
double primitive_norm(int l, double exponent);

// Factor that takes a monomial with the norm of x^l to unit norm; 1 for x^l, sqrt(3) for
// xy.
double monomial_norm_factor(const Monomial& monomial);

// Norm (not squared) of sum_k c_k S_lm exp(-a_k r^2).
double contraction_norm(int l, const std::vector<double>& exponents,
                        const std::vector<double>& coefficients);

}  // namespace drover
