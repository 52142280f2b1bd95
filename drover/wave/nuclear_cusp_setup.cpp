// Nuclear cusp on the host: which orbital it replaces, and the quartic that does.
//
//   chi(r) = [p(r) - ln g(r^2)] / (1 + (r/rc)^3),
//   p = c0 - Z r + c2 r^2 + c3 r^3 + c4 r^4 meets ln g at rc with two derivatives.
// g is the s part about the nucleus of the density matrix, sum_k phi_k(R_I) phi_k(r) over
// the occupied orbitals of both spins, scaled to 1 at the nucleus: what electrons there
// really see. pytc takes the first s contraction of the basis (cusp = "pytc"); for helium
// in cc-pVTZ that leaves a variance of 0.25 hartree^2, the density matrix 0.008.
#include <algorithm>
#include <cmath>

#include "drover/core/error.hpp"
#include "drover/core/math.hpp"
#include "drover/wave/term_setup.hpp"

namespace drover {

namespace {

std::vector<int> s_shells(const MolecularTables& t, int atom) {
  const AtomPlan& a = t.atoms[static_cast<std::size_t>(atom)];
  std::vector<int> found;
  for (int q = a.first_shell; q < a.first_shell + a.shells; ++q)
    if (t.shells[static_cast<std::size_t>(q)].l == 0) found.push_back(q);
  return found;
}

double value_at_nucleus(const MolecularTables& t, const ShellPlan& s) {
  double g = 0.0;
  for (int k = 0; k < s.primitives; ++k)
    g += t.primitives[static_cast<std::size_t>(s.first_primitive + k)].value;
  return g;
}

void clear_weights(MolecularTables& t, int atom) {
  for (const int q : s_shells(t, atom))
    t.shells[static_cast<std::size_t>(q)].cusp_weight = 0;
}

// Positive, and never below a fiftieth of its value at the nucleus, wherever rc may lie.
bool is_smooth(const MolecularTables& t, int atom) {
  const double z = t.atoms[static_cast<std::size_t>(atom)].charge;
  double last = 1.0;
  for (int k = 1; k <= 100; ++k) {
    const LogContraction l = contraction_logarithm(t, atom, 1.2 / z * k / 100);
    // A change of sign passes through zero: |g| then falls and rises again.
    if (!(l.value > -3.9) || (l.d1 > 0.0 && last < 0.2)) return false;
    last = exp(l.value);
  }
  return true;
}

}  // namespace

bool set_cusp_weights(const Molecule& molecule, int atom, bool first_shell_only,
                      MolecularTables& t) {
  const std::vector<int> shells = s_shells(t, atom);
  if (shells.empty()) return false;
  const auto shell_of = [&](int q) -> ShellPlan& {
    return t.shells[static_cast<std::size_t>(q)];
  };
  clear_weights(t, atom);
  if (!first_shell_only) {
    const auto functions = static_cast<std::size_t>(molecule.basis.functions);
    for (const auto* orbitals : {&molecule.orbitals_up, &molecule.orbitals_down}) {
      for (std::size_t k = 0; k + functions <= orbitals->size(); k += functions) {
        const double* c = orbitals->data() + k;
        double at_nucleus = 0.0;
        for (const int q : shells)
          at_nucleus += c[shell_of(q).first_function] * value_at_nucleus(t, shell_of(q));
        for (const int q : shells)
          shell_of(q).cusp_weight += at_nucleus * c[shell_of(q).first_function];
      }
    }
    double scale = 0.0;
    for (const int q : shells)
      scale += shell_of(q).cusp_weight * value_at_nucleus(t, shell_of(q));
    if (scale > 0.0) {
      for (const int q : shells) shell_of(q).cusp_weight /= scale;
      if (is_smooth(t, atom)) return true;
    }
    clear_weights(t, atom);
  }
  ShellPlan& first = shell_of(shells.front());
  first.cusp_weight = first_shell_only ? 1.0 : 1.0 / value_at_nucleus(t, first);
  return true;
}

LogContraction contraction_logarithm(const MolecularTables& t, int atom, double r) {
  const AtomPlan& plan = t.atoms[static_cast<std::size_t>(atom)];
  double g = 0, g1 = 0, g2 = 0, g3 = 0;
  for (const int q : s_shells(t, atom)) {
    const ShellPlan& s = t.shells[static_cast<std::size_t>(q)];
    if (s.cusp_weight == 0.0) continue;
    for (int k = 0; k < s.primitives; ++k) {
      const PrimitivePlan& p =
          t.primitives[static_cast<std::size_t>(s.first_primitive + k)];
      const double a =
          t.exponents[static_cast<std::size_t>(plan.first_exponent + p.exponent)].a;
      const double e = s.cusp_weight * p.value * exp(-a * r * r);
      g += e;
      g1 += -2 * a * r * e;
      g2 += (4 * a * a * r * r - 2 * a) * e;
      g3 += (12 * a * a * r - 8 * a * a * a * r * r * r) * e;
    }
  }
  const double q1 = g1 / g, q2 = g2 / g, q3 = g3 / g;
  return {log(std::fabs(g)), q1, q2 - q1 * q1, q3 - 3 * q1 * q2 + 2 * q1 * q1 * q1};
}

namespace term_setup {

void build_nuclear_cusp(TermBuild& build) {
  MolecularTables& t = build.tables;
  CuspPlan& cusp = build.plan.cusp;
  cusp.active = 1;
  cusp.kinds = static_cast<int>(t.kind_charge.size());
  cusp.first_parameter = build.next_parameter();
  t.cusp_atoms.resize(t.atoms.size());
  cusp.atom = t.cusp_atoms.data();
  std::vector<double> at_nucleus(t.kind_charge.size(), 0.0);
  for (std::size_t a = t.atoms.size(); a-- > 0;) {
    const auto kind = static_cast<std::size_t>(t.atoms[a].kind);
    if (t.kind_charge[kind] == 0) continue;  // a centre without a nucleus has no cusp
    const int atom = static_cast<int>(a);
    if (!set_cusp_weights(build.molecule, atom, build.pytc, t))
      throw input_error(
          "jastrow.terms: 'nuclear-cusp' needs an s shell on every nucleus, and " +
              t.kind_symbol[kind] + " has none in this basis; leave the term out",
          {.key = "jastrow.terms"});
    at_nucleus[kind] = contraction_logarithm(t, atom, 0.0).value;
  }
  const auto name = [&](const char* what, std::size_t kind) {
    return std::string("nuclear-cusp.") + what + "[" + t.kind_symbol[kind] + "]";
  };
  for (std::size_t k = 0; k < t.kind_charge.size(); ++k) {
    // It starts a tenth above the orbital, as pytc does; far from it the term makes no
    // sense. pytc's own range is 0.8 to 1.4 of the start (0.2.1, pytc/jastrow/ncusp.py).
    const double start = at_nucleus[k] + 0.09531017980432486;  // ln 1.1
    if (t.kind_charge[k] == 0)
      build.parameters.push_back({name("p4(0)", k), 0.0, 0.0, 0.0});
    else if (build.pytc)
      build.parameters.push_back({name("p4(0)", k), start,
                                  std::min(0.8 * start, 1.4 * start),
                                  std::max(0.8 * start, 1.4 * start)});
    else
      build.parameters.push_back({name("p4(0)", k), start, start - 1.0, start + 1.0});
  }
  for (std::size_t k = 0; k < t.kind_charge.size(); ++k) {
    const double z = t.kind_charge[k];
    if (z == 0.0)
      build.parameters.push_back({name("rc", k), 0.0, 0.0, 0.0});
    else
      build.parameters.push_back({name("rc", k), 1.0 / z, 0.8 / z, 1.2 / z});
  }
}

// In units y_k = c_k rc^k:
//   y2 + y3 + y4 = a, 2 y2 + 3 y3 + 4 y4 = b, 2 y2 + 6 y3 + 12 y4 = c.
void set_nuclear_cusp(const std::vector<double>& values, MolecularTables& t,
                      WavePlan& plan) {
  const auto solve = [](double a, double b, double c, double rc, double* out) {
    out[2] = (6 * a - 3 * b + c / 2) / (rc * rc);
    out[3] = (5 * b - 8 * a - c) / (rc * rc * rc);
    out[4] = (c - 4 * b + 6 * a) / (2 * rc * rc * rc * rc);
  };
  const auto first = static_cast<std::size_t>(plan.cusp.first_parameter);
  for (std::size_t a = 0; a < t.atoms.size(); ++a) {
    const auto kind = static_cast<std::size_t>(t.atoms[a].kind);
    CuspAtomPlan& p = t.cusp_atoms[a];
    p = CuspAtomPlan{};
    const double z = t.kind_charge[kind];
    if (z == 0.0) continue;
    const double c0 = values[first + kind],
                 rc = values[first + t.kind_charge.size() + kind];
    const LogContraction l = contraction_logarithm(t, static_cast<int>(a), rc);
    p.rc = rc;
    p.c[0] = c0;
    p.c[1] = -z;
    solve(l.value - c0 + z * rc, (l.d1 + z) * rc, l.d2 * rc * rc, rc, p.c);
    p.by_x4[0] = 1.0;
    solve(-1.0, 0.0, 0.0, rc, p.by_x4);
    const double third = 6 * p.c[3] + 24 * p.c[4] * rc;
    solve(0.0, 0.0, (l.d3 - third) * rc * rc, rc, p.by_rc);
  }
}

}  // namespace term_setup
}  // namespace drover
