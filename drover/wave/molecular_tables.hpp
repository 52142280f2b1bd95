// The memory behind a WavePlan, and how a Molecule fills it.
#pragma once

#include <string>
#include <vector>

#include "drover/chem/molecule.hpp"
#include "drover/wave/plan.hpp"

namespace drover {

// Behind a TruncatedPlan, with what its parameters need beside it.
struct TruncatedTables {
  std::vector<double> u, chi, chi_cutoff, f, f_cutoff;
  std::vector<TruncatedLink> links;
  int first_parameter = 0;
  bool is_pytc = false;           // jastrow.cusp = "pytc"
  double like = 0, unlike = 0;    // slopes of u at coalescence
  std::vector<double> chi_slope;  // of chi at each element's nucleus
  // gamma_lmn = sum_q elimination[lmn][q] free_q in units of the cutoff (dtn_setup.cpp)
  std::vector<std::vector<double>> elimination;
};

struct MolecularTables {
  std::vector<AtomPlan> atoms;
  std::vector<ShellPlan> shells;
  std::vector<PrimitivePlan> primitives;
  std::vector<ExponentPlan> exponents;
  std::vector<MonomialPlan> monomials;
  std::vector<int> first_monomial;
  std::vector<double> up_coefficients, down_coefficients;  // [function][orbital]

  // per element, ascending nuclear charge
  std::vector<int> kind_charge;
  std::vector<std::string> kind_symbol;
  std::vector<CuspAtomPlan> cusp_atoms;

  // Boys-Handy
  std::vector<EenTerm> plain_terms, channel_terms, body_terms;
  std::vector<EenChannel> channels;
  std::vector<double> channel_weights;
  std::vector<double> b, d, b_slope, d_slope, c;
  std::vector<int> kind_nuclei, nucleus;

  TruncatedTables polynomial, dtn, pytc_dtn;
  std::vector<double> neural_weights[3];  // by NeuralKind
};

// The weights of an atom's s shells in the orbital that its nuclear cusp replaces
// (cusp_weight of the shells), scaled to 1 at the nucleus: the s part of the density
// matrix gamma(R_I, r), or with `first_shell_only` the first s contraction as it stands
// (pytc). False: no s shell.
bool set_cusp_weights(const Molecule& molecule, int atom, bool first_shell_only,
                      MolecularTables& tables);

// ln|g| of an atom's weighted s contractions at distance r with three derivatives in r.
struct LogContraction {
  double value, d1, d2, d3;
};
LogContraction contraction_logarithm(const MolecularTables& tables, int atom, double r);

// Atoms, shells, exponents, angular tables and coefficients of the plan. Errors: input,
// for an angular momentum beyond 6.
void fill_orbital_tables(const Molecule& molecule, MolecularTables& tables);

}  // namespace drover
