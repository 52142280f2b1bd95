#include "drover/vmc/tile_fold.hpp"

#include <algorithm>

#include "drover/core/math.hpp"

namespace drover {

namespace {

// A sample that counts for so many others says that the parameters went too far for the
// samples; leaving it out keeps the sums within their window, counting it ends the
// update.
constexpr double largest_weight = 1e4;

bool finite(double x) {
  return std::isfinite(x);
}

}  // namespace

TileFold::TileFold(Herd& herd, const SampleSpec& spec, StepSums& into, BadWalker& bad)
    : herd_(herd), spec_(spec), layout_(spec), into_(into), bad_(bad) {
  const std::int64_t rows = Herd::block_head + layout_.log_rows + layout_.slope_rows;
  kinetic_ = herd.buffer(3 + rows + (spec.moments.diagonal ? layout_.parameters : 0));
  potential_ = kinetic_ + tile_walkers;
  log_abs_ = potential_ + tile_walkers;
  block_ = log_abs_ + tile_walkers;
  scratch_ = block_ + rows * tile_walkers;
  if (spec.keep_walkers) herd.reserve_walkers(spec.kept + spec.visits);
  if (spec.keep_slopes) herd.reserve_slopes(spec.kept + spec.visits, spec.parameters);
}

void TileFold::visit(Model& model, std::int64_t t) {
  for (visit_ = 0; visit_ < spec_.visits; ++visit_) visit_once(model, t);
}

void TileFold::visit_once(Model& model, std::int64_t t) {
  const std::int64_t kept = spec_.kept + visit_;
  // Kernels write O and E_k straight into the rows that are summed.
  double* block = spec_.keep_slopes ? herd_.kept_slopes(kept, t) : block_;
  weight_ = block;
  squares_ = block + tile_walkers;
  ones_ = block + 2 * tile_walkers;
  clipped_ = block + 3 * tile_walkers;
  log_ = slope_ = block + Herd::block_head * tile_walkers;
  if (layout_.slope_in_gram && !layout_.log_in_gram)
    log_ += layout_.slope_rows * tile_walkers;
  else
    slope_ += layout_.log_rows * tile_walkers;
  TileResult result;
  result.kinetic = kinetic_;
  result.potential = potential_;
  VisitPlan plan = spec_.visit;
  plan.first_sweep += visit_ * plan.sweeps;
  plan.derivatives = spec_.moments.any();
  if (layout_.log_rows > 0) result.by_parameter = log_;
  if (layout_.slope_rows > 0) result.energy_by_parameter = slope_;
  TileView tile = herd_.tile(t);
  const bool weighted = spec_.reuse && spec_.visit.target == Target::wave_function;
  plan.logs = plan.logs || weighted || spec_.keep_walkers;
  if (plan.logs) result.log_abs = log_abs_;
  log_then_ = weighted ? herd_.kept_logs(kept, t) : nullptr;
  if (spec_.reuse) {
    tile.positions = herd_.kept_positions(kept, t);
    plan.sweeps = 0;
  }
  model.visit(herd_.scratch(), plan, tile, result);
  into_.sums().add_count(StepSums::accepted, result.accepted);
  into_.sums().add_count(StepSums::proposed, result.proposed);
  if (!plan.energy) return;
  if (spec_.keep_walkers) {
    std::copy_n(tile.positions, 3 * herd_.electrons() * tile_walkers,
                herd_.kept_positions(kept, t));
    std::copy_n(log_abs_, tile_walkers, herd_.kept_logs(kept, t));
  }
  fold(t, tile);
}

double TileFold::weight_of(int w) const {
  if (log_then_ == nullptr) return 1.0;
  return exp(2.0 * (log_abs_[w] - log_then_[w] - spec_.log_shift));
}

void TileFold::fold(std::int64_t t, const TileView& tile) {
  double* sum = herd_.sum(t, spec_.half);
  double* counted = herd_.counted(t, spec_.half);
  if (spec_.restart_walker_sums && first_visit())
    for (int half = 0; half < 2; ++half) {
      std::fill_n(herd_.sum(t, half), tile_walkers, 0.0);
      std::fill_n(herd_.counted(t, half), tile_walkers, 0.0);
    }
  double scalar[StepSums::scalars] = {};
  std::int64_t good = 0, nonfinite = 0, limited = 0, overweight = 0;
  for (int w = 0; w < tile_walkers; ++w) {
    const double e = kinetic_[w] + potential_[w] - spec_.shift;
    const double weight = w < tile.active ? weight_of(w) : 0.0;
    const bool number =
        w < tile.active && slopes_finite(w) && finite(e) && finite(weight);
    const bool counts = number && weight <= largest_weight;
    ones_[w] = counts ? 1.0 : 0.0;
    weight_[w] = counts ? weight : 0.0;
    clipped_[w] = squares_[w] = 0.0;
    if (!counts) {
      drop(w);
      overweight += number ? 1 : 0;
      if (w < tile.active && !number) {
        ++nonfinite;
        note(tile.first_walker + w, !finite(kinetic_[w]));
      }
      continue;
    }
    ++good;
    const double c = clip(e);
    clipped_[w] = c;
    squares_[w] = c * c;
    scalar[StepSums::energy] += weight * e;
    scalar[StepSums::energy2] = std::fma(weight * e, e, scalar[StepSums::energy2]);
    scalar[StepSums::kinetic] += weight * kinetic_[w];
    scalar[StepSums::potential] += weight * potential_[w];
    scalar[StepSums::deviation] +=
        weight * std::fabs(e + spec_.shift - spec_.clip_center);
    scalar[StepSums::clipped] += weight * c;
    scalar[StepSums::clipped2] = std::fma(weight * c, c, scalar[StepSums::clipped2]);
    if (spec_.clip_width > 0.0) {
      const double d = (c + spec_.shift - spec_.clip_center) / spec_.clip_width;
      scalar[StepSums::clipped4] =
          std::fma(weight * d * d, d * d, scalar[StepSums::clipped4]);
    }
    scalar[StepSums::weight] += weight;
    scalar[StepSums::weight2] = std::fma(weight, weight, scalar[StepSums::weight2]);
    if (c != e) ++limited;
    if (spec_.reuse) continue;
    sum[w] += e;
    counted[w] += 1.0;
  }
  ExactSums& sums = into_.sums();
  sums.add_count(StepSums::counted, good);
  sums.add_count(StepSums::nonfinite, nonfinite);
  sums.add_count(StepSums::limited, limited);
  sums.add_count(StepSums::overweight, overweight);
  if (tile.first_walker == 0) {  // lives on rank 0
    sums.add_count(StepSums::checkpoint_wishes, spec_.wants_checkpoint ? 1 : 0);
    sums.add_count(StepSums::stop_wishes, spec_.wants_stop ? 1 : 0);
  }
  if (spec_.walker_sums && last_visit()) add_walkers(t, tile, scalar);
  sums.deposit(0, scalar, StepSums::scalars);
  if (layout_.size > 0) add_matrices();
}

void TileFold::add_matrices() {
  double* out = herd_.sums_buffer(layout_.size);
  const TileSum mode = first_visit() ? TileSum::replace : TileSum::accumulate;
  const double* weight = log_then_ != nullptr ? weight_ : nullptr;
  // Rows 1 and E, then those of O and E_k that are in it, stand one after another.
  if (layout_.gram_rows > 0) tile_gram(ones_, layout_.gram_rows, weight, out, mode);
  if (layout_.log_rows > 0 && layout_.log_products > 0)
    tile_cross(spec_.moments.squares ? squares_ : ones_, layout_.log_products, log_,
               layout_.log_rows, weight, out + layout_.logs, mode);
  if (layout_.slope_rows > 0 && layout_.slope_products > 0)
    tile_cross(ones_, layout_.slope_products, slope_, layout_.slope_rows, weight,
               out + layout_.slopes, mode);
  if (spec_.moments.diagonal) {
    for (int i = 0; i < layout_.log_rows * tile_walkers; ++i)
      scratch_[i] = log_[i] * log_[i];
    tile_row_sums(scratch_, layout_.log_rows, weight, out + layout_.diagonal, mode);
  }
  if (spec_.moments.hamiltonian) {
    double* product = squares_;  // its last use was above
    for (int w = 0; w < tile_walkers; ++w) product[w] = weight_[w] * clipped_[w];
    tile_gram(log_, layout_.log_rows, product, out + layout_.weighted, mode);
  }
  if (last_visit()) into_.sums().deposit(StepSums::scalars, out, layout_.size);
}

bool TileFold::slopes_finite(int w) const {
  for (int k = 0; k < layout_.log_rows; ++k)
    if (!finite(log_[k * tile_walkers + w])) return false;
  for (int k = 0; k < layout_.slope_rows; ++k)
    if (!finite(slope_[k * tile_walkers + w])) return false;
  return true;
}

// A weightless walker must still be finite where it is multiplied by zero.
void TileFold::drop(int w) {
  for (int k = 0; k < layout_.log_rows; ++k) log_[k * tile_walkers + w] = 0.0;
  for (int k = 0; k < layout_.slope_rows; ++k) slope_[k * tile_walkers + w] = 0.0;
}

double TileFold::clip(double e) const {
  if (spec_.clip_width <= 0.0) return e;
  const double center = spec_.clip_center - spec_.shift;
  return std::clamp(e, center - spec_.clip_width, center + spec_.clip_width);
}

void TileFold::note(std::int64_t walker, bool kinetic) {
  if (bad_.walker < 0 || walker < bad_.walker) bad_ = {walker, kinetic};
}

void TileFold::add_walkers(std::int64_t t, const TileView& tile, double* scalar) {
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
      scalar[StepSums::chain_mean2] = std::fma(mean, mean, scalar[StepSums::chain_mean2]);
      scalar[StepSums::chain_within] =
          std::fma(mean, herd_.sum(t, half)[w], scalar[StepSums::chain_within]);
    }
  }
  into_.sums().add_count(StepSums::walkers, walkers);
  into_.sums().add_count(StepSums::walker_counted, counted);
  into_.sums().add_count(StepSums::chains, chains);
  into_.sums().add_count(StepSums::chain_samples, samples);
}

}  // namespace drover
