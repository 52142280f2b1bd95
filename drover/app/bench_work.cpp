#include "drover/app/bench_work.hpp"

#include <algorithm>
#include <cmath>

#include "drover/wave/slater_jastrow.hpp"
#include "drover/wave/visit_kernel.hpp"

namespace drover::app {
namespace {

constexpr std::uint64_t seed = 7;
constexpr double step_size = 0.5;  // bohr; about half of the moves are accepted

}  // namespace

SystemWork::SystemWork(const Molecule& molecule, int tiles, std::int64_t sweeps)
    : model_(molecule, JastrowSettings{}),
      tiles_(tiles),
      rows_(3 * model_.electrons()),
      positions_(static_cast<std::size_t>(tiles * rows_ * tile_walkers)),
      numbers_((2 + 2 * model_.parameters().size()) * tile_walkers),
      scratch_(model_.make_scratch()) {
  double* next = numbers_.data();
  const auto rows = [&next](std::size_t count) {
    double* first = next;
    next += count * tile_walkers;
    return first;
  };
  result_.kinetic = rows(1);
  result_.potential = rows(1);
  result_.by_parameter = rows(model_.parameters().size());
  result_.energy_by_parameter = rows(model_.parameters().size());
  for (int t = 0; t < tiles_; ++t)
    model_.initial_positions(seed, {tile(t), std::int64_t{t} * tile_walkers});
  for (std::int64_t done = 0; done < sweeps; done += sweeps_of_moves)
    run(Visit::moves, 1);
}

std::int64_t SystemWork::walkers() const {
  return std::int64_t{tiles_} * tile_walkers;
}

double SystemWork::units(Visit what) const {
  const auto all = static_cast<double>(walkers());
  if (what != Visit::moves) return all;
  return all * static_cast<double>(sweeps_of_moves * model_.electrons());
}

VisitPlan SystemWork::plan(Visit what) const {
  VisitPlan p;
  p.seed = seed;
  p.first_sweep = sweep_;
  p.step_size = step_size;
  p.sweeps = what == Visit::walker_step ? 1 : what == Visit::moves ? sweeps_of_moves : 0;
  p.energy = what != Visit::moves;
  p.derivatives = what == Visit::energy_with_derivatives;
  return p;
}

void SystemWork::run(Visit what, std::int64_t times) {
  for (std::int64_t i = 0; i < times; ++i) {
    const VisitPlan p = plan(what);
    for (int t = 0; t < tiles_; ++t)
      model_.visit(*scratch_, p, {tile(t), std::int64_t{t} * tile_walkers}, result_);
    sweep_ += p.sweeps;
  }
}

OperationCounts SystemWork::count(Visit what) const {
  const WavePlan& wave = model_.plan();
  AlignedVector<double> positions(positions_.begin(),
                                  positions_.begin() + rows_ * tile_walkers);
  AlignedVector<double> numbers(numbers_.size());
  Arena moves(nullptr);
  MoveWork<Counting>::in(moves, wave.electrons);
  AlignedVector<char> workspace(static_cast<std::size_t>(
      moves.used() + SlaterJastrow<Counting>::workspace_bytes(wave)));
  Arena arena(workspace.data());
  MoveWork<Counting> work = MoveWork<Counting>::in(arena, wave.electrons);
  SlaterJastrow<Counting> psi(wave, arena);
  TileResult result;
  result.kinetic = numbers.data();
  result.potential = result.kinetic + tile_walkers;
  result.by_parameter = result.potential + tile_walkers;
  result.energy_by_parameter =
      result.by_parameter + std::int64_t{wave.parameters} * tile_walkers;
  OperationCounts c = count_operations([&] {
    visit_tile<Counting>(psi, work, wave.parameters, plan(what), {positions.data(), 0},
                         result);
  });
  for (std::int64_t* n : {&c.add, &c.multiply, &c.fma, &c.divide, &c.square_root,
                          &c.compare, &c.exp, &c.log, &c.sincos})
    *n = (*n + tile_walkers / 2) / tile_walkers;
  return c;
}

bool SystemWork::is_sane() const {
  const auto finite = [](double x) { return std::isfinite(x); };
  return result_.accepted > 0 && result_.accepted < result_.proposed &&
         std::all_of(result_.kinetic, result_.kinetic + tile_walkers, finite) &&
         std::all_of(result_.potential, result_.potential + tile_walkers, finite);
}

}  // namespace drover::app
