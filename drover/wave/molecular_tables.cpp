#include "drover/wave/molecular_tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "drover/chem/solid_harmonics.hpp"
#include "drover/core/error.hpp"
#include "drover/core/math.hpp"

namespace drover {

namespace {

std::vector<Monomial> angular_function(const Shell& shell, int m) {
  std::vector<Monomial> terms;
  if (shell.spherical) {
    for (const Monomial& t : solid_harmonic(shell.l, m)) terms.push_back(t);
    return terms;
  }
  int index = 0;  // alphabetical: xx, xy, xz, yy, yz, zz
  for (int i = shell.l; i >= 0; --i)
    for (int j = shell.l - i; j >= 0; --j)
      if (index++ == m) terms.push_back({1.0, i, j, shell.l - i - j});
  return terms;
}

void fill_kinds(const Molecule& molecule, MolecularTables& t) {
  std::map<int, std::string> kinds;
  for (const Atom& a : molecule.atoms) kinds[a.charge] = a.symbol;
  for (const auto& [charge, symbol] : kinds) {
    t.kind_charge.push_back(charge);
    t.kind_symbol.push_back(symbol);
  }
}

int kind_of(const MolecularTables& t, int charge) {
  const auto at = std::lower_bound(t.kind_charge.begin(), t.kind_charge.end(), charge);
  return static_cast<int>(at - t.kind_charge.begin());
}

// The distinct exponents of an atom's shells, ascending, and beyond which r^2 each is
// dropped: where it is 1e-19 of its shell's most diffuse one, and where the kernel's
// exponential ends.
std::vector<ExponentPlan> distinct_exponents(const std::vector<const Shell*>& shells) {
  std::map<double, double>
      smallest;  // exponent -> largest of its shells' smallest exponents
  for (const Shell* s : shells) {
    const double least = *std::min_element(s->exponents.begin(), s->exponents.end());
    for (const double a : s->exponents) {
      double& q = smallest.emplace(a, least).first->second;
      q = std::max(q, least);
    }
  }
  std::vector<ExponentPlan> out;
  for (const auto& [a, least] : smallest)
    out.push_back({a, std::max(a - least, a * (45.0 / 700.0))});
  return out;
}

}  // namespace

void fill_orbital_tables(const Molecule& molecule, MolecularTables& t) {
  fill_kinds(molecule, t);
  for (std::size_t i = 0; i < molecule.atoms.size(); ++i) {
    const Atom& atom = molecule.atoms[i];
    AtomPlan plan;
    plan.x = atom.position[0];
    plan.y = atom.position[1];
    plan.z = atom.position[2];
    plan.charge = atom.charge;
    plan.kind = kind_of(t, atom.charge);
    plan.first_shell = static_cast<int>(t.shells.size());
    plan.first_exponent = static_cast<int>(t.exponents.size());

    std::vector<const Shell*> shells;
    for (const Shell& s : molecule.basis.shells)
      if (s.atom == static_cast<int>(i)) shells.push_back(&s);
    const std::vector<ExponentPlan> exponents = distinct_exponents(shells);
    t.exponents.insert(t.exponents.end(), exponents.begin(), exponents.end());
    plan.exponents = static_cast<int>(exponents.size());

    for (const Shell* s : shells) {
      if (s->l > max_angular_momentum)
        throw input_error("a shell of angular momentum " + std::to_string(s->l) +
                          " on atom " + std::to_string(i + 1) + ": at most " +
                          std::to_string(max_angular_momentum) + " is supported");
      ShellPlan shell;
      shell.l = s->l;
      shell.cartesian = s->spherical ? 0 : 1;
      shell.first_function = s->first_function;
      shell.first_primitive = static_cast<int>(t.primitives.size());
      shell.primitives = static_cast<int>(s->exponents.size());
      for (std::size_t k = 0; k < s->exponents.size(); ++k) {
        const double a = s->exponents[k], c = s->coefficients[k];
        const auto at = std::find_if(exponents.begin(), exponents.end(),
                                     [a](const ExponentPlan& e) { return e.a == a; });
        t.primitives.push_back(
            {static_cast<int>(at - exponents.begin()), c, -a * c, a * a * c});
      }
      t.shells.push_back(shell);
    }
    plan.shells = static_cast<int>(t.shells.size()) - plan.first_shell;
    t.atoms.push_back(plan);
  }

  // Angular tables by basis function, in the order of the functions.
  std::vector<std::vector<Monomial>> angular(
      static_cast<std::size_t>(molecule.basis.functions));
  for (const Shell& s : molecule.basis.shells)
    for (int m = 0; m < s.functions(); ++m)
      angular[static_cast<std::size_t>(s.first_function + m)] = angular_function(s, m);
  t.first_monomial.push_back(0);
  for (const auto& terms : angular) {
    for (const Monomial& q : terms) t.monomials.push_back({q.c, q.i, q.j, q.k});
    t.first_monomial.push_back(static_cast<int>(t.monomials.size()));
  }

  const auto transpose = [&](const std::vector<double>& c, int orbitals) {
    const auto functions = static_cast<std::size_t>(molecule.basis.functions);
    const auto n = static_cast<std::size_t>(orbitals);
    std::vector<double> out(functions * n);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t f = 0; f < functions; ++f) out[f * n + k] = c[k * functions + f];
    return out;
  };
  t.up_coefficients = transpose(molecule.orbitals_up, molecule.up);
  t.down_coefficients = transpose(molecule.orbitals_down, molecule.down);
}

}  // namespace drover
