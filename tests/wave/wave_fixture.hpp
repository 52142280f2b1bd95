// Helpers of the wave tests: a molecule from tests/data and one walker at a time through
// the kernels, everything wanted.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "drover/chem/read.hpp"
#include "drover/core/cpu.hpp"
#include "drover/core/error.hpp"
#include "drover/wave/molecular_model.hpp"

namespace drover::testing {

inline std::string data_path(const std::string& name) {
  return std::string(DROVER_SOURCE_DIR) + "/tests/data/" + name;
}
inline nlohmann::json read_json(const std::string& name) {
  std::ifstream in(data_path(name));
  return nlohmann::json::parse(in);
}

// Small networks, one residual connection and two layers without.
inline JastrowSettings jastrow_of(std::vector<std::string> terms,
                                  std::string cusp = "exact",
                                  const std::vector<int>& layers = {5, 4, 4}) {
  JastrowSettings s;
  s.terms.clear();
  for (std::string& name : terms) {
    s.terms.push_back(term_named(std::move(name)));
    TermSettings& term = s.terms.back();
    if (term.name.rfind("neural-", 0) == 0) term.lists["layers"] = layers;
  }
  s.cusp = std::move(cusp);
  return s;
}

// Aligned arrays [rows][64].
class Rows {
 public:
  explicit Rows(int rows)
      : rows_(rows),
        data_(static_cast<double*>(
            std::aligned_alloc(64, sizeof(double) * tile_walkers *
                                       static_cast<std::size_t>(std::max(rows, 1))))) {
    std::fill_n(data_.get(), std::max(rows, 1) * tile_walkers, 0.0);
  }
  double* data() { return data_.get(); }
  double& at(int row, int walker) { return data_.get()[row * tile_walkers + walker]; }
  double at(int row, int walker) const {
    return data_.get()[row * tile_walkers + walker];
  }
  int rows() const { return rows_; }

 private:
  struct Free {
    void operator()(double* p) const { std::free(p); }
  };
  int rows_;
  std::unique_ptr<double[], Free> data_;
};

// Everything a visit can tell about 64 walkers.
struct Evaluation {
  explicit Evaluation(const Model& model)
      : kinetic(1),
        potential(1),
        log_abs(1),
        sign(1),
        log_jastrow(1),
        gradient(3 * model.electrons()),
        laplacian(model.electrons()),
        by_parameter(static_cast<int>(model.parameters().size())),
        energy_by_parameter(static_cast<int>(model.parameters().size())) {}
  Rows kinetic, potential, log_abs, sign, log_jastrow, gradient, laplacian, by_parameter,
      energy_by_parameter;
  double energy(int walker) const {
    return kinetic.at(0, walker) + potential.at(0, walker);
  }
};

inline TileResult result_of(Evaluation& e) {
  TileResult r;
  r.kinetic = e.kinetic.data();
  r.potential = e.potential.data();
  r.log_abs = e.log_abs.data();
  r.sign = e.sign.data();
  r.log_jastrow = e.log_jastrow.data();
  r.gradient = e.gradient.data();
  r.laplacian = e.laplacian.data();
  r.by_parameter = e.by_parameter.data();
  r.energy_by_parameter = e.energy_by_parameter.data();
  return r;
}

inline Evaluation evaluate(const Model& model, Rows& positions,
                           int active = tile_walkers) {
  Evaluation e(model);
  auto scratch = model.make_scratch();
  VisitPlan plan;
  plan.derivatives = plan.logs = true;
  TileResult r = result_of(e);
  model.visit(*scratch, plan, {positions.data(), 0, active}, r);
  return e;
}

// 64 walkers where the model puts them, moved a little so that they look like a sample.
inline Rows sample(const Model& model, std::uint64_t seed = 11,
                   std::int64_t sweeps = 30) {
  Rows x(3 * model.electrons());
  model.initial_positions(seed, {x.data(), 0, tile_walkers});
  auto scratch = model.make_scratch();
  VisitPlan plan;
  plan.seed = seed;
  plan.sweeps = sweeps;
  plan.step_size = 0.4;
  plan.energy = false;
  TileResult none;
  model.visit(*scratch, plan, {x.data(), 0, tile_walkers}, none);
  return x;
}

// Parameters away from their start, so that every term is felt; a fixed pattern.
inline std::vector<double> perturbed(const Model& model) {
  std::vector<double> p;
  int k = 0;
  for (const ParameterInfo& info : model.parameters()) {
    const double wave = ((k * 7) % 11 - 5) / 50.0;  // within 0.1
    const bool cusp = info.name.rfind("nuclear-cusp", 0) == 0;
    // Coefficients of up to r^12, in bohr: 1e-5 is felt.
    const bool powers = info.name.rfind("pytc-dtn.c_", 0) == 0 ||
                        info.name.rfind("polynomial.c(", 0) == 0;
    p.push_back(info.initial + (cusp     ? 0.1 * wave / (1.0 + k)
                                : powers ? 1e-3 * wave
                                         : wave));
    ++k;
  }
  return p;
}

}  // namespace drover::testing
