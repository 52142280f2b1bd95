#include "drover/wave/molecular_model.hpp"

#include <algorithm>
#include <cmath>

#include "drover/core/error.hpp"
#include "drover/core/math.hpp"
#include "drover/wave/initial_walkers.hpp"
#include "drover/wave/molecular_tables.hpp"

namespace drover {

MolecularModel::MolecularModel(const Molecule& molecule, const JastrowSettings& jastrow)
    : MolecularModel(molecule, jastrow, drover::instruction_set(), drover::lanes()) {}

MolecularModel::MolecularModel(const Molecule& molecule, const JastrowSettings& jastrow,
                               InstructionSet set, int lanes)
    : molecule_(molecule),
      tables_(std::make_unique<MolecularTables>()),
      kernels_(molecular_kernels(set, lanes)) {
  plan_.electrons = molecule.electrons();
  plan_.up = molecule.up;
  plan_.down = molecule.down;
  plan_.atoms = static_cast<int>(molecule.atoms.size());
  plan_.nuclear_repulsion = nuclear_repulsion(molecule.atoms);
  build_orbitals(molecule);

  std::string electron_cusp;  // the term that carries it
  std::vector<std::string> seen;
  for (const TermSettings& term : jastrow.terms) {
    if (std::find(seen.begin(), seen.end(), term.name) != seen.end())
      throw input_error("jastrow.terms: '" + term.name + "' is there twice",
                        {.key = "jastrow.terms"});
    seen.push_back(term.name);
    if (term.name == "boys-handy" || term.name == "pade") {
      if (!electron_cusp.empty())
        throw input_error("jastrow.terms: '" + electron_cusp + "' and '" + term.name +
                              "' both carry the electron-electron cusp; keep one of them",
                          {.key = "jastrow.terms"});
      electron_cusp = term.name;
    }
    if (term.name == "nuclear-cusp") {
      build_cusp();
    } else if (term.name == "boys-handy") {
      build_boys_handy(term, jastrow.cusp);
    } else if (term.name == "pade") {
      build_pade(term, jastrow.cusp);
    } else {
      throw input_error("jastrow.terms: there is no term '" + term.name +
                            "'; the terms are nuclear-cusp, boys-handy and pade",
                        {.key = "jastrow.terms"});
    }
  }
  plan_.parameters = static_cast<int>(parameters_.size());
  std::vector<double> initial;
  for (const ParameterInfo& p : parameters_) initial.push_back(p.initial);
  set_parameters(initial);
}

MolecularModel::~MolecularModel() = default;

void MolecularModel::set_parameters(const std::vector<double>& values) {
  if (values.size() != parameters_.size())
    throw Error(ErrorKind::logic, "[set_parameters] the wave function has " +
                                      std::to_string(parameters_.size()) +
                                      " parameters, found " +
                                      std::to_string(values.size()));
  if (plan_.cusp.active) set_cusp(values);
  if (plan_.pade.active)
    plan_.pade.b = values[static_cast<std::size_t>(plan_.pade.parameter)];
  if (plan_.een.active) {
    const EenPlan& e = plan_.een;
    for (int k = 0; k < e.kinds; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const double raw_b = values[static_cast<std::size_t>(e.b_parameter + k)];
      const double raw_d = values[static_cast<std::size_t>(e.d_parameter + k)];
      tables_->b[at] = softplus(raw_b);
      tables_->d[at] = softplus(raw_d);
      tables_->b_slope[at] = logistic(raw_b);
      tables_->d_slope[at] = logistic(raw_d);
    }
    for (int k = 0; k < e.kinds * e.coefficients; ++k)
      tables_->c[static_cast<std::size_t>(k)] =
          values[static_cast<std::size_t>(e.c_parameter + k)];
  }
}

namespace {

class WorkspaceScratch final : public Model::Scratch {
 public:
  explicit WorkspaceScratch(long bytes)
      : block_(static_cast<char*>(
            ::operator new(static_cast<std::size_t>(bytes), std::align_val_t(64)))) {
    // Touched here, by the device that will use it.
    std::fill_n(block_, bytes, char{0});
  }
  ~WorkspaceScratch() override { ::operator delete(block_, std::align_val_t(64)); }
  WorkspaceScratch(const WorkspaceScratch&) = delete;
  WorkspaceScratch& operator=(const WorkspaceScratch&) = delete;
  char* block() { return block_; }

 private:
  char* block_;
};

}  // namespace

std::unique_ptr<Model::Scratch> MolecularModel::make_scratch() const {
  return std::make_unique<WorkspaceScratch>(workspace_bytes());
}

void MolecularModel::initial_positions(std::uint64_t seed, const TileView& tile) const {
  place_electrons(molecule_, seed, tile);
}

void MolecularModel::visit(Scratch& scratch, const VisitPlan& plan, const TileView& tile,
                           TileResult& result) const {
  kernels_.visit(plan_, static_cast<WorkspaceScratch&>(scratch).block(), plan, tile,
                 result);
}

// --- orbitals
// ------------------------------------------------------------------------------

void MolecularModel::build_orbitals(const Molecule& molecule) {
  MolecularTables& t = *tables_;
  fill_orbital_tables(molecule, t);
  OrbitalPlan& o = plan_.orbitals;
  o.atoms = plan_.atoms;
  o.shells = static_cast<int>(t.shells.size());
  o.functions = molecule.basis.functions;
  o.up = plan_.up;
  o.down = plan_.down;
  for (const ShellPlan& s : t.shells) o.max_l = std::max(o.max_l, s.l);
  for (const AtomPlan& a : t.atoms)
    o.max_exponents = std::max(o.max_exponents, a.exponents);
  o.atom = t.atoms.data();
  o.shell = t.shells.data();
  o.primitive = t.primitives.data();
  o.exponent = t.exponents.data();
  o.monomial = t.monomials.data();
  o.first_monomial = t.first_monomial.data();
  o.up_coefficients = t.up_coefficients.data();
  o.down_coefficients = t.down_coefficients.data();
}

// --- nuclear cusp
// --------------------------------------------------------------------------

void MolecularModel::build_cusp() {
  MolecularTables& t = *tables_;
  CuspPlan& cusp = plan_.cusp;
  cusp.active = 1;
  cusp.kinds = static_cast<int>(t.kind_charge.size());
  cusp.first_parameter = static_cast<int>(parameters_.size());
  t.cusp_kinds.resize(t.kind_charge.size());
  cusp.kind = t.cusp_kinds.data();
  for (std::size_t k = 0; k < t.kind_charge.size(); ++k) {
    if (t.kind_charge[k] != 0 && t.cusp_shell[k] < 0)
      throw input_error(
          "jastrow.terms: 'nuclear-cusp' needs an s shell on every nucleus, and " +
              t.kind_symbol[k] + " has none in this basis; leave the term out",
          {.key = "jastrow.terms"});
    if (t.kind_charge[k] ==
        0) {  // a centre without a nucleus has no cusp: its radius is 0
      parameters_.push_back(
          {"nuclear-cusp.p4(0)[" + t.kind_symbol[k] + "]", 0.0, 0.0, 0.0});
      continue;
    }
    const double at_nucleus = contraction_logarithm(t, t.cusp_shell[k], 0.0).value;
    // It starts a tenth above the orbital, as pytc does; far from it the term makes no
    // sense.
    const double start = at_nucleus + 0.09531017980432486;  // ln 1.1
    parameters_.push_back({"nuclear-cusp.p4(0)[" + t.kind_symbol[k] + "]", start,
                           start - 1.0, start + 1.0});
  }
  for (std::size_t k = 0; k < t.kind_charge.size(); ++k) {
    const double z = t.kind_charge[k];
    const std::string name = "nuclear-cusp.rc[" + t.kind_symbol[k] + "]";
    if (z == 0.0)
      parameters_.push_back({name, 0.0, 0.0, 0.0});
    else
      parameters_.push_back({name, 1.0 / z, 0.8 / z, 1.2 / z});
  }
}

// p(r) = c0 - Z r + c2 r^2 + c3 r^3 + c4 r^4 meets L = ln g at rc with two derivatives.
// In units y_k = c_k rc^k:  y2 + y3 + y4 = a, 2 y2 + 3 y3 + 4 y4 = b, 2 y2 + 6 y3 + 12 y4
// = c.
void MolecularModel::set_cusp(const std::vector<double>& values) {
  MolecularTables& t = *tables_;
  const CuspPlan& cusp = plan_.cusp;
  const auto solve = [](double a, double b, double c, double rc, double* out) {
    out[2] = (6 * a - 3 * b + c / 2) / (rc * rc);
    out[3] = (5 * b - 8 * a - c) / (rc * rc * rc);
    out[4] = (c - 4 * b + 6 * a) / (2 * rc * rc * rc * rc);
  };
  for (std::size_t k = 0; k < t.cusp_kinds.size(); ++k) {
    CuspKindPlan& p = t.cusp_kinds[k];
    const auto first = static_cast<std::size_t>(cusp.first_parameter);
    const double c0 = values[first + k], rc = values[first + t.cusp_kinds.size() + k];
    const double z = t.kind_charge[k];
    if (z == 0.0) {
      p = CuspKindPlan{};
      continue;
    }
    const LogContraction l = contraction_logarithm(t, t.cusp_shell[k], rc);
    p = CuspKindPlan{};
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

// --- Pade
// ----------------------------------------------------------------------------------

void MolecularModel::build_pade(const TermSettings& term, const std::string& cusp) {
  PadePlan& p = plan_.pade;
  p.active = 1;
  p.unlike = 0.5;
  p.like = cusp == "pytc" ? 0.5 : 0.25;
  p.parameter = static_cast<int>(parameters_.size());
  const auto b = term.numbers.find("b");
  parameters_.push_back({"pade.b", b == term.numbers.end() ? 1.0 : b->second, 1e-3, 1e3});
}

}  // namespace drover
