// Neural terms on the host: the shape of their networks and the weights that they start
// with.
//
// Hidden weights are normal with variance 1/inputs (LeCun and others, 1998), the last
// layer's a tenth as wide, so that ln psi hardly knows of the term and yet every weight
// has a derivative; biases are zero. They do not depend on the seed of a run.
#include <algorithm>

#include "drover/core/error.hpp"
#include "drover/core/random.hpp"
#include "drover/wave/term_setup.hpp"

namespace drover::term_setup {

namespace {

// Layers in the order of their weights; sets width, offsets and returns how many weights.
int shape_network(NetworkPlan& net, int inputs, const std::vector<int>& hidden,
                  bool last_bias) {
  net.width[0] = inputs;
  int weights = 0;
  const auto add = [&](int outputs, bool bias) {
    const int l = net.layers++;
    net.width[l + 1] = outputs;
    net.bias[l] = bias ? weights : -1;
    weights += bias ? outputs : 0;
    net.kernel[l] = weights;
    weights += net.width[l] * outputs;
  };
  for (const int width : hidden) {
    add(width, true);
    net.widest = std::max(net.widest, width);
  }
  add(1, last_bias);
  return weights;
}

void build_neural(TermBuild& build, NeuralKind kind) {
  const auto which = static_cast<std::size_t>(kind);
  NeuralPlan& p = build.plan.neural[which];
  p.active = 1;
  p.distances = build.pytc ? 1 : 0;
  if (!build.pytc && kind != NeuralKind::en) {
    p.like = build.slope(true);
    p.unlike = build.slope(false);
  }
  const int inputs =
      (kind == NeuralKind::en ? 0 : 1) + (kind == NeuralKind::ee ? 0 : build.plan.atoms);
  // The last bias is a factor of psi and nothing else; pytc has it.
  const int count =
      shape_network(p.net, inputs, term_list(build.settings, "layers"), build.pytc);
  p.residual = kind != NeuralKind::een && p.net.width[0] == p.net.width[1] ? 1 : 0;
  p.first_parameter = build.next_parameter();

  const auto add = [&](const std::string& name, double value) {
    build.parameters.push_back({build.settings.name + "." + name, value, 0.0, 0.0});
  };
  for (int l = 0; l < p.net.layers; ++l) {
    const std::string layer = std::to_string(l + 1);
    const int from = p.net.width[l], to = p.net.width[l + 1];
    const double last = l + 1 == p.net.layers ? 0.1 : 1.0;
    if (p.net.bias[l] >= 0)
      for (int o = 0; o < to; ++o)
        add("bias" + layer + "(" + std::to_string(o + 1) + ")", 0.0);
    for (int k = 0; k < from * to; ++k) {
      const double normal = draw_normals<double>(0, static_cast<std::int64_t>(which), 0,
                                                 Purpose::parameters, p.net.kernel[l] + k)
                                .first;
      add("kernel" + layer + "(" + std::to_string(k / to + 1) + "," +
              std::to_string(k % to + 1) + ")",
          last * normal / sqrt(double(from)));
    }
  }
  auto& weights = build.tables.neural_weights[which];
  weights.resize(static_cast<std::size_t>(count));
  p.net.weights = weights.data();
}

void set_neural(const std::vector<double>& values, MolecularTables& tables,
                WavePlan& plan, NeuralKind kind) {
  auto& weights = tables.neural_weights[static_cast<std::size_t>(kind)];
  std::copy_n(
      values.begin() + plan.neural[static_cast<std::size_t>(kind)].first_parameter,
      weights.size(), weights.begin());
}

}  // namespace

void check_neural(const TermSettings& settings) {
  const std::vector<int>& layers = term_list(settings, "layers");
  if (!layers.empty() && layers.size() < max_network_layers) return;
  const std::string key = "jastrow." + settings.name + ".layers";
  throw input_error(key + ": a network has 1 to " +
                        std::to_string(max_network_layers - 1) +
                        " hidden layers, found " + std::to_string(layers.size()),
                    {.key = key});
}

void build_neural_ee(TermBuild& build) {
  build_neural(build, NeuralKind::ee);
}
void build_neural_en(TermBuild& build) {
  build_neural(build, NeuralKind::en);
}
void build_neural_een(TermBuild& build) {
  build_neural(build, NeuralKind::een);
}
void set_neural_ee(const std::vector<double>& values, MolecularTables& t,
                   WavePlan& plan) {
  set_neural(values, t, plan, NeuralKind::ee);
}
void set_neural_en(const std::vector<double>& values, MolecularTables& t,
                   WavePlan& plan) {
  set_neural(values, t, plan, NeuralKind::en);
}
void set_neural_een(const std::vector<double>& values, MolecularTables& t,
                    WavePlan& plan) {
  set_neural(values, t, plan, NeuralKind::een);
}

}  // namespace drover::term_setup
