// What the sharding core costs: an empty map, a network's gradient, the order-free sums.
//
// Questions, numbers and conclusions stand in sharding.md. Times are medians of many
// calls; the multiply-add peak of a core is measured between them.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <drover/drover.hpp>

#include "drover/app/bench_peak.hpp"
#include "drover/core/cpu.hpp"
#include "drover/core/tile_sums.hpp"

namespace {

using namespace drover;

// Of the clock on the wall where several devices work; of this thread where one does, so
// that other programs on the machine count less.
enum class Clock : int { wall = CLOCK_MONOTONIC, thread = CLOCK_THREAD_CPUTIME_ID };

double seconds_now(Clock clock) {
  timespec now{};
  clock_gettime(static_cast<clockid_t>(clock), &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

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
void gradients(const char* name, const std::vector<std::int64_t>& widths, int calls) {
  constexpr std::int64_t samples = 10'000;
  const auto net = make_net(widths);
  const auto x = normal_array({samples, widths.front()}, 1.0, 200);
  const auto cotangents = normal_array({samples}, 1.0, 201);
  const auto scope = use_mesh(Mesh::cpu(1));
  const auto w = replicate(net);

  Recorded recorded = record(network, net, x);
  auto buffer = net;
  WorkCount work;
  const auto rounds = [&](auto&& f) { return median_seconds(calls, f); };
  const double before = peak();
  const double plain = rounds([&] {
    work =
        value_and_pullback(recorded, net, x, cotangents, accumulate(buffer), skip).work;
  });
  const auto exact = [&](std::int64_t grain) {
    const auto rows = shard(x, grain);
    const auto dv = shard(cotangents, grain);
    return rounds([&] { vjp_sum(network, w, rows, dv, {.microbatch = 1024}); });
  };
  const double tiles = exact(64), singly = exact(1);
  const double per_second = std::max(before, peak());
  const double ideal = double(work.multiply_adds) / per_second;
  std::printf("%s: %lld parameters, %lld samples, %.1f million multiply-adds\n", name,
              static_cast<long long>(recorded.parameters()),
              static_cast<long long>(samples), 1e-6 * double(work.multiply_adds));
  const auto line = [&](const char* what, double seconds) {
    std::printf("  %-32s %8.3f ms  %5.1f %% of peak  %5.2f times plain\n", what,
                1e3 * seconds, 100.0 * ideal / seconds, seconds / plain);
  };
  std::printf("  peak of a core: %.1f billion multiply-adds a second (%s, %d lanes)\n",
              1e-9 * per_second, drover::name(instruction_set()), lanes());
  line("plain sums of doubles", plain);
  line("vjp_sum, grain 64", tiles);
  line("vjp_sum, grain 1 (every row)", singly);
}

// Recording the model, which vjp_sum does once a call on every device.
void recording() {
  const auto net = make_net({64, 64, 64, 64});
  const auto x = normal_array({1, 64}, 1.0, 202);
  const auto scope = use_mesh(Mesh::cpu(1));
  const auto w = replicate(net);
  const auto row = shard(x);
  const auto one = shard(normal_array({1}, 1.0, 203));
  std::printf("the same network for one sample: %.1f us to record, %.1f us for vjp_sum\n",
              1e6 * median_seconds(501, [&] { record(network, net, x); }),
              1e6 * median_seconds(501, [&] { vjp_sum(network, w, row, one); }));
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

}  // namespace

int main() {
  empty_maps();
  gradients("tanh network 64-64-64-64", {64, 64, 64, 64}, 15);
  gradients("tanh network 8-11-9-1", {8, 11, 9, 1}, 41);
  recording();
  step_sums();
}
