// The Slater-Jastrow wave function of a molecule as a Model: host side of the kernels.
//
// Owns the flat tables of WavePlan, built from a Molecule and the Jastrow settings, and
// turns parameter values into them. Parameters stand in the order of the terms, those of
// an element in ascending nuclear charge; the set-up of each term says which it has.
#pragma once

#include "drover/chem/molecule.hpp"
#include "drover/core/cpu.hpp"
#include "drover/wave/jastrow_settings.hpp"
#include "drover/wave/model.hpp"
#include "drover/wave/molecular_kernels.hpp"
#include "drover/wave/plan.hpp"

namespace drover {

struct JastrowTerm;
struct MolecularTables;

class MolecularModel : public Model {
 public:
  // Kernels of this machine (core/cpu.hpp). Errors: input, for terms that do not exist,
  // that break a cusp, or two that carry the same cusp.
  MolecularModel(const Molecule& molecule, const JastrowSettings& jastrow);
  // The same with the kernels named.
  MolecularModel(const Molecule& molecule, const JastrowSettings& jastrow,
                 InstructionSet set, int lanes);
  ~MolecularModel() override;

  int electrons() const override { return plan_.electrons; }
  const std::vector<ParameterInfo>& parameters() const override { return parameters_; }
  void set_parameters(const std::vector<double>& values) override;
  std::unique_ptr<Scratch> make_scratch() const override;
  void initial_positions(std::uint64_t seed, const TileView& tile) const override;
  void visit(Scratch& scratch, const VisitPlan& plan, const TileView& tile,
             TileResult& result) const override;
  int lanes() const override { return kernels_.lanes; }
  std::string instruction_set() const override { return kernels_.instruction_set; }

  // For kernels instantiated elsewhere: reference scalars in tests, counted operations.
  const WavePlan& plan() const { return plan_; }
  // Bytes of workspace a device needs.
  long workspace_bytes() const { return kernels_.workspace_bytes(plan_); }

 private:
  void build_orbitals(const Molecule& molecule);

  Molecule molecule_;
  std::unique_ptr<MolecularTables> tables_;  // the memory plan_ points into
  WavePlan plan_;
  MolecularKernels kernels_;
  std::vector<ParameterInfo> parameters_;
  std::vector<const JastrowTerm*> terms_;
};

}  // namespace drover
