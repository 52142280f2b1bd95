// Whole optimisation steps of pytc 0.2.1 on 64 fixed walkers (nuclear cusp and
// Boys-Handy): local energies, Jacobian, Gauss-Newton and SR steps.
//
// pytc builds its nuclear cusp on a natural cubic spline of the s orbital, which moves
// its local energies by up to hartrees. The same spline is given to the kernels here in
// the orbital's place, so that every number can be compared. Its third derivatives, which
// d/drc sees, magnify a rounding of knots or samples by 1/h^3 = 3e8: hence knots, samples
// (spline.json, made by make_spline.py) and the order of the solver's operations are
// pytc's to the last bit. V has pytc's softened distances, 1/(r + 1e-10) with nuclei and
// 1/sqrt(r^2 + 1e-10) for electrons. pytc's own ln psi, which SR differentiates, weighs
// the one-body derivative of electron i by (N-1-i)/(N-1); so does the test.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "drover/vmc/optimiser_methods.hpp"
#include "tests/wave/pytc_fixture.hpp"

namespace drover::testing {
namespace {

constexpr double tolerance = 1e-10;

// The natural cubic spline, with the slopes at the knots as unknowns.
class Spline {
 public:
  Spline(std::vector<double> x, std::vector<double> y)
      : x_(std::move(x)), y_(std::move(y)), slope_(x_.size()) {
    const std::size_t last = x_.size() - 1;
    std::vector<double> middle(x_.size()), upper(x_.size());
    middle[0] = 2 * h(0);
    upper[0] = h(0);
    slope_[0] = 3 * (y_[1] - y_[0]);
    for (std::size_t k = 1; k <= last; ++k) {
      const bool inner = k < last;
      const double lower = inner ? h(k) : h(k - 1);
      const double right = inner
                               ? 3 * (h(k) * mean_slope(k - 1) + h(k - 1) * mean_slope(k))
                               : 3 * (y_[k] - y_[k - 1]);
      const double factor = lower / middle[k - 1];
      middle[k] = 2 * (inner ? h(k - 1) + h(k) : h(k - 1)) - factor * upper[k - 1];
      upper[k] = inner ? h(k - 1) : 0;
      slope_[k] = right - factor * slope_[k - 1];
    }
    slope_[last] /= middle[last];
    for (std::size_t k = last; k-- > 0;)
      slope_[k] = (slope_[k] - upper[k] * slope_[k + 1]) / middle[k];
  }
  // value and three derivatives
  std::array<double, 4> at(double r) const {
    const double cell = std::floor((r - x_[0]) / h(0));
    const auto k = static_cast<std::size_t>(
        std::clamp(cell, 0.0, static_cast<double>(x_.size() - 2)));
    const double excess = (slope_[k] + slope_[k + 1] - 2 * mean_slope(k)) / h(k);
    const double cubic = excess / h(k);
    const double square = (mean_slope(k) - slope_[k]) / h(k) - excess;
    const double t = r - x_[k];
    return {y_[k] + t * (slope_[k] + t * (square + t * cubic)),
            slope_[k] + t * (2 * square + t * 3 * cubic), 2 * square + t * 6 * cubic,
            6 * cubic};
  }

 private:
  double h(std::size_t k) const { return x_[k + 1] - x_[k]; }
  double mean_slope(std::size_t k) const { return (y_[k + 1] - y_[k]) / h(k); }

  std::vector<double> x_, y_, slope_;
};

struct Sample {
  double energy = 0;
  std::vector<double> slopes, logs;  // dE_L/dp; d ln psi/dp of pytc's own ln psi
};

class PytcWave {
 public:
  PytcWave(const MolecularModel& model, const MolecularModel& bare,
           const nlohmann::json& spline)
      : plan_(model.plan()), bare_(bare.plan()) {
    Arena count(nullptr);
    Jastrow<double> measure(plan_, count);
    memory_.resize(static_cast<std::size_t>(count.used()) + 64);
    for (int a = 0; a < plan_.atoms; ++a) {
      const auto charge = static_cast<int>(plan_.orbitals.atom[a].charge);
      splines_.emplace_back(spline["knots"].get<std::vector<double>>(),
                            spline["samples"][std::to_string(charge)]);
      cusps_.push_back(spline_cusp(plan_.cusp.atom[a], splines_.back()));
    }
    plan_.cusp.atom = cusps_.data();
  }

  Sample at(const nlohmann::json& positions) {
    const int n = plan_.electrons, atoms = plan_.atoms;
    auto& determinant = bare_.at(points(positions));
    determinant.energy<false, false>();
    Sharp g = geometry_at(determinant.positions());
    std::vector<double> drift(determinant.gradient(), determinant.gradient() + 3 * n);
    std::vector<double> lap(determinant.laplacian(), determinant.laplacian() + n);
    Arena arena(memory_.data() +
                (64 - reinterpret_cast<std::uintptr_t>(memory_.data()) % 64));
    Jastrow<double> jastrow(plan_, arena);
    double value = 0;
    jastrow.energy(g.geometry, g.radial.data(), value, drift.data(), lap.data());
    Sample s;
    for (int i = 0; i < n; ++i) s.energy -= 0.5 * lap[static_cast<std::size_t>(i)];
    for (const double f : drift) s.energy -= 0.5 * f * f;
    s.energy += potential(g.geometry);
    const std::vector<double> zero(static_cast<std::size_t>(plan_.parameters), 0.0);
    s.slopes = s.logs = zero;
    jastrow.derivatives(g.geometry, g.radial.data(), drift.data(), s.logs.data(),
                        s.slopes.data());
    // One electron's share of the cusp's derivatives: with the others far away.
    const int first = plan_.cusp.first_parameter, last = first + 2 * plan_.cusp.kinds;
    for (int k = first; k < last; ++k) s.logs[static_cast<std::size_t>(k)] = 0;
    for (int i = 0; i < n; ++i) {
      Sharp alone = g;
      alone.geometry.nuclear = alone.nuclear.data();
      for (int k = 0; k < n * atoms; ++k)
        if (k / atoms != i) alone.nuclear[static_cast<std::size_t>(k)].r = 1e3;
      std::vector<double> share(zero), energy_share(zero);
      cusp_derivatives(plan_, alone.geometry, g.radial.data(), drift.data(), share.data(),
                       energy_share.data());
      for (int k = first; k < last; ++k)
        s.logs[static_cast<std::size_t>(k)] +=
            share[static_cast<std::size_t>(k)] * (n - 1 - i) / (n - 1.0);
    }
    return s;
  }

 private:
  struct Sharp {
    std::vector<Separation<double>> nuclear, electron;
    std::vector<Radial<double>> radial;
    Geometry<double> geometry;
  };

  Sharp geometry_at(const double* x) const {
    const auto n = static_cast<std::size_t>(plan_.electrons);
    const auto atoms = static_cast<std::size_t>(plan_.atoms);
    Sharp g;
    g.nuclear.resize(n * atoms);
    g.electron.resize(n * (n - 1) / 2);
    g.geometry = {g.nuclear.data(), g.electron.data()};
    measure_geometry(plan_, x, g.geometry);
    for (std::size_t k = 0; k < n * atoms; ++k) {
      const double r = g.nuclear[k].r;
      const auto [v, d1, d2, d3] = splines_[k % atoms].at(std::min(r, 1.5));
      g.radial.push_back({v, d1 / (2 * r), (d2 - d1 / r) / (4 * r * r)});
    }
    return g;
  }

  double potential(const Geometry<double>& g) const {
    double v = 0;
    for (int a = 0; a < plan_.atoms; ++a)
      for (int b = 0; b < a; ++b) {
        const AtomPlan &p = plan_.orbitals.atom[a], &q = plan_.orbitals.atom[b];
        v += p.charge * q.charge / (std::hypot(p.x - q.x, p.y - q.y, p.z - q.z) + 1e-10);
      }
    for (int i = 0; i < plan_.electrons; ++i) {
      for (int a = 0; a < plan_.atoms; ++a)
        v -= plan_.orbitals.atom[a].charge / (g.nuclear[i * plan_.atoms + a].r + 1e-10);
      for (int j = 0; j < i; ++j) {
        const double r = g.electron[pair_index(i, j)].r;
        v += 1 / std::sqrt(r * r + 1e-10);
      }
    }
    return v;
  }

  // The quartic that meets ln phi of the spline; nuclear_cusp_setup.cpp has the
  // equations.
  static CuspAtomPlan spline_cusp(const CuspAtomPlan& from, const Spline& phi) {
    CuspAtomPlan p = from;
    const double rc = p.rc, z = -p.c[1], c0 = p.c[0];
    const auto solve = [rc](double a, double b, double c, double* out) {
      out[2] = (6 * a - 3 * b + c / 2) / (rc * rc);
      out[3] = (5 * b - 8 * a - c) / (rc * rc * rc);
      out[4] = (c - 4 * b + 6 * a) / (2 * rc * rc * rc * rc);
    };
    const auto [v, d1, d2, d3] = phi.at(rc);
    const double q1 = d1 / v, q2 = d2 / v, q3 = d3 / v;
    const double l2 = q2 - q1 * q1, l3 = q3 - 3 * q1 * q2 + 2 * q1 * q1 * q1;
    solve(std::log(std::fabs(v)) - c0 + z * rc, (q1 + z) * rc, l2 * rc * rc, p.c);
    solve(0, 0, (l3 - 6 * p.c[3] - 24 * p.c[4] * rc) * rc * rc, p.by_rc);
    return p;
  }

  WavePlan plan_;
  OneWalker<double> bare_;
  std::vector<char> memory_;
  std::vector<Spline> splines_;
  std::vector<CuspAtomPlan> cusps_;
};

class PytcNewton : public ::testing::TestWithParam<const char*> {
 protected:
  PytcNewton()
      : molecule_(read_wavefunction(
            data_path("pyscf/" + std::string(GetParam()) + "/scf.molden"), {})),
        settings_(jastrow_of({"nuclear-cusp", "boys-handy"}, "pytc")),
        model_(molecule_, settings_),
        bare_(molecule_, jastrow_of({})),
        layout_(pytc_layout(molecule_, settings_)),
        file_(read_json("pytc/" + std::string(GetParam()) + "/newton_step.json")),
        spline_(read_json("pytc/" + std::string(GetParam()) + "/spline.json")) {
    // pytc's vector: X4, rc, b_raw, c_raw, d_raw, and a linear coefficient without effect
    for (const PytcFactor& f : layout_.factors)
      for (const PytcLeaf& leaf : f.leaves)
        flat_.insert(flat_.end(), leaf.parameter.begin(), leaf.parameter.end());
    flat_.push_back(-1);
  }

  std::vector<Sample> samples(const nlohmann::json& run) {
    model_.set_parameters(fold(layout_, run["params"][0], Fold::mean));
    PytcWave wave(model_, bare_, spline_);
    std::vector<Sample> all;
    for (const nlohmann::json& positions : file_["positions"])
      all.push_back(wave.at(positions));
    return all;
  }

  // Against pytc's vector, relative to its largest element; and against its matrix,
  // relative to the diagonal.
  void expect_vector(const std::vector<double>& ours,
                     const nlohmann::json& theirs) const {
    double scale = 1;
    for (const double v : theirs) scale = std::max(scale, std::fabs(v));
    for (std::size_t k = 0; k < flat_.size(); ++k)
      if (flat_[k] >= 0) {
        EXPECT_NEAR(ours[static_cast<std::size_t>(flat_[k])], theirs[k],
                    tolerance * scale)
            << k;
      }
  }
  void expect_matrix(const std::vector<double>& ours, double factor,
                     const nlohmann::json& theirs) const {
    const std::size_t p = layout_.parameters.size();
    for (std::size_t k = 0; k < flat_.size(); ++k)
      for (std::size_t l = 0; l < flat_.size(); ++l)
        if (flat_[k] >= 0 && flat_[l] >= 0) {
          const double scale =
              std::sqrt(double(theirs[k][k]) * double(theirs[l][l])) + 1.0;
          EXPECT_NEAR(factor * ours[static_cast<std::size_t>(flat_[k]) * p +
                                    static_cast<std::size_t>(flat_[l])],
                      theirs[k][l], tolerance * scale)
              << k << " " << l;
        }
  }
  // (metric + damping) d = -gradient, new = old + rate d: to 1e-7, for the damping of
  // 1e-3 magnifies the last digits of metric and gradient.
  void expect_step(const std::vector<double>& metric, const std::vector<double>& gradient,
                   const nlohmann::json& run) const {
    OptimiserMoments m;
    m.set = MomentSet::sr();
    m.parameters = static_cast<std::int64_t>(layout_.parameters.size());
    m.samples = 64;
    m.o_mean.assign(layout_.parameters.size(), 0.0);
    m.overlap = metric;
    m.energy_log = gradient;
    const std::vector<double> d = sr_direction(m, 0.0, run["damping"]);
    const std::vector<double> from = fold(layout_, run["params"][0], Fold::mean);
    const double rate = run["learning_rate_effective"];
    for (std::size_t k = 0; k < flat_.size(); ++k) {
      if (flat_[k] < 0) continue;
      const auto q = static_cast<std::size_t>(flat_[k]);
      EXPECT_NEAR(from[q] - rate * d[q], run["new_flat_pytc"][k], 1e-7)
          << layout_.parameters[q].name;
    }
  }

  // Energies cut at the mean and `clip` mean absolute deviations; 0: as they are.
  static std::vector<double> clipped(const std::vector<Sample>& all, double clip) {
    double mean = 0, deviation = 0;
    const double m = double(all.size());
    for (const Sample& s : all) mean += s.energy / m;
    for (const Sample& s : all) deviation += std::fabs(s.energy - mean) / m;
    std::vector<double> e;
    for (const Sample& s : all)
      e.push_back(clip == 0 ? s.energy
                            : std::clamp(s.energy, mean - clip * deviation,
                                         mean + clip * deviation));
    return e;
  }

  // g = 2/(M-1) J^T (E - <E>), G = 2/M J_c^T J_c
  void expect_gauss_newton(const nlohmann::json& run, double clip) {
    const std::vector<Sample> all = samples(run);
    const std::vector<double> e = clipped(all, clip);
    const double m = double(all.size());
    OptimiserSums sums(MomentSet::gauss_newton(),
                       static_cast<std::int64_t>(layout_.parameters.size()), e[0]);
    for (std::size_t w = 0; w < all.size(); ++w) sums.add(e[w], {}, all[w].slopes);
    const OptimiserMoments moments = central_moments(sums);
    EXPECT_CLOSE(moments.energy, run["E_mean"], tolerance);
    EXPECT_CLOSE(moments.variance * m / (m - 1), run["variance"], tolerance);
    std::vector<double> gradient = moments.energy_slope;
    for (double& g : gradient) g *= 2 * m / (m - 1);
    expect_vector(gradient, run["gradient"]);
    expect_matrix(moments.slope_slope, 2.0, run["curvature"]);

    std::vector<double> metric = moments.slope_slope;
    for (double& g : metric) g *= 2;
    expect_step(metric, gradient, run);
  }

  Molecule molecule_;
  JastrowSettings settings_;
  MolecularModel model_, bare_;
  PytcLayout layout_;
  nlohmann::json file_, spline_;
  std::vector<int> flat_;  // of each element of pytc's vector: our parameter or -1
};

TEST_P(PytcNewton, local_energies_and_their_jacobian_are_pytcs) {
  const nlohmann::json& run = file_["runs"]["perturbed_noclip"];
  const std::vector<Sample> all = samples(run);
  ASSERT_EQ(all.size(), run["E_L"].size());
  for (std::size_t w = 0; w < all.size(); ++w) {
    SCOPED_TRACE(w);
    EXPECT_CLOSE(all[w].energy, run["E_L"][w], tolerance);
    for (std::size_t k = 0; k < flat_.size(); ++k)
      if (flat_[k] >= 0) {
        EXPECT_CLOSE(all[w].slopes[static_cast<std::size_t>(flat_[k])],
                     run["jacobian"][w][k], tolerance)
            << layout_.parameters[static_cast<std::size_t>(flat_[k])].name;
      }
  }
}

TEST_P(PytcNewton, a_gauss_newton_step_is_pytcs) {
  expect_gauss_newton(file_["runs"]["perturbed_noclip"], 0);
}

TEST_P(PytcNewton, a_step_with_clipped_energies_is_pytcs) {
  const nlohmann::json& run = file_["runs"]["initial_clip5"];
  expect_gauss_newton(run, run["clip_multiplier"]);
}

// pytc's gradient is <(E - <E>) O>, half of the energy's.
TEST_P(PytcNewton, a_step_of_stochastic_reconfiguration_is_pytcs) {
  const nlohmann::json& run = file_["runs"]["perturbed_fisher"];
  const std::vector<Sample> all = samples(run);
  OptimiserSums sums(MomentSet::sr(),
                     static_cast<std::int64_t>(layout_.parameters.size()), all[0].energy);
  for (const Sample& s : all) sums.add(s.energy, s.logs, {});
  const OptimiserMoments moments = central_moments(sums);
  EXPECT_CLOSE(moments.energy, run["E_mean"], tolerance);
  expect_vector(moments.energy_log, run["gradient_pytc_factor1"]);
  expect_matrix(moments.overlap, 1.0, run["S"]);
  expect_step(moments.overlap, moments.energy_log, run);
}

INSTANTIATE_TEST_SUITE_P(Systems, PytcNewton,
                         ::testing::Values("Be_cc-pvdz", "LiH_cc-pvdz", "H2O_cc-pvdz"));

}  // namespace
}  // namespace drover::testing
