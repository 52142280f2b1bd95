// What the kernels read: the wave function as flat tables of numbers.
//
// Plain pointers and integers only, so that kernel files compiled for another instruction
// set share nothing with the rest of the program but these layouts. MolecularWave (host)
// owns the memory. Lengths in bohr, energies in hartree.
#pragma once

#include <cstdint>

namespace drover {

// One shell: basis functions S_lm * g(r^2) about an atom, with g = sum_k c_k exp(-a_k
// r^2).
struct ShellPlan {
  int l = 0;
  int cartesian = 0;
  int first_primitive = 0;  // into the contraction tables
  int primitives = 0;
  int first_function = 0;
  double cusp_weight = 0;  // of its g in the s orbital that the nuclear cusp replaces
};

// A contraction coefficient: `exponent` is an index into the atom's distinct exponents.
// value = c, slope = -a c (d/dr^2), curvature = a^2 c.
struct PrimitivePlan {
  int exponent = 0;
  double value = 0, slope = 0, curvature = 0;
};

// exp(-a r^2) counts as zero where drop * r^2 > 45: by then it is below 1e-19 of the most
// diffuse primitive of every shell it belongs to, or below exp(-700).
struct ExponentPlan {
  double a = 0, drop = 0;
};

struct AtomPlan {
  double x = 0, y = 0, z = 0, charge = 0;
  int first_shell = 0, shells = 0;
  int first_exponent = 0, exponents = 0;
  int kind = 0;  // index of its element, ascending nuclear charge
};

// c x^i y^j z^k of a solid harmonic or Cartesian function with l >= 3 (or Cartesian l >=
// 2).
struct MonomialPlan {
  double c = 0;
  int i = 0, j = 0, k = 0;
};

struct OrbitalPlan {
  int atoms = 0, shells = 0, functions = 0, max_l = 0, max_exponents = 0;
  const AtomPlan* atom = nullptr;
  const ShellPlan* shell = nullptr;
  const PrimitivePlan* primitive = nullptr;
  const ExponentPlan* exponent = nullptr;
  // angular tables of shells that need them: per function its range of monomials
  const MonomialPlan* monomial = nullptr;
  const int* first_monomial = nullptr;  // [functions + 1]
  int up = 0, down = 0;
  const double* up_coefficients = nullptr;    // [functions][up]
  const double* down_coefficients = nullptr;  // [functions][down]
};

// Nuclear cusp of one atom: chi = [p(r) - ln g(r^2)] / (1 + (r/rc)^3) inside rc, g the
// atom's weighted s contractions. p = sum_k c_k r^k; the derivative tables are dp/dX4 and
// dp/drc.
struct CuspAtomPlan {
  double rc = 0, c[5] = {}, by_x4[5] = {}, by_rc[5] = {};
};

struct CuspPlan {
  int active = 0;
  int first_parameter = 0;  // X4 of every kind, then rc of every kind
  int kinds = 0;
  const CuspAtomPlan* atom = nullptr;
};

// A function of r_ij with one parameter: pade's b, rexp's alpha.
struct PairPlan {
  int active = 0;
  int parameter = 0;
  double range = 0;             // the parameter's value
  double like = 0, unlike = 0;  // slopes at coalescence
};

// A left factor: coefficient * R^m, and the parameter it belongs to.
struct EenTerm {
  int m = 0;
  int parameter = 0;  // offset of its c within a kind's coefficients
};

// Boys-Handy. With a_m = R_iI^m and S_o = R_ij^o the sum over pairs is written over
// ordered pairs,  sum_I sum_channels sum_{i != j} left(i) S_o(ij) right(j),  where a
// channel is a pair (o, n): right = a_n and left = sum_m c_mno a_m. Channels with n = 0
// do not see which nucleus the right factor belongs to and are summed over a kind's
// nuclei first.
struct EenChannel {
  int order = 0;  // index into orders, -1: o = 0
  int n = 0;      // power of the right factor; >= 2
  int first_term = 0, terms = 0;
};

struct EenPlan {
  int active = 0;
  int kinds = 0, atoms = 0;
  int max_power = 0;  // largest m or n
  int orders = 0;     // distinct o > 0, ascending; order[q] = o
  int order[12] = {};
  int max_order = 0;
  // n = 0, m >= 2, o > 0: terms per order
  int plain_first[13] = {};  // per order q: range in plain_term
  const EenTerm* plain_term = nullptr;
  // m, n >= 2
  int channels = 0;
  const EenChannel* channel = nullptr;
  const EenTerm* channel_term = nullptr;
  const double* channel_weight = nullptr;  // 1/2 where m = n, per channel term
  // o = 0, n = 0: one-body terms, weight N - 1
  int body_terms = 0;
  const EenTerm* body_term = nullptr;
  // m = n = 0, o > 1: parameter per order or -1
  int pure_parameter[12] = {};
  // per kind
  const double* b = nullptr;
  const double* d = nullptr;
  const double* c = nullptr;  // [kind][coefficients]
  int coefficients = 0;
  const double* b_slope = nullptr;  // db/d(raw parameter)
  const double* d_slope = nullptr;
  const int* kind_nuclei = nullptr;  // [kind + 1]: ranges in nucleus
  const int* nucleus = nullptr;      // atom indices sorted by kind
  // electron-electron slopes that the (0,0,1) term carries for one nucleus: slope/nuclei
  double like = 0, unlike = 0;
  int b_parameter = 0, c_parameter = 0, d_parameter = 0;  // first global parameter index
};

// d raw/dp of a coefficient or cutoff (raw) of truncated_kernel.hpp and a parameter.
struct TruncatedLink {
  int raw = 0, parameter = 0;
  double weight = 0;
};

// Polynomials that a cutoff ends; see truncated_kernel.hpp. No terms or powers: no such
// part. Cutoffs in bohr, coefficients of plain powers of bohr.
struct TruncatedPlan {
  int active = 0;
  int u_terms = 0;            // c_0 to c_(u_terms - 1)
  double u_cutoff = 0;        // infinite: none
  const double* u = nullptr;  // [2][u_terms]: unlike spins, like spins
  int chi_terms = 0;
  const double* chi_cutoff = nullptr;     // [kind]
  const double* chi = nullptr;            // [kind][chi_terms]
  int f_powers = 0, f_highest = 0;        // distinct l (and m) and the largest of them
  int f_orders = 0, f_highest_order = 0;  // distinct n
  int f_power[8] = {}, f_order[8] = {};
  const double* f_cutoff = nullptr;           // [kind]
  const double* f = nullptr;                  // [kind][l][m][n], symmetric in l and m
  int f_raw = 0;                              // raw derivatives of f an element
  int raw = 0, chi_raw = 0, f_raw_first = 0;  // of all; where those of chi and f begin
  int links = 0;
  const TruncatedLink* link = nullptr;
};

// What a comparison with pytc adds to the distances of the Jastrow terms that say so:
// sqrt(r^2 + square) or r + shift. Zero in every model.
struct Softening {
  double square = 0, shift = 0;
};

// A dense network: layer l takes width[l] inputs to width[l + 1] outputs, its weights are
// bias[outputs], then kernel[inputs][outputs], at these offsets (bias -1: none).
inline constexpr int max_network_layers = 8;
struct NetworkPlan {
  int layers = 0;  // with the last, linear one; at least 2
  int width[max_network_layers + 1] = {};
  int widest = 0;  // of the hidden layers
  int bias[max_network_layers] = {}, kernel[max_network_layers] = {};
  const double* weights = nullptr;
};

// Neural Jastrow term. Its inputs are features s of distances: the pair's (not of en),
// then of every nucleus; een sums s(r_iI) + s(r_jI) under one weight. u of ee and een
// also has the cusp like/unlike * r/(1 + r), zero where another term carries it.
enum class NeuralKind { ee, en, een };
struct NeuralPlan {
  int active = 0;
  NetworkPlan net;
  int first_parameter = 0;  // of the weights, in their order
  int distances = 0;        // 1: s = r (pytc); 0: s = (r/(1 + r))^2
  int residual = 0;         // the first layer has a residual connection
  double like = 0, unlike = 0;
};

struct WavePlan {
  int electrons = 0, up = 0, down = 0, atoms = 0, parameters = 0;
  double nuclear_repulsion = 0;
  OrbitalPlan orbitals;
  CuspPlan cusp;
  PairPlan pade, rexp;
  EenPlan een;
  TruncatedPlan polynomial, dtn, pytc_dtn;
  Softening softening;
  NeuralPlan neural[3];  // by NeuralKind
};

}  // namespace drover
