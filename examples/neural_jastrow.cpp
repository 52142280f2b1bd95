// A neural Jastrow factor of one's own, trained on all devices: two electrons in a trap
// (Hooke's atom, omega = 1/2, exact energy 2 hartree).
//
//   ln psi = -(r1^2 + r2^2)/4 + r/(2 + 2 b r) + r^2/(1 + r^2) net(r),   r = |r1 - r2|
//   E_L = -1/2 (lap ln psi + |grad ln psi|^2) + (r1^2 + r2^2)/8 + 1/r
// Minimises the variance of E_L over fixed walkers, drawn from exp(-(r1^2 + r2^2)/2). Its
// gradient is checked against differences; the program fails where they disagree.
#include <cmath>
#include <cstdio>
#include <drover/drover.hpp>

using namespace drover;

// A tree: written once, for arrays of numbers and for what the model is recorded with.
template <class A>
struct Net {
  A b, in, bias, hidden, hidden_bias, out;
  static constexpr auto fields =
      tree_fields(field("b", &Net::b), field("in", &Net::in), field("bias", &Net::bias),
                  field("hidden", &Net::hidden), field("hidden_bias", &Net::hidden_bias),
                  field("out", &Net::out));
};
using Params = Net<Array<double>>;

const auto distance = [](const auto& x) {
  const auto d = x[0] - x[1];
  return sqrt(sum(d * d));
};
const auto log_psi = [](const auto& p, const auto& x) {
  const auto r = distance(x);
  auto h = tanh(r * p.in + p.bias);
  h = tanh(dot(h, p.hidden) + p.hidden_bias);
  return -0.25 * sum(x * x) + r / (2.0 + 2.0 * softplus(p.b) * r) +
         r * r / (1.0 + r * r) * dot(h, p.out);
};
const auto local_energy = [](const auto& p, const auto& x) {
  const auto l = forward_laplacian([&](const auto& y) { return log_psi(p, y); }, x);
  return -0.5 * (l.laplacian + dot(l.gradient, l.gradient)) + 0.125 * sum(x * x) +
         1.0 / distance(x);
};

Params starting_parameters() {
  Params p{Array<double>(Array<double>::Shape{}),
           Array<double>({8}),
           Array<double>({8}),
           Array<double>({8, 8}),
           Array<double>({8}),
           Array<double>({8})};
  std::int64_t i = 0;
  for_each_leaf(p, [&](std::string_view, Array<double>& leaf) {
    for (double& w : leaf) {
      w = 0.4 * draw_normals<double>(3, i++, 0, Purpose::parameters, 0).first;
    }
  });
  return p;
}

// Mean and variance of the energy, and the variance's gradient: two collectives.
struct Step {
  double mean, variance;
  std::vector<double> gradient;
};
Step step_at(const Params& params, const Sharded<Array<double>>& walkers) {
  const auto p = replicate(params);
  const auto energy = map_model(local_energy, p, walkers);
  using Sums = std::array<double, 2>;
  const Sums sums =
      *reduce(map_sum(
                  {}, [] { return Sums{}; },
                  [](const Batch&, RowSpan<const double> e, Accumulator<Sums>& to) {
                    for (const double x : e.values()) to.add({x, x * x});
                  },
                  energy),
              "energy");
  const double n = double(walkers.rows()), mean = sums[0] / n;
  // d/dW of sum (E - mean)^2 / n; the mean's own part adds up to nothing.
  const auto cotangents = map(
      {}, [&](std::span<const double> e) { return 2.0 * (e[0] - mean) / n; }, energy);
  const auto gradient = reduce(vjp_sum(local_energy, p, walkers, cotangents), "gradient");
  return {mean, sums[1] / n - mean * mean, flatten(*gradient)};
}

int main() {
  const auto scope = use_mesh(Mesh::all());
  const auto walkers = make_sharded<Array<double>>(
      2048, tile_walkers, [](const DeviceContext&, RowRange rows) {
        Array<double> x({rows.size(), 2, 3});
        for (std::int64_t i = 0; i < x.size(); ++i) {
          x[i] = draw_normals<double>(1, rows.first + i / 6, 0,
                                      Purpose::initial_positions, i % 6)
                     .first;
        }
        return x;
      });
  Params params = starting_parameters();
  std::vector<double> w = flatten(params);
  const auto at = [&](const std::vector<double>& moved) {
    unflatten(moved, params);
    return step_at(params, walkers);
  };

  // Central differences err by h^2 and by rounding / h: 1e-6 of the largest is safe.
  const Step start = at(w);
  double worst = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < w.size(); i += 7) {
    constexpr double h = 1e-5;
    std::vector<double> up = w, down = w;
    up[i] += h;
    down[i] -= h;
    const double difference = (at(up).variance - at(down).variance) / (2.0 * h);
    worst = std::max(worst, std::fabs(difference - start.gradient[i]));
    largest = std::max(largest, std::fabs(start.gradient[i]));
  }
  const bool agrees = worst < 1e-6 * largest;
  std::printf("%zu parameters; gradient %s differences\n", w.size(),
              agrees ? "agrees with" : "DIFFERS from");

  // Adam (Kingma and Ba 2015).
  std::vector<double> m(w.size()), v(w.size());
  double decay1 = 1.0, decay2 = 1.0;
  for (int step = 0; step <= 300; ++step) {
    const Step now = at(w);
    if (step % 100 == 0) {
      std::printf("step %3d  energy %.4f  variance %.6f\n", step, now.mean, now.variance);
    }
    decay1 *= 0.9;
    decay2 *= 0.99;
    for (std::size_t i = 0; i < w.size(); ++i) {
      m[i] += 0.1 * (now.gradient[i] - m[i]);
      v[i] += 0.01 * (now.gradient[i] * now.gradient[i] - v[i]);
      w[i] -= 0.02 * m[i] / (1 - decay1) / (std::sqrt(v[i] / (1 - decay2)) + 1e-12);
    }
  }
  return agrees ? 0 : 1;
}
