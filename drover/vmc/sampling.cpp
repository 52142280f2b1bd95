#include "drover/vmc/sampling.hpp"

#include <algorithm>
#include <cmath>

#include "drover/core/error.hpp"
#include "drover/core/tile_sums.hpp"
#include "drover/mesh/collectives.hpp"
#include "drover/mesh/map.hpp"

namespace drover {

namespace {

// Rows of the Gram matrix: ones, clipped energy, then O and dE as the method asks.
struct GramLayout {
  explicit GramLayout(const SampleSpec& spec)
      : log_rows(spec.moments.overlap ? static_cast<int>(spec.parameters) : 0),
        slope_rows(spec.moments.hamiltonian || spec.moments.energy_slopes
                       ? static_cast<int>(spec.parameters)
                       : 0),
        weighted(spec.moments.hamiltonian) {}
  int log_rows, slope_rows;
  bool weighted;  // E O O^T besides

  int rows() const { return 2 + log_rows + slope_rows; }
  bool any() const { return log_rows + slope_rows > 0; }
  std::int64_t gram() const { return any() ? packed_size(rows()) : 0; }
  std::int64_t weighted_gram() const { return weighted ? packed_size(log_rows) : 0; }
};

constexpr std::int64_t first_gram = StepSums::scalars;

bool finite(double x) {
  return std::isfinite(x);
}

// Everything that one tile adds.
class TileFold {
 public:
  TileFold(Herd& herd, const SampleSpec& spec, StepSums& into, BadWalker& bad)
      : herd_(herd), spec_(spec), layout_(spec), into_(into), bad_(bad) {
    const bool slopes = layout_.any();
    rows_ = herd.buffer(2 + layout_.rows() + (slopes ? 2 * spec.parameters : 0));
    kinetic_ = rows_;
    potential_ = rows_ + tile_walkers;
    gram_rows_ = rows_ + 2 * tile_walkers;
    std::int64_t next = 2 + layout_.rows();
    // Kernels write O and dE straight into the Gram rows; what is not summed goes aside.
    double* aside = rows_ + next * tile_walkers;
    log_ = layout_.log_rows > 0 ? gram_rows_ + 2 * tile_walkers : aside;
    slope_ = layout_.slope_rows > 0 ? gram_rows_ + (2 + layout_.log_rows) * tile_walkers
                                    : aside + spec.parameters * tile_walkers;
  }

  void visit(Model& model, std::int64_t t) {
    TileResult result;
    result.kinetic = kinetic_;
    result.potential = potential_;
    VisitPlan plan = spec_.visit;
    plan.derivatives = layout_.any();
    if (plan.derivatives) {
      result.by_parameter = log_;
      result.energy_by_parameter = slope_;
    }
    const TileView tile = herd_.tile(t);
    model.visit(herd_.scratch(), plan, tile, result);
    into_.sums().add_count(StepSums::accepted, result.accepted);
    into_.sums().add_count(StepSums::proposed, result.proposed);
    if (plan.energy) fold(t, tile);
  }

 private:
  void fold(std::int64_t t, const TileView& tile) {
    double* ones = gram_rows_;
    double* clipped = gram_rows_ + tile_walkers;
    double* sum = herd_.sum(t, spec_.half);
    double* counted = herd_.counted(t, spec_.half);
    if (spec_.restart_walker_sums)
      for (int half = 0; half < 2; ++half) {
        std::fill_n(herd_.sum(t, half), tile_walkers, 0.0);
        std::fill_n(herd_.counted(t, half), tile_walkers, 0.0);
      }
    double scalar[StepSums::scalars] = {};
    std::int64_t good = 0, nonfinite = 0, limited = 0;
    for (int w = 0; w < tile_walkers; ++w) {
      const double e = kinetic_[w] + potential_[w] - spec_.shift;
      const bool counts = w < tile.active && slopes_finite(w) && finite(e);
      ones[w] = counts ? 1.0 : 0.0;
      clipped[w] = 0.0;
      if (!counts) {
        drop(w);
        if (w < tile.active) {
          ++nonfinite;
          note(tile.first_walker + w, !finite(kinetic_[w]));
        }
        continue;
      }
      ++good;
      const double c = clip(e);
      clipped[w] = c;
      scalar[StepSums::energy] += e;
      scalar[StepSums::energy2] = std::fma(e, e, scalar[StepSums::energy2]);
      scalar[StepSums::kinetic] += kinetic_[w];
      scalar[StepSums::potential] += potential_[w];
      scalar[StepSums::deviation] += std::fabs(e + spec_.shift - spec_.clip_center);
      scalar[StepSums::clipped] += c;
      scalar[StepSums::clipped2] = std::fma(c, c, scalar[StepSums::clipped2]);
      const double d2 =
          (c + spec_.shift - spec_.clip_center) * (c + spec_.shift - spec_.clip_center);
      scalar[StepSums::clipped4] = std::fma(d2, d2, scalar[StepSums::clipped4]);
      if (c != e) ++limited;
      sum[w] += e;
      counted[w] += 1.0;
    }
    ExactSums& sums = into_.sums();
    sums.add_count(StepSums::counted, good);
    sums.add_count(StepSums::nonfinite, nonfinite);
    sums.add_count(StepSums::limited, limited);
    if (tile.first_walker == 0) {  // lives on rank 0
      sums.add_count(StepSums::checkpoint_wishes, spec_.wants_checkpoint ? 1 : 0);
      sums.add_count(StepSums::stop_wishes, spec_.wants_stop ? 1 : 0);
    }
    if (spec_.walker_sums) add_walkers(t, tile, scalar);
    sums.deposit(0, scalar, StepSums::scalars);
    if (!layout_.any()) return;
    double* out = herd_.sums_buffer(layout_.gram() + layout_.weighted_gram());
    tile_gram(gram_rows_, layout_.rows(), nullptr, out);
    if (layout_.weighted)
      tile_gram(log_, layout_.log_rows, clipped, out + layout_.gram());
    sums.deposit(first_gram, out, layout_.gram() + layout_.weighted_gram());
  }

  bool slopes_finite(int w) const {
    for (int k = 0; k < layout_.log_rows; ++k)
      if (!finite(log_[k * tile_walkers + w])) return false;
    for (int k = 0; k < layout_.slope_rows; ++k)
      if (!finite(slope_[k * tile_walkers + w])) return false;
    return true;
  }
  // A weightless walker must still be finite where it is multiplied by zero.
  void drop(int w) {
    for (int k = 0; k < layout_.log_rows; ++k) log_[k * tile_walkers + w] = 0.0;
    for (int k = 0; k < layout_.slope_rows; ++k) slope_[k * tile_walkers + w] = 0.0;
  }
  double clip(double e) const {
    if (spec_.clip_width <= 0.0) return e;
    const double center = spec_.clip_center - spec_.shift;
    return std::clamp(e, center - spec_.clip_width, center + spec_.clip_width);
  }
  void note(std::int64_t walker, bool kinetic) {
    if (bad_.walker < 0 || walker < bad_.walker) bad_ = {walker, kinetic};
  }

  void add_walkers(std::int64_t t, const TileView& tile, double* scalar) {
    std::int64_t walkers = 0, counted = 0, chains = 0, samples = 0;
    for (int w = 0; w < tile.active; ++w) {
      const double n = herd_.counted(t, 0)[w] + herd_.counted(t, 1)[w];
      if (n == 0.0) continue;
      const double s = herd_.sum(t, 0)[w] + herd_.sum(t, 1)[w];
      ++walkers;
      counted += static_cast<std::int64_t>(n);
      scalar[StepSums::walker_sum] += s;
      scalar[StepSums::walker_sum2] = std::fma(s, s, scalar[StepSums::walker_sum2]);
      scalar[StepSums::walker_sum_count] =
          std::fma(s, n, scalar[StepSums::walker_sum_count]);
      scalar[StepSums::walker_count2] = std::fma(n, n, scalar[StepSums::walker_count2]);
      for (int half = 0; half < 2; ++half) {
        const double m = herd_.counted(t, half)[w];
        if (m < 2.0) continue;
        const double mean = herd_.sum(t, half)[w] / m;
        ++chains;
        samples += static_cast<std::int64_t>(m);
        scalar[StepSums::chain_inverse] += 1.0 / m;
        scalar[StepSums::chain_mean] += mean;
        scalar[StepSums::chain_mean2] =
            std::fma(mean, mean, scalar[StepSums::chain_mean2]);
        scalar[StepSums::chain_within] =
            std::fma(mean, herd_.sum(t, half)[w], scalar[StepSums::chain_within]);
      }
    }
    into_.sums().add_count(StepSums::walkers, walkers);
    into_.sums().add_count(StepSums::walker_counted, counted);
    into_.sums().add_count(StepSums::chains, chains);
    into_.sums().add_count(StepSums::chain_samples, samples);
  }

  Herd& herd_;
  const SampleSpec& spec_;
  GramLayout layout_;
  StepSums& into_;
  BadWalker& bad_;
  double *rows_, *kinetic_, *potential_, *gram_rows_, *log_, *slope_;
};

std::vector<double> full_matrix(const ExactSums& sums, std::int64_t first, int from_row,
                                int to_row, int from_column, int to_column) {
  std::vector<double> out;
  for (int a = from_row; a < to_row; ++a)
    for (int b = from_column; b < to_column; ++b)
      out.push_back(sums.value(first + packed_index(std::min(a, b), std::max(a, b))));
  return out;
}

OptimiserSums optimiser_sums(const ExactSums& sums, const SampleSpec& spec) {
  OptimiserSums out(spec.moments, spec.parameters, spec.shift);
  const GramLayout layout(spec);
  if (!layout.any()) return out;
  const int logs = 2, slopes = 2 + layout.log_rows, rows = layout.rows();
  const auto block = [&](int a, int a_end, int b, int b_end) {
    return full_matrix(sums, first_gram, a, a_end, b, b_end);
  };
  out.samples = sums.count(StepSums::counted);
  out.e = sums.value(first_gram + packed_index(0, 1));
  out.e2 = sums.value(first_gram + packed_index(1, 1));
  if (layout.log_rows > 0) {
    out.o = block(0, 1, logs, slopes);
    out.eo = block(1, 2, logs, slopes);
    out.oo = block(logs, slopes, logs, slopes);
  }
  if (layout.slope_rows > 0) {
    out.de = block(0, 1, slopes, rows);
    if (spec.moments.energy_slopes) {
      out.ede = block(1, 2, slopes, rows);
      out.dede = block(slopes, rows, slopes, rows);
    }
    if (spec.moments.hamiltonian) {
      out.ode = block(logs, slopes, slopes, rows);
      out.eoo = full_matrix(sums, first_gram + layout.gram(), 0, layout.log_rows, 0,
                            layout.log_rows);
    }
  }
  return out;
}

}  // namespace

StepSums::StepSums(const SampleSpec& spec) {
  const GramLayout layout(spec);
  sums_ = ExactSums(scalars + layout.gram() + layout.weighted_gram(), counts);
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
  out.checkpoint_wanted = s.count(StepSums::checkpoint_wishes) > 0;
  out.stop_wanted = s.count(StepSums::stop_wishes) > 0;
  out.acceptance = out.proposed > 0 ? static_cast<double>(out.accepted) /
                                          static_cast<double>(out.proposed)
                                    : 0.0;
  if (s.outside() > 0 || s.left_window())
    throw Error(
        ErrorKind::numerical,
        "[" + label + "] " + std::to_string(s.outside()) +
            " numbers were too large for the sums (2.8e14): some walker's energy or "
            "derivative has run away; look at the wave function or start again from "
            "other parameters");
  out.sum = s.value(StepSums::energy);
  out.sum2 = s.value(StepSums::energy2);
  if (out.counted > 0) {
    const auto n = static_cast<long double>(out.counted);
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
    // Of the fourth moment about the clip's center, which is near the mean.
    const double fourth = static_cast<double>(s.value_long(StepSums::clipped4) / n);
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

}  // namespace drover
