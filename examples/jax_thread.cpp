// The gradient of a user's own model over four devices and five microbatches, summed in
// place and reduced once: the program of the JAX discussion "vjp3 and sharding".
//
// Three weight matrices of ones, 140 samples of ones, a normal cotangent for each sample:
// every loss is 256, every entry of the gradient 16 times the sum of the cotangents.
#include <algorithm>
#include <cstdio>
#include <drover/drover.hpp>

using namespace drover;
using Weights = std::vector<Array<double>>;

Array<double> ones(Array<double>::Shape shape) {
  Array<double> a(std::move(shape));
  a.fill(1.0);
  return a;
}

int main() {
  const auto model = [](auto const& W, auto x) {
    for (auto const& w : W) x = dot(x, w);
    return sum(x);
  };
  std::vector<double> normal(140);
  double sum = 0.0;
  for (std::size_t i = 0; i < normal.size(); ++i) {
    normal[i] = draw_normals<double>(7, int(i), 0, Purpose::user, 0).first;
    sum += normal[i];
  }

  const auto scope = use_mesh(Mesh::cpu(4));  // until the end of the block
  const auto weights = replicate(Weights(3, ones({4, 4})));
  const auto samples = shard(ones({140, 4}));
  const auto cotangents = shard(normal);

  // Each device adds up its 35 samples, seven at a time; nothing communicates.
  auto [losses, partial] =
      value_and_vjp_sum(model, weights, samples, cotangents, {.microbatch = 7});
  const auto inside = current_mesh().ledger().count();
  // The only way from partial sums to a value; a second reduce() does not compile.
  const Replicated<Weights> gradient = reduce(std::move(partial), "gradient");

  std::printf("losses: %g of the first sample, %g of the last\n", losses.shard(0)[0],
              losses.shard(3)[34]);
  for (const auto& w : *gradient) {
    const auto [low, high] = std::minmax_element(w.begin(), w.end());
    std::printf("gradient: from %.10f to %.10f\n", *low, *high);
  }
  std::printf("16 times the sum of the cotangents: %.10f\n", 16.0 * sum);
  std::printf("collectives inside the loop: %d, after it:\n", int(inside));
  for (const Collective& c : current_mesh().ledger().recent()) {
    std::printf("  %s of %d numbers between %d devices, \"%s\"\n",
                std::string(name_of(c.kind)).c_str(), int(c.numbers), c.participants,
                c.label.c_str());
  }
}
