// What Drover's water costs beside the bare local energy of the yardstick
// (yardstick.hpp).
//
// Both run in turn on one core at the same lanes; medians and their ratios, with the
// goals that the project has set for them, and the operations that a walker takes. Exit
// status 1 when a goal is missed.
#include "yardstick.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <exception>

#include "drover/app/bench_peak.hpp"
#include "drover/app/bench_systems.hpp"
#include "drover/app/bench_timing.hpp"
#include "drover/app/bench_work.hpp"
#include "drover/core/array.hpp"
#include "drover/core/cpu.hpp"
#include "drover/core/error.hpp"
#include "drover/core/random.hpp"

namespace {

using namespace drover::app;

constexpr int walkers = 2048;
constexpr double goal_walker_step = 12.0, goal_derivatives = 15.0;

yardstick::System water_like() {
  yardstick::System s;
  const double nucleus[3][3] = {{0, 0, 0.22}, {0, 1.43, -0.9}, {0, -1.43, -0.9}};
  std::memcpy(s.nucleus, nucleus, sizeof nucleus);
  s.charge[0] = 8;
  s.charge[1] = s.charge[2] = 1;
  // nucleus, l, primitives: cc-pVDZ of oxygen and hydrogen
  constexpr int layout[yardstick::shells][3] = {
      {0, 0, 8}, {0, 0, 1}, {0, 0, 1}, {0, 1, 3}, {0, 1, 1}, {0, 2, 1},
      {1, 0, 3}, {1, 0, 1}, {1, 1, 1}, {2, 0, 3}, {2, 0, 1}, {2, 1, 1}};
  for (int k = 0; k < yardstick::shells; ++k) {
    yardstick::Shell& shell = s.shell[k];
    shell.nucleus = layout[k][0];
    shell.l = layout[k][1];
    shell.primitives = layout[k][2];
    double exponent = 0.15;
    for (int p = 0; p < shell.primitives; ++p, exponent *= 3.1) {
      shell.exponent[p] = exponent;
      shell.coefficient[p] = 0.3 / (p + 1);
    }
  }
  for (int f = 0; f < yardstick::functions; ++f)
    for (int m = 0; m < yardstick::orbitals; ++m) {
      const auto drawn = drover::draw_normals<double>(1, f, m, drover::Purpose::user, 0);
      s.orbital[f][m] = drawn.first;
    }
  for (int k = 0; k <= yardstick::degree; ++k) s.jastrow[k] = 0.01 * (k + 1);
  return s;
}

yardstick::Kernel kernel(drover::InstructionSet set, int lanes) {
  const yardstick::Kernel found = set == drover::InstructionSet::v4
                                      ? yardstick::kernel_v4(lanes)
                                      : yardstick::kernel_v3(lanes);
  if (found == nullptr)
    throw drover::Error(drover::ErrorKind::logic, "no yardstick of these lanes");
  return found;
}

void print_operations(const SystemWork& work, double peak, const double* microseconds) {
  fmt::print("\n  {:<26}{:>7}{:>7}{:>7}{:>5}{:>6}{:>9}{:>6}{:>5}{:>7}{:>9}{:>9}\n",
             "operations a walker", "fma", "add", "mul", "div", "sqrt", "compare", "exp",
             "log", "sincos", "in all", "of peak");
  const std::pair<const char*, Visit> rows[] = {
      {"walker step", Visit::walker_step},
      {"local energy", Visit::local_energy},
      {"with derivatives", Visit::energy_with_derivatives}};
  for (const auto& [name, what] : rows) {
    const drover::OperationCounts c = work.count(what);
    fmt::print("  {:<26}{:>7}{:>7}{:>7}{:>5}{:>6}{:>9}{:>6}{:>5}{:>7}{:>9}{:>8.1f}%\n",
               name, c.fma, c.add, c.multiply, c.divide, c.square_root, c.compare, c.exp,
               c.log, c.sincos, c.flops(),
               100.0 * static_cast<double>(c.flops()) / *microseconds++ / peak);
  }
  fmt::print("  (an fma counts two; exp, log and sincos are counted by what they do)\n");
}

int compare() {
  const drover::InstructionSet set = drover::instruction_set();
  const int lanes = drover::lanes();
  SystemWork work(bench_system("water"), 16, 40);
  const yardstick::System bare = water_like();
  const yardstick::Kernel run_bare = kernel(set, lanes);
  const PeakLoop peak_rounds = peak_loop(set, lanes);

  drover::AlignedVector<double> positions(3 * yardstick::electrons * walkers);
  drover::AlignedVector<double> energies(walkers);
  for (std::size_t k = 0; k < positions.size(); ++k)
    positions[k] = drover::draw_normals<double>(2, static_cast<std::int64_t>(k), 0,
                                                drover::Purpose::user, 0)
                       .first;

  constexpr std::int64_t rounds = 1000;
  volatile double sink = 0.0;
  std::vector<TimedWork> pieces = {{[&](std::int64_t n) {
                                      while (n-- > 0)
                                        run_bare(bare, positions.data(), walkers,
                                                 energies.data());
                                    },
                                    walkers}};
  for (const Visit what :
       {Visit::walker_step, Visit::local_energy, Visit::energy_with_derivatives})
    pieces.push_back(
        {[&work, what](std::int64_t n) { work.run(what, n); }, work.units(what)});
  pieces.push_back({[&](std::int64_t n) { sink = peak_rounds(n * rounds); }, rounds});
  const std::vector<UnitTime> t = time_in_turn(pieces, {31, 0.01});

  fmt::print("  water, cc-pVDZ, nuclear cusp and Boys-Handy; one core, {}, {} lanes\n\n",
             work.model().instruction_set(), lanes);
  fmt::print("  {:<26}{:>12}{:>9}{:>9}{:>7}\n", "", "us a walker", "spread", "ratio",
             "goal");
  fmt::print("  {:<26}{:>12.3f}{:>8.1f}%{:>9.2f}\n", "yardstick: bare energy",
             t[0].microseconds, 100 * t[0].spread, 1.0);
  bool met = true;
  const auto row = [&](const char* name, const UnitTime& time, double goal) {
    const double ratio = time.microseconds / t[0].microseconds;
    fmt::print("  {:<26}{:>12.3f}{:>8.1f}%{:>9.2f}{:>7}\n", name, time.microseconds,
               100 * time.spread, ratio, goal > 0 ? fmt::format("{:.0f}", goal) : "");
    met = met && (goal <= 0 || ratio <= goal);
  };
  row("walker step", t[1], goal_walker_step);
  row("local energy", t[2], 0);
  row("with derivatives", t[3], goal_derivatives);
  const double visits[] = {t[1].microseconds, t[2].microseconds, t[3].microseconds};
  const double peak = peak_operations(lanes) / t[4].microseconds;
  print_operations(work, peak, visits);
  fmt::print("  multiply-add peak of this core: {:.1f} Gflop/s\n", 1e-3 * peak);
  if (!met) fmt::print("  A goal is missed.\n");
  return met ? 0 : 1;
}

}  // namespace

int main() {
  try {
    int status = 1;
    on_one_core([&] { status = compare(); });
    return status;
  } catch (const std::exception& error) {
    fmt::print(stderr, "yardstick: {}\n", error.what());
    return 1;
  }
}
