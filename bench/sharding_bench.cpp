// What the sharding core costs: an empty map, a network's gradient, the order-free sums,
// a second device.
//
// sharding_bench [maps] [gradients] [sums] [scaling], by default all of them; `network`
// prints one line of JSON for jax_vjp.py. Questions, numbers and conclusions stand in
// sharding.md. Times are medians of many calls; the multiply-add peak of a core is
// measured between them.
#include <algorithm>
#include <cstdio>
#include <drover/drover.hpp>

#include "bench/sharding_bench.hpp"
#include "drover/app/bench_peak.hpp"
#include "drover/app/bench_systems.hpp"
#include "drover/core/cpu.hpp"
#include "drover/core/tile_sums.hpp"
#include "drover/vmc/sampling.hpp"

namespace {

using namespace drover;

// Median seconds of a call.
template <class F>
double median_seconds(int calls, F&& f, Clock clock = Clock::thread) {
  f();
  std::vector<double> times;
  for (int i = 0; i < calls; ++i) {
    const double start = seconds_now(clock);
    f();
    times.push_back(seconds_now(clock) - start);
  }
  std::nth_element(times.begin(), times.begin() + calls / 2, times.end());
  return times[std::size_t(calls / 2)];
}

// Multiply-adds a second of one core, at the lanes of the kernels.
double peak() {
  constexpr std::int64_t rounds = 200'000;
  const app::PeakLoop loop = app::peak_loop(instruction_set(), lanes());
  volatile double sink = 0.0;
  const double seconds = median_seconds(15, [&] { sink = sink + loop(rounds); });
  return double(rounds) * app::peak_operations(lanes()) / 2.0 / seconds;
}

Array<double> normal_array(Array<double>::Shape shape, double scale, int which) {
  Array<double> a(std::move(shape));
  for (std::int64_t i = 0; i < a.size(); ++i) {
    a[i] = scale * draw_normals<double>(5, i, which, Purpose::user, 0).first;
  }
  return a;
}

void empty_maps() {
  std::printf("empty map over 64 tiles of 64 rows\n");
  for (const int devices : {1, 2}) {
    const auto scope = use_mesh(Mesh::cpu(devices));
    const auto x = shard(Array<double>({4096, 1}), tile_walkers);
    const auto nothing = [](const Batch&, RowSpan<const double>) {};
    const auto map_by = [&](std::int64_t microbatch) {
      return median_seconds(
          20'001, [&] { map_each({.microbatch = microbatch}, nothing, x); }, Clock::wall);
    };
    const double tiles = map_by(tile_walkers), whole = map_by(0);
    std::printf("  %d devices: %6.2f us a tile at a time, %6.2f us in one piece\n",
                devices, 1e6 * tiles, 1e6 * whole);
  }
}

const auto network = [](auto const& p, auto x) {
  for (std::size_t l = 0; l < p.weights.size(); ++l) {
    x = tanh(dot(x, p.weights[l]) + p.biases[l]);
  }
  return sum(x);
};
template <class A>
struct Net {
  std::vector<A> weights, biases;
  static constexpr auto fields =
      tree_fields(field("weights", &Net::weights), field("biases", &Net::biases));
};
Net<Array<double>> make_net(const std::vector<std::int64_t>& widths) {
  Net<Array<double>> net;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    const double scale = 1.0 / sqrt(double(widths[l]));
    net.weights.push_back(normal_array({widths[l], widths[l + 1]}, scale, int(l)));
    net.biases.push_back(normal_array({widths[l + 1]}, 0.1, 100 + int(l)));
  }
  return net;
}

// One core, one network: plain sums in doubles, order-free sums by tiles and by rows.
struct NetworkTimes {
  std::int64_t parameters = 0, samples = 0, multiply_adds = 0;
  double peak = 0.0;                              // multiply-adds a second
  double plain = 0.0, tiles = 0.0, singly = 0.0;  // seconds
};
NetworkTimes time_network(const std::vector<std::int64_t>& widths, int calls,
                          bool rows_singly) {
  constexpr std::int64_t samples = 10'000;
  const auto net = make_net(widths);
  const auto x = normal_array({samples, widths.front()}, 1.0, 200);
  const auto cotangents = normal_array({samples}, 1.0, 201);
  const auto scope = use_mesh(Mesh::cpu(1));
  const auto w = replicate(net);
  const auto kept = keep(network);

  Recorded recorded = record(network, net, x);
  auto buffer = net;
  NetworkTimes out;
  out.parameters = recorded.parameters();
  out.samples = samples;
  const double before = peak();
  out.plain = median_seconds(calls, [&] {
    out.multiply_adds =
        value_and_pullback(recorded, net, x, cotangents, accumulate(buffer), skip)
            .work.multiply_adds;
  });
  const auto exact = [&](std::int64_t grain) {
    const auto rows = shard(x, grain);
    const auto dv = shard(cotangents, grain);
    return median_seconds(calls,
                          [&] { vjp_sum(kept, w, rows, dv, {.microbatch = 1024}); });
  };
  out.tiles = exact(64);
  if (rows_singly) out.singly = exact(1);
  out.peak = std::max(before, peak());
  return out;
}

void gradients(const char* name, const std::vector<std::int64_t>& widths, int calls) {
  const NetworkTimes t = time_network(widths, calls, true);
  std::printf("%s: %lld parameters, %lld samples, %.1f million multiply-adds\n", name,
              static_cast<long long>(t.parameters), static_cast<long long>(t.samples),
              1e-6 * double(t.multiply_adds));
  const double ideal = double(t.multiply_adds) / t.peak;
  const auto line = [&](const char* what, double seconds) {
    std::printf("  %-32s %8.3f ms  %5.1f %% of peak  %5.2f times plain\n", what,
                1e3 * seconds, 100.0 * ideal / seconds, seconds / t.plain);
  };
  std::printf("  peak of a core: %.1f billion multiply-adds a second (%s, %d lanes)\n",
              1e-9 * t.peak, drover::name(instruction_set()), lanes());
  line("plain sums of doubles", t.plain);
  line("vjp_sum, grain 64", t.tiles);
  line("vjp_sum, grain 1 (every row)", t.singly);
}

// For jax_vjp.py, which runs this and JAX in turn.
void network_as_json() {
  const NetworkTimes t = time_network({64, 64, 64, 64}, 7, false);
  std::printf("{\"plain_ms\": %.6f, \"order_free_ms\": %.6f, \"peak_ms\": %.6f}\n",
              1e3 * t.plain, 1e3 * t.tiles, 1e3 * double(t.multiply_adds) / t.peak);
}

// Recording the model, which vjp_sum does once a call on every device unless it is kept.
void recording() {
  const auto net = make_net({64, 64, 64, 64});
  const auto x = normal_array({1, 64}, 1.0, 202);
  const auto scope = use_mesh(Mesh::cpu(1));
  const auto w = replicate(net);
  const auto row = shard(x);
  const auto one = shard(normal_array({1}, 1.0, 203));
  const auto kept = keep(network);
  std::printf(
      "the same network for one sample: %.1f us to record, %.1f us for vjp_sum, %.1f us "
      "of a kept model\n",
      1e6 * median_seconds(501, [&] { record(network, net, x); }),
      1e6 * median_seconds(501, [&] { vjp_sum(network, w, row, one); }),
      1e6 * median_seconds(501, [&] { vjp_sum(kept, w, row, one); }));
}

// A tile of a variational step with 200 parameters: O and its Gram matrix, 20,301 sums.
void step_sums() {
  constexpr int rows = 201;
  const auto size = packed_size(rows);
  const auto o = normal_array({rows, tile_walkers}, 1.0, 204);
  AlignedVector<double> gram(std::size_t(size), 0.0), plain(std::size_t(size), 0.0);
  ExactSums sums(size);
  const double products =
      median_seconds(501, [&] { tile_gram(o.data(), rows, nullptr, gram.data()); });
  const double added = median_seconds(501, [&] {
    tile_gram(o.data(), rows, nullptr, plain.data(), TileSum::accumulate);
  });
  const double deposit = median_seconds(501, [&] { sums.deposit(gram.data(), size); });
  std::printf(
      "sums of one tile with 200 parameters (%lld numbers)\n"
      "  products %.1f us, with plain addition %.1f us, order-free deposit %.1f us\n"
      "  order-free deposit: %.2f ns a number, %.0f %% of the products' time\n",
      static_cast<long long>(size), 1e6 * products, 1e6 * added, 1e6 * deposit,
      1e9 * deposit / double(size), 100.0 * deposit / products);
}

// A Boys-Handy list that gives water about 200 parameters: by total power, from the
// lowest.
JastrowSettings two_hundred_parameters() {
  std::vector<std::vector<int>> terms = {{0, 0, 1}};
  for (int power = 2; power <= 18 && terms.size() < 96; ++power) {
    for (int m = 0; m <= 6; ++m) {
      for (int n = 0; n <= m; ++n) {
        const int o = power - m - n;
        if (m == 1 || n == 1 || o == 1 || o < 0 || o > 6 || terms.size() >= 96) continue;
        terms.push_back({m, n, o});
      }
    }
  }
  JastrowSettings jastrow;
  jastrow.terms = {term_named("nuclear-cusp"), term_named("boys-handy")};
  jastrow.terms[1].triples["terms"] = terms;
  return jastrow;
}

// An optimisation step of water with 200 parameters on one device as the engine takes it
// by default: 16 sweeps to follow the parameters, then eight times eight sweeps,
// energies, derivatives, their products and the sums; these in one step by order-free
// deposits and in the next by plain addition, into the products' own buffer.
class OptimisationStep {
 public:
  // For the linear method, or for stochastic reconfiguration.
  explicit OptimisationStep(bool hamiltonian)
      : model_(app::bench_system("water"), two_hundred_parameters()),
        hamiltonian_(hamiltonian),
        parameters_(static_cast<int>(model_.parameters().size())),
        rows_(2 + parameters_),  // 1, E, O
        size_(packed_size(rows_) +
              (hamiltonian ? packed_size(parameters_) + rows_ * parameters_ : 0)),
        positions_(std::size_t(tiles * position_rows * tile_walkers)),
        numbers_(std::size_t((2 * parameters_ + 4) * tile_walkers), 1.0),
        gram_(std::size_t(size_), 0.0),
        plain_(std::size_t(size_), 0.0),
        sums_(size_),
        scratch_(model_.make_scratch()) {
    for (int t = 0; t < tiles; ++t) model_.initial_positions(7, tile(t));
  }

  void run(bool order_free) {
    for (int t = 0; t < tiles; ++t) visit(t, 16, 0, false);
    sweep_ += 16;
    for (int t = 0; t < tiles; ++t) {
      for (int sample = 0; sample < 8; ++sample) {
        visit(t, 8, 8 * sample, true);
        add(order_free && sample == 0 ? TileSum::replace : TileSum::accumulate,
            order_free ? gram_.data() : plain_.data());
      }
      if (order_free) sums_.deposit(gram_.data(), size_);
    }
    sweep_ += 64;
  }
  int parameters() const { return parameters_; }
  std::int64_t size() const { return size_; }
  static constexpr int tiles = 4;

 private:
  static constexpr int position_rows = 30;

  TileView tile(int t) {
    return {positions_.data() + t * position_rows * tile_walkers, t * tile_walkers};
  }
  double* products() { return numbers_.data() + 2 * tile_walkers; }
  double* slopes() { return products() + 2 * tile_walkers; }
  void visit(int t, std::int64_t sweeps, std::int64_t later, bool energy) {
    TileResult result;
    result.kinetic = numbers_.data();
    result.potential = numbers_.data() + tile_walkers;
    result.by_parameter = slopes();
    result.energy_by_parameter = slopes() + parameters_ * tile_walkers;
    VisitPlan plan;
    plan.first_sweep = sweep_ + later;
    plan.sweeps = sweeps;
    plan.step_size = 0.3;
    plan.energy = plan.derivatives = energy;
    model_.visit(*scratch_, plan, tile(t), result);
  }
  void add(TileSum mode, double* out) {
    tile_gram(products(), rows_, nullptr, out, mode);
    if (hamiltonian_) {
      double* next = out + packed_size(rows_);
      tile_gram(slopes(), parameters_, products() + tile_walkers, next, mode);
      tile_cross(products(), rows_, slopes() + parameters_ * tile_walkers, parameters_,
                 nullptr, next + packed_size(parameters_), mode);
    }
  }

  MolecularModel model_;
  bool hamiltonian_;
  int parameters_, rows_;
  std::int64_t size_;
  AlignedVector<double> positions_, numbers_, gram_, plain_;
  ExactSums sums_;
  std::unique_ptr<Model::Scratch> scratch_;
  std::int64_t sweep_ = 0;
};

void step_share(const char* method, bool hamiltonian) {
  constexpr int steps = 9;
  OptimisationStep step(hamiltonian);
  std::vector<double> times[2];
  for (int i = 0; i < 2 * steps + 2; ++i) {
    const double start = seconds_now(Clock::thread);
    step.run(i % 2 == 0);
    if (i >= 2) times[i % 2].push_back(seconds_now(Clock::thread) - start);
  }
  for (auto& t : times) std::nth_element(t.begin(), t.begin() + steps / 2, t.end());
  const double exact = times[0][steps / 2], plain = times[1][steps / 2];
  const double walkers = OptimisationStep::tiles * tile_walkers;
  std::printf(
      "  %-26s %d parameters, %lld numbers a tile: %.0f us a walker, plain %.0f: "
      "order-free sums are %.1f %% of the step\n",
      method, step.parameters(), static_cast<long long>(step.size()),
      1e6 * exact / walkers, 1e6 * plain / walkers, 100.0 * (exact - plain) / exact);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> parts(argv + 1, argv + argc);
  const auto wanted = [&](const char* part) {
    return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
  };
  if (!parts.empty() && parts[0] == "network") {
    network_as_json();
    return 0;
  }
  if (wanted("maps")) empty_maps();
  if (wanted("gradients")) {
    gradients("tanh network 64-64-64-64", {64, 64, 64, 64}, 15);
    gradients("tanh network 8-11-9-1", {8, 11, 9, 1}, 41);
    recording();
  }
  if (wanted("sums")) {
    step_sums();
    std::printf("an optimisation step of water\n");
    step_share("linear method", true);
    step_share("stochastic reconfiguration", false);
  }
  if (wanted("scaling")) strong_scaling();
}
