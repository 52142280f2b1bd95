#include "drover/vmc/sampling.hpp"

#include <algorithm>
#include <cmath>

#include "drover/core/error.hpp"
#include "drover/core/tile_sums.hpp"
#include "drover/mesh/collectives.hpp"
#include "drover/mesh/map.hpp"
#include "drover/vmc/sum_layout.hpp"
#include "drover/vmc/tile_fold.hpp"

namespace drover {

StepSums::StepSums(const SampleSpec& spec) {
  sums_ = ExactSums(scalars + SumLayout(spec).size, counts);
}

Unreduced<StepSums> make_step_sums(const Mesh& mesh, const SampleSpec& spec) {
  return make_unreduced(mesh, [&] { return StepSums(spec); });
}

void sample_into(Unreduced<StepSums>& into, Model& model, Sharded<Herd>& herd,
                 const SampleSpec& spec, BadWalker& bad) {
  std::vector<BadWalker> found(
      static_cast<std::size_t>(herd.mesh().local_device_count()));
  map_sum_into(
      into, {.microbatch = spec.microbatch, .label = "sample"},
      [&](const Batch& batch, Herd& mine, StepSums& partial) {
        TileFold fold(mine, spec, partial,
                      found[static_cast<std::size_t>(batch.device.local_index)]);
        const std::int64_t first = batch.rows.first / tile_walkers;
        for (std::int64_t t = first; t < tile_count(batch.rows.last); ++t)
          fold.visit(model, t);
      },
      herd);
  for (const BadWalker& b : found)
    if (b.walker >= 0 && (bad.walker < 0 || b.walker < bad.walker)) bad = b;
}

StepSample reduce_step(Unreduced<StepSums>&& unreduced, const SampleSpec& spec,
                       const std::string& label) {
  const Replicated<StepSums> reduced = reduce(std::move(unreduced), label);
  const ExactSums& s = reduced->sums();
  StepSample out;
  out.shift = spec.shift;
  out.counted = s.count(StepSums::counted);
  out.nonfinite = s.count(StepSums::nonfinite);
  out.accepted = s.count(StepSums::accepted);
  out.proposed = s.count(StepSums::proposed);
  out.limited = s.count(StepSums::limited);
  out.overweight = s.count(StepSums::overweight);
  out.checkpoint_wanted = s.count(StepSums::checkpoint_wishes) > 0;
  out.stop_wanted = s.count(StepSums::stop_wishes) > 0;
  out.acceptance = out.proposed > 0 ? static_cast<double>(out.accepted) /
                                          static_cast<double>(out.proposed)
                                    : 0.0;
  out.outside = s.outside() + (s.left_window() ? 1 : 0);
  if (out.outside > 0) {  // no sum means anything then
    out.energy = out.variance = out.clipped_variance = NAN;
    return out;
  }
  out.sum = s.value(StepSums::energy);
  out.sum2 = s.value(StepSums::energy2);
  if (out.counted > 0) {
    // Fresh samples weigh 1 each, and this is their number.
    const long double n = s.value_long(StepSums::weight);
    out.effective = static_cast<double>(n * n / s.value_long(StepSums::weight2));
    const long double mean = s.value_long(StepSums::energy) / n;
    const auto variance_of = [&](int first, int second) {
      const long double m = s.value_long(first) / n;
      const long double v = s.value_long(second) / n - m * m;
      return v > 0 ? static_cast<double>(v) : 0.0;
    };
    out.energy = static_cast<double>(static_cast<long double>(spec.shift) + mean);
    out.kinetic = static_cast<double>(s.value_long(StepSums::kinetic) / n);
    out.potential = static_cast<double>(s.value_long(StepSums::potential) / n);
    out.variance = variance_of(StepSums::energy, StepSums::energy2);
    out.clipped_variance = variance_of(StepSums::clipped, StepSums::clipped2);
    // Of the fourth moment about the clip's center, which is near the mean; it is summed
    // in units of the clip's width, so that it never leaves the sums' window.
    const double width2 = spec.clip_width * spec.clip_width;
    const double fourth =
        width2 * width2 * static_cast<double>(s.value_long(StepSums::clipped4) / n);
    const double spread = fourth - out.clipped_variance * out.clipped_variance;
    out.clipped_variance_error =
        spread > 0 ? std::sqrt(spread / static_cast<double>(out.counted)) : 0.0;
    out.deviation = static_cast<double>(s.value_long(StepSums::deviation) / n);
  }
  if (spec.walker_sums) {
    out.walkers.walkers = s.count(StepSums::walkers);
    out.walkers.shift = spec.shift;
    out.walkers.counted = static_cast<double>(s.count(StepSums::walker_counted));
    out.walkers.sum = s.value(StepSums::walker_sum);
    out.walkers.sum2 = s.value(StepSums::walker_sum2);
    out.walkers.sum_count = s.value(StepSums::walker_sum_count);
    out.walkers.counted2 = s.value(StepSums::walker_count2);
    out.half_chains.chains = s.count(StepSums::chains);
    out.half_chains.samples = static_cast<double>(s.count(StepSums::chain_samples));
    out.half_chains.shift = spec.shift;
    out.half_chains.sum_inverse_length = s.value(StepSums::chain_inverse);
    out.half_chains.sum_means = s.value(StepSums::chain_mean);
    out.half_chains.sum_means2 = s.value(StepSums::chain_mean2);
    out.chain_squares = s.value(StepSums::chain_within);
  }
  out.moments = optimiser_sums(s, spec);
  return out;
}

std::vector<double> reduce_products(Sharded<Herd>& herd, std::span<const double> v,
                                    std::int64_t visits, const std::string& label) {
  const auto p = static_cast<std::int64_t>(v.size());
  Unreduced<ExactSums> sums = map_sum(
      {.label = label}, [&] { return ExactSums(p); },
      [&](const Batch& batch, Herd& mine, ExactSums& partial) {
        double along[tile_walkers];
        double* out = mine.sums_buffer(p);
        const std::int64_t first = batch.rows.first / tile_walkers;
        for (std::int64_t visit = 0; visit < visits; ++visit)
          for (std::int64_t t = first; t < tile_count(batch.rows.last); ++t) {
            const double* block = mine.kept_slopes(visit, t);
            const double* slopes = block + Herd::block_head * tile_walkers;
            tile_combine(slopes, static_cast<int>(p), v.data(), along);
            for (int w = 0; w < tile_walkers; ++w) along[w] *= block[w];
            tile_row_sums(slopes, static_cast<int>(p), along, out);
            partial.deposit(out, p);
          }
      },
      herd);
  const Replicated<ExactSums> reduced = reduce(std::move(sums), label);
  if (reduced->outside() > 0 || reduced->nonfinite() > 0 || reduced->left_window())
    throw Error(ErrorKind::numerical,
                "[" + label +
                    "] numbers were too large for the sums (2.8e14): a "
                    "derivative has run away; start again from other parameters");
  std::vector<double> product;
  for (std::int64_t k = 0; k < p; ++k) product.push_back(reduced->value(k));
  return product;
}

Array<double> gather_slopes(Sharded<Herd>& herd, std::int64_t parameters,
                            std::int64_t visits, const std::string& label) {
  const Sharded<Array<double>> rows = shard_map<Sharded<Array<double>>>(
      [&](const DeviceContext&, Herd& mine) {
        Array<double> out({mine.rows().size(), visits, 2 + parameters});
        double* to = out.data();
        for (std::int64_t i = 0; i < mine.rows().size(); ++i)
          for (std::int64_t visit = 0; visit < visits; ++visit) {
            const double* block =
                mine.kept_slopes(visit, i / tile_walkers) + i % tile_walkers;
            *to++ = block[0];                 // weight
            *to++ = block[3 * tile_walkers];  // E
            for (std::int64_t k = 0; k < parameters; ++k)
              *to++ = block[(Herd::block_head + k) * tile_walkers];
          }
        return out;
      },
      herd);
  return all_gather(rows, label).value();
}

}  // namespace drover
