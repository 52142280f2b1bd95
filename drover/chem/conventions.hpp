// The import proof: which normalisation and order does a file's basis mean?
//
// The orbitals of a determinant are orthonormal, so C^T S C = 1 with S from the basis as
// the file tells it. Programs differ in what their numbers mean: every convention below
// is tried, those with |C^T S C - 1| of at most 1e-4 over the occupied orbitals remain,
// and the one is taken that fits best, the file's empty orbitals counted in: a wrong norm
// of functions with small coefficients c changes psi by c and the overlap by c^2 only.
// Conventions that fit equally well within a file's digits but differ in psi are told.
// When none fits, the file is refused with the worst norm that each gave. Nothing is
// renormalised beyond that.
#pragma once

#include <string_view>
#include <vector>

#include "drover/chem/file_wavefunction.hpp"

namespace drover {

// What one Cartesian function of l >= 2 stands for, as a factor before
// x^i y^j z^k sum_k d_k N_l(a_k) exp(-a_k r^2) (N_l: gaussian.hpp).
enum class CartesianNorm {
  each,      // sqrt((2l-1)!!/((2i-1)!!(2j-1)!!(2k-1)!!)): every function of unit norm
  shell,     // 1: all share the norm of x^l
  all,       // sqrt((2l-1)!!): all share the norm of xy, xyz
  each_all,  // `each` times sqrt((2l-1)!!)
};

struct Convention {
  std::string_view name;
  bool raw_primitives = false;  // d_k holds the primitive's norm already
  bool renormalise = false;     // every contraction is scaled to unit norm
  CartesianNorm cartesian = CartesianNorm::each;
  // ORCA: d_k holds the norm of xy, xyz, xxyz instead of that of x^l, and the functions
  // with |m| = 3 and 4 have the other sign.
  bool orca_factors = false;
  bool orca_signs = false;
};

// The conventions of a format, in the order in which they are tried.
const std::vector<Convention>& conventions_of(FunctionOrder order);

// The basis and the orbitals as they are under the convention.
Molecule convert(const FileWavefunction& file, const Convention& convention);

// How far the orbitals are from orthonormal.
struct Orthonormality {
  double deviation =
      0.0;  // largest |C^T S C - 1| over both spins; infinity when not finite
  double worst_norm = 1.0;  // the diagonal element that is furthest from 1
  int orbital = 0;          // its number among the occupied ones of its spin, from 1
  bool down = false;
};
Orthonormality orthonormality(const Molecule& molecule);

// convert() under the convention that passes, with proof.format, .convention,
// .worst_overlap_deviation and .notes filled. Throws Error (input) when none does.
Molecule prove_import(const FileWavefunction& file);

}  // namespace drover
