#include "drover/wave/molecular_model.hpp"

#include <algorithm>

#include "drover/core/error.hpp"
#include "drover/wave/initial_walkers.hpp"
#include "drover/wave/molecular_tables.hpp"
#include "drover/wave/term_registry.hpp"

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

  terms_ = build_jastrow(molecule_, jastrow, *tables_, plan_, parameters_);
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
  for (const JastrowTerm* term : terms_) term->set(values, *tables_, plan_);
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

}  // namespace drover
