#include "drover/vmc/herd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drover/core/error.hpp"
#include "drover/mesh/collectives.hpp"
#include "drover/mesh/map.hpp"

namespace drover {

Herd::Herd(const Model& model, RowRange rows)
    : rows_(rows),
      electrons_(model.electrons()),
      positions_(static_cast<std::size_t>(tile_count(rows.size()) * 3 *
                                          model.electrons() * tile_walkers)),
      sums_(static_cast<std::size_t>(tile_count(rows.size()) * 4 * tile_walkers)),
      scratch_(model.make_scratch()) {}

TileView Herd::tile(std::int64_t t) {
  const std::int64_t first = t * tile_walkers;
  const std::int64_t left = rows_.size() - first;
  return {positions_.data() + t * 3 * electrons_ * tile_walkers, rows_.first + first,
          static_cast<int>(std::min<std::int64_t>(left, tile_walkers))};
}
double* Herd::sum(std::int64_t t, int half) {
  return sums_.data() + (t * 4 + half) * tile_walkers;
}
double* Herd::counted(std::int64_t t, int half) {
  return sums_.data() + (t * 4 + 2 + half) * tile_walkers;
}
double* Herd::buffer(std::int64_t rows) {
  const auto size = static_cast<std::size_t>(rows * tile_walkers);
  if (buffer_.size() < size) buffer_.resize(size);
  return buffer_.data();
}
double* Herd::sums_buffer(std::int64_t count) {
  const auto size = static_cast<std::size_t>(count);
  if (sums_buffer_.size() < size) sums_buffer_.resize(size);
  return sums_buffer_.data();
}

namespace {
void grow(AlignedVector<double>& values, std::int64_t size) {
  if (std::ssize(values) < size) values.resize(static_cast<std::size_t>(size));
}
}  // namespace

void Herd::reserve_walkers(std::int64_t visits) {
  grow(kept_positions_, visits * tiles() * 3 * electrons_ * tile_walkers);
  grow(kept_logs_, visits * tiles() * tile_walkers);
}
void Herd::reserve_slopes(std::int64_t visits, std::int64_t parameters) {
  slope_rows_ = block_head + parameters;
  grow(kept_slopes_, visits * tiles() * slope_rows_ * tile_walkers);
}
double* Herd::kept_positions(std::int64_t visit, std::int64_t t) {
  return kept_positions_.data() + (visit * tiles() + t) * 3 * electrons_ * tile_walkers;
}
double* Herd::kept_logs(std::int64_t visit, std::int64_t t) {
  return kept_logs_.data() + (visit * tiles() + t) * tile_walkers;
}
double* Herd::kept_slopes(std::int64_t visit, std::int64_t t) {
  return kept_slopes_.data() + (visit * tiles() + t) * slope_rows_ * tile_walkers;
}

void Herd::write_row(std::int64_t local_walker, std::span<double> out) const {
  const std::int64_t t = local_walker / tile_walkers, w = local_walker % tile_walkers;
  const double* x = positions_.data() + t * 3 * electrons_ * tile_walkers + w;
  const double* s = sums_.data() + t * 4 * tile_walkers + w;
  std::size_t at = 0;
  for (int k = 0; k < 3 * electrons_; ++k) out[at++] = x[k * tile_walkers];
  for (int k = 0; k < 4; ++k) out[at++] = s[k * tile_walkers];
}
void Herd::read_row(std::int64_t local_walker, std::span<const double> in) {
  const std::int64_t t = local_walker / tile_walkers, w = local_walker % tile_walkers;
  double* x = positions_.data() + t * 3 * electrons_ * tile_walkers + w;
  double* s = sums_.data() + t * 4 * tile_walkers + w;
  std::size_t at = 0;
  for (int k = 0; k < 3 * electrons_; ++k) x[k * tile_walkers] = in[at++];
  for (int k = 0; k < 4; ++k) s[k * tile_walkers] = in[at++];
}

Sharded<Herd> make_herd(const Mesh& mesh, const Model& model, std::int64_t walkers,
                        std::uint64_t seed) {
  return make_sharded<Herd>(mesh, walkers, tile_walkers,
                            [&](const DeviceContext&, RowRange rows) {
                              Herd herd(model, rows);
                              for (std::int64_t t = 0; t < herd.tiles(); ++t)
                                model.initial_positions(seed, herd.tile(t));
                              return herd;
                            });
}

Sharded<Herd> make_herd(const Mesh& mesh, const Model& model, const Array<double>& rows) {
  if (rows.row_size() != Herd::row_width(model.electrons()))
    throw input_error("the stored walkers have " + std::to_string(rows.row_size()) +
                      " numbers each, this wave function needs " +
                      std::to_string(Herd::row_width(model.electrons())) +
                      ": they belong to another system");
  return make_sharded<Herd>(mesh, rows.rows(), tile_walkers,
                            [&](const DeviceContext&, RowRange range) {
                              Herd herd(model, range);
                              // Weightless lanes of the last tile hold finite positions
                              // too.
                              for (std::int64_t t = 0; t < herd.tiles(); ++t)
                                model.initial_positions(0, herd.tile(t));
                              for (std::int64_t i = 0; i < range.size(); ++i)
                                herd.read_row(i, rows.row(range.first + i));
                              return herd;
                            });
}

Sharded<Herd> make_herd_at(const Mesh& mesh, const Model& model, std::int64_t walkers,
                           const Array<double>& positions) {
  const Array<double>::Shape expected = {walkers, model.electrons(), 3};
  if (positions.shape() != expected)
    throw input_error(fmt::format(
        "the walkers brought are an array of [{}]: expected [{}], that is [walkers]"
        "[electrons][3]; bring as many as sampling.walkers says, of this molecule",
        fmt::join(positions.shape(), "]["), fmt::join(expected, "][")));
  for (std::int64_t i = 0; i < positions.size(); ++i)
    if (!std::isfinite(positions[i]))
      throw input_error(
          fmt::format("the walkers brought have a position that is not finite: walker "
                      "{}, electron {}",
                      i / positions.row_size(), i % positions.row_size() / 3));
  Array<double> rows({walkers, Herd::row_width(model.electrons())});  // sums begin at 0
  for (std::int64_t w = 0; w < walkers; ++w)
    std::copy_n(positions.row(w).begin(), positions.row_size(), rows.row(w).begin());
  return make_herd(mesh, model, rows);
}

Array<double> gather_rows(const Sharded<Herd>& herd, int electrons) {
  const Sharded<Array<double>> rows = shard_map<Sharded<Array<double>>>(
      [&](const DeviceContext&, const Herd& mine) {
        Array<double> out({mine.rows().size(), Herd::row_width(electrons)});
        for (std::int64_t i = 0; i < out.rows(); ++i) mine.write_row(i, out.row(i));
        return out;
      },
      herd);
  return gather(rows, "walkers");
}

}  // namespace drover
