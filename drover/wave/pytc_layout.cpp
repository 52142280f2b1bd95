#include "drover/wave/pytc_layout.hpp"

#include <algorithm>
#include <numeric>

#include "drover/core/error.hpp"
#include "drover/wave/molecular_model.hpp"
#include "drover/wave/term_setup.hpp"

namespace drover {

namespace {

// Takes a term's parameters in their order.
class Layout {
 public:
  explicit Layout(int first) : next_(first) {}

  // The next parameters, one an element.
  PytcLeaf leaf(const std::string& name, std::vector<std::size_t> shape) {
    const std::size_t count =
        std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
    PytcLeaf leaf{name, name, std::move(shape), {}, {}, false};
    leaf.constant.assign(count, 0.0);
    for (std::size_t k = 0; k < count; ++k) leaf.parameter.push_back(next_++);
    return leaf;
  }
  int next() const { return next_; }

 private:
  int next_;
};

// An array of one number that no parameter stands for.
PytcLeaf unused(const std::string& name, double constant) {
  return {name, name, {}, {-1}, {constant}, false};
}

PytcFactor nuclear_cusp(Layout& at, std::size_t kinds) {
  PytcFactor f{"nuclear-cusp", {"NuclearCusp"}, {}};
  f.leaves = {at.leaf("X4", {kinds}), at.leaf("rc", {kinds})};
  for (PytcLeaf& leaf : f.leaves) leaf.clipped = true;
  return f;
}

// c of (0,0,1) is not free here: pytc puts 1/2 over the number of nuclei in its place.
PytcFactor boys_handy(Layout& at, std::size_t kinds, const TermSettings& settings,
                      int nuclei) {
  const auto& terms = term_setup::boys_handy_terms(settings);
  PytcFactor f{"boys-handy", {"BoysHandyAnalytical", "BoysHandy"}, {}};
  const PytcLeaf b = at.leaf("b_raw", {kinds});
  PytcLeaf c{"c_raw", "c_raw", {kinds, terms.size()}, {}, {}, false};
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    for (const std::vector<int>& mno : terms) {
      const bool cusp = mno == std::vector<int>{0, 0, 1};
      c.parameter.push_back(cusp ? -1 : at.leaf("", {}).parameter.front());
      c.constant.push_back(cusp ? 0.5 / nuclei : 0.0);
    }
  }
  f.leaves = {b, std::move(c), at.leaf("d_raw", {kinds})};
  return f;
}

// The first coefficient of u is the cusp, which pytc puts at 1/2.
PytcFactor pytc_dtn(Layout& at, std::size_t kinds) {
  PytcFactor f{"pytc-dtn", {"DTN"}, {}};
  const PytcLeaf en = at.leaf("rc_en_raw", {kinds});
  const PytcLeaf ee = at.leaf("rc_ee_raw", {1});
  PytcLeaf u = at.leaf("c_ee_raw", {8});
  u.shape = {9};
  u.parameter.insert(u.parameter.begin(), -1);
  u.constant.insert(u.constant.begin(), 0.5);
  f.leaves = {en, ee, std::move(u), at.leaf("c_en_raw", {kinds, 8}),
              at.leaf("c_een_raw", {kinds, 13})};
  return f;
}

// pytc's Poly is no dictionary but one array, of which it reads the first number.
PytcFactor polynomial(Layout& at) {
  PytcFactor f{"polynomial", {"Poly"}, {}};
  PytcLeaf c = at.leaf("", {1});
  c.shape = {3};
  c.parameter.resize(3, -1);
  c.constant.resize(3, 0.0);
  f.leaves = {std::move(c)};
  return f;
}

PytcFactor neural(Layout& at, const std::string& term, NeuralKind kind,
                  const NetworkPlan& net) {
  PytcFactor f{term, {}, {}};
  f.classes = {kind == NeuralKind::ee   ? "NeuralEE"
               : kind == NeuralKind::en ? "NeuralEN"
                                        : "NeuralEEN"};
  const auto size = [](int n) { return static_cast<std::size_t>(n); };
  for (int l = 0; l < net.layers; ++l) {
    const std::string layer = "net_vars/params/JastrowDense_" + std::to_string(l) + "/";
    const std::size_t to = size(net.width[l + 1]);
    PytcLeaf bias = at.leaf(layer + "bias", {to});
    PytcLeaf kernel = at.leaf(layer + "kernel", {size(net.width[l]), to});
    if (l == 0 && kind == NeuralKind::een) {
      // pytc has a weight for either electron's distance and averages them.
      kernel.shape[0] = 2 * kernel.shape[0] - 1;
      const std::vector<int> nuclear(kernel.parameter.begin() + net.width[1],
                                     kernel.parameter.end());
      kernel.parameter.insert(kernel.parameter.end(), nuclear.begin(), nuclear.end());
      kernel.constant.resize(kernel.parameter.size(), 0.0);
    }
    bias.data_set = "net_vars/leaf_" + std::to_string(2 * l);
    kernel.data_set = "net_vars/leaf_" + std::to_string(2 * l + 1);
    f.leaves.push_back(std::move(bias));
    f.leaves.push_back(std::move(kernel));
  }
  // pytc starts them with 1/2 and never reads them.
  if (kind != NeuralKind::en) f.leaves.push_back(unused("rc_ee_raw", 0.5));
  if (kind != NeuralKind::ee) f.leaves.push_back(unused("rc_en_raw", 0.5));
  return f;
}

PytcFactor factor(Layout& at, const TermSettings& term, const Molecule& molecule,
                  const WavePlan& plan, std::size_t kinds) {
  const auto nuclei = static_cast<int>(molecule.atoms.size());
  if (term.name == "nuclear-cusp") return nuclear_cusp(at, kinds);
  if (term.name == "boys-handy") return boys_handy(at, kinds, term, nuclei);
  if (term.name == "rexp") return {term.name, {"REXP"}, {at.leaf("alpha", {1})}};
  if (term.name == "polynomial") return polynomial(at);
  if (term.name == "pytc-dtn") return pytc_dtn(at, kinds);
  for (const NeuralKind kind : {NeuralKind::ee, NeuralKind::en, NeuralKind::een}) {
    const char* const names[] = {"neural-ee", "neural-en", "neural-een"};
    const auto which = static_cast<std::size_t>(kind);
    if (term.name == names[which])
      return neural(at, term.name, kind, plan.neural[which].net);
  }
  throw input_error("jastrow.terms: pytc has no factor like '" + term.name +
                        "': its parameter files can neither be read nor written with it",
                    {.key = "jastrow.terms"});
}

}  // namespace

PytcLayout pytc_layout(const Molecule& molecule, const JastrowSettings& jastrow) {
  if (jastrow.cusp != "pytc")
    throw input_error(
        "jastrow.cusp: pytc's parameters mean the same function only with jastrow.cusp = "
        "\"pytc\", found \"" +
            jastrow.cusp + "\"",
        {.key = "jastrow.cusp"});
  const MolecularModel model(molecule, jastrow);
  PytcLayout layout;
  layout.parameters = model.parameters();
  std::vector<int> charges;
  for (const Atom& atom : molecule.atoms) charges.push_back(atom.charge);
  std::sort(charges.begin(), charges.end());
  const auto kinds = static_cast<std::size_t>(
      std::unique(charges.begin(), charges.end()) - charges.begin());
  Layout at(0);
  for (const TermSettings& term : jastrow.terms)
    layout.factors.push_back(factor(at, term, molecule, model.plan(), kinds));
  if (at.next() != static_cast<int>(layout.parameters.size()))
    throw Error(ErrorKind::logic, "[pytc_layout] covers " + std::to_string(at.next()) +
                                      " of " + std::to_string(layout.parameters.size()) +
                                      " parameters");
  return layout;
}

}  // namespace drover
