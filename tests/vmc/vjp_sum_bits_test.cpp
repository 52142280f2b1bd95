// vjp_sum of random numbers: the same bits for any devices and microbatches; buffers that
// outlive a call, sums that share one reduction, samples that are not numbers, misuse.
#include <random>
#include <string>

#include "drover/core/error.hpp"
#include "tests/mesh/thread_ranks.hpp"
#include "vjp_sum_models.hpp"

namespace drover::vjp_testing {
namespace {

// A tanh network with biases, as a tree; and samples as a tree of two leaves.
template <class A>
struct Net {
  std::vector<A> weights, biases;
  A out;
  static constexpr auto fields =
      tree_fields(field("weights", &Net::weights), field("biases", &Net::biases),
                  field("out", &Net::out));
};
template <class A>
struct Point {
  A position, scale;
  static constexpr auto fields =
      tree_fields(field("position", &Point::position), field("scale", &Point::scale));
};
const auto net_model = [](auto const& p, auto const& x) {
  auto h = x.position;
  for (std::size_t l = 0; l < p.weights.size(); ++l) {
    h = tanh(dot(h, p.weights[l]) + p.biases[l]);
  }
  return concat(std::vector{dot(h, p.out) * x.scale, sum(h)});  // two numbers a sample
};

template <class T>
Array<T> random_array(Array<double>::Shape shape, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Array<T> a(std::move(shape));
  for (T& x : a) x = static_cast<T>(normal(random));
  return a;
}
template <class T>
Net<Array<T>> random_net(std::mt19937_64& random) {
  Net<Array<T>> net;
  for (int l = 0; l < 2; ++l) {
    net.weights.push_back(random_array<T>({5, 5}, random));
    net.biases.push_back(random_array<T>({5}, random));
  }
  net.out = random_array<T>({5}, random);
  return net;
}
template <class T>
using Points = Point<PerWalker<Array<T>>>;

struct Bits {
  std::vector<double> gradient;
  Array<double> value;
  friend bool operator==(const Bits&, const Bits&) = default;
};
// On a mesh of these devices; values are gathered on rank 0.
template <class T>
Bits bits_on(const Mesh& mesh, std::int64_t microbatch, std::int64_t grain) {
  constexpr std::int64_t count = 301;
  std::mt19937_64 random(7);
  const auto net = random_net<T>(random);
  Points<T> points{{random_array<T>({count, 5}, random)},
                   {random_array<T>({count}, random)}};
  const auto cotangents = random_array<T>({count, 2}, random);
  const auto scope = use_mesh(mesh);
  auto [value, gradient] =
      value_and_vjp_sum(net_model, replicate(net), shard(points, grain),
                        shard(cotangents, grain), {.microbatch = microbatch});
  return {flatten(*reduce(std::move(gradient))), gather(value)};
}
template <class T>
Bits bits(int devices, std::int64_t microbatch, std::int64_t grain) {
  return bits_on<T>(Mesh::cpu(devices), microbatch, grain);
}

TEST(VjpSum, of_random_numbers_has_the_same_bits_for_all_devices_and_microbatches) {
  for (const std::int64_t grain : {1, 64}) {  // rows of one's own, tiles of walkers
    const Bits doubles = bits<double>(1, 0, grain), floats = bits<float>(1, 0, grain);
    for (const int devices : {1, 2, 3, 4, 7}) {
      for (const std::int64_t microbatch : {1, 3, 64}) {
        EXPECT_EQ(bits<double>(devices, microbatch, grain), doubles)
            << devices << " devices, microbatch " << microbatch << ", grain " << grain;
        EXPECT_EQ(bits<float>(devices, microbatch, grain), floats);
      }
    }
  }
}

TEST(VjpSum, of_random_numbers_has_the_same_bits_on_two_and_three_ranks) {
  for (const std::int64_t grain : {1, 64}) {
    const Bits expected = bits<double>(1, 0, grain);
    for (const int ranks : {2, 3}) {
      on_thread_ranks(ranks, [&](std::shared_ptr<Communicator> communicator) {
        const bool first = communicator->rank() == 0;
        const Bits found =
            bits_on<double>(Mesh::cpu(2, std::move(communicator)), 3, grain);
        EXPECT_EQ(found.gradient, expected.gradient);
        if (first) {
          EXPECT_EQ(found.value, expected.value);
        }
      });
    }
  }
}

TEST(VjpSum, of_rows_of_their_own_is_the_exact_sum_of_the_gradients_of_each_row) {
  std::mt19937_64 random(8);
  const Weights w = {random_array<double>({4, 4}, random),
                     random_array<double>({4, 3}, random)};
  const auto x = random_array<double>({50, 4}, random);
  const auto dv = random_array<double>({50}, random);
  ExactSums sums(28);
  for (std::int64_t i = 0; i < 50; ++i) {
    const RowsOf<double> row{x.data() + 4 * i, 1, {4}, 4, 1};
    auto one = vjp(stack_model, w, row);
    const auto g = one.pullback(std::vector{dv[i]}, give, skip).params;
    const std::vector<double> flat = leaves::flat(g);
    sums.deposit(flat.data(), 28);
  }
  const auto scope = use_mesh(Mesh::cpu(3));
  const std::vector<double> total =
      flatten(*reduce(vjp_sum(stack_model, replicate(w), shard(x), shard(dv))));
  for (std::int64_t i = 0; i < 28; ++i) EXPECT_EQ(total[std::size_t(i)], sums.value(i));
}

TEST(VjpSum, added_to_a_buffer_of_100_keeps_what_it_holds) {
  const auto scope = use_mesh(Mesh::cpu(4));
  auto buffer = to_unreduced(replicate(Weights(1, Array<double>({1, 1}, {{100.0}}))));
  const auto w = replicate(Weights(1, ones({1, 1})));
  vjp_sum_into(buffer, stack_model, w, shard(ones({4, 1})), shard(ones({4})));
  EXPECT_EQ((*reduce(std::move(buffer)))[0][0], 104.0);
}

// Everything that a step reduces, in one message.
struct StepSums {
  std::int64_t samples = 0;
  double loss = 0.0;
  Weights gradient;
  double squares = 0.0;
  static constexpr auto fields = tree_fields(
      field("samples", &StepSums::samples), field("loss", &StepSums::loss),
      field("gradient", &StepSums::gradient), field("squares", &StepSums::squares));
};

TEST(VjpSum, added_to_a_part_of_a_struct_shares_one_reduction_with_its_statistics) {
  const auto scope = use_mesh(Mesh::cpu(4));
  const Samples s = varied_samples(140);
  const auto x = shard(s.x);
  const auto dv = shard(s.dv);
  auto sums = make_unreduced(current_mesh(), [] {
    return StepSums{0, 0, varied_weights(), 0};
  });
  const auto losses = vjp_sum_into(sums, &StepSums::gradient, stack_model,
                                   shared(varied_weights()), x, dv, {.microbatch = 7});
  map_sum_into(
      sums, {},
      [](const Batch& batch, RowSpan<const double> loss, Accumulator<StepSums>& to) {
        for (std::int64_t i = 0; i < batch.size(); ++i) {
          StepSums one = to.shape();  // zeros
          one.samples = 1;
          one.loss = loss[i][0];
          to.add(one);
        }
      },
      losses);
  const auto total = reduce(std::move(sums));
  EXPECT_EQ(total->samples, 140);
  EXPECT_EQ(total->loss, 98.0);
  EXPECT_EQ(sum_of_squares(total->gradient), 981571.0);
  EXPECT_EQ(total->squares, 0.0);
  EXPECT_EQ(current_mesh().ledger().count(), 1);
  EXPECT_EQ(current_mesh().ledger().recent()[0].numbers, 51);
}

TEST(VjpSum, counts_a_sample_that_is_not_a_number_and_keeps_it_out_of_the_sum) {
  const auto scope = use_mesh(Mesh::cpu(2));
  auto x = ones({8, 4});
  x(5, 0) = std::numeric_limits<double>::quiet_NaN();
  const auto g =
      vjp_sum(stack_model, replicate(weights_of_ones(1)), shard(x), shard(ones({8})));
  EXPECT_THROW(reduce(g), Error);
  const auto counted = reduce_counted(g);
  EXPECT_EQ(counted->nonfinite, 4);  // a row of the weights' gradient
  for (int i = 0; i < 16; ++i) EXPECT_EQ(counted->value[0][i], i < 4 ? 7.0 : 8.0);
}

TEST(MapModel, gives_the_values_from_which_cotangents_are_made) {
  const auto scope = use_mesh(Mesh::cpu(3));
  const Samples s = varied_samples(29);
  const auto w = replicate(varied_weights());
  const auto x = shard(s.x);
  const auto value = map_model(stack_model, w, x, {.microbatch = 4});
  EXPECT_EQ(gather(value), evaluate(stack_model, varied_weights(), s.x));
  // d/dW of sum value^2 / 2 has the cotangents value.
  const auto g = reduce(vjp_sum(stack_model, w, x, value));
  auto whole = vjp(stack_model, varied_weights(), s.x);
  EXPECT_EQ(*g, whole.pullback(whole.value, give, skip).params);
}

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(VjpSum, says_what_does_not_fit) {
  const auto scope = use_mesh(Mesh::cpu(2));
  const auto w = replicate(weights_of_ones());
  const auto x = shard(ones({10, 4}));
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(error_of([&] {
        vjp_sum(stack_model, w, x, shard(ones({10, 2})));
      }),
      "5 samples times 1 numbers, found 10");
  has(error_of([&] { vjp_sum(stack_model, w, x, shard(ones({11}))); }), "[vjp_sum]");
  has(error_of([&] {
        auto small = make_unreduced(current_mesh(), [] { return weights_of_ones(2); });
        vjp_sum_into(small, stack_model, w, x, shard(ones({10})));
      }),
      "room for 32 numbers: expected the 48");
  has(error_of([&] {
        const auto narrow = replicate(Weights(1, ones({3, 3})));
        vjp_sum(stack_model, narrow, x, shard(ones({10})));
      }),
      "[dot] shapes");
}

}  // namespace
}  // namespace drover::vjp_testing
