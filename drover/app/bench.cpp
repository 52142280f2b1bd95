#include "drover/app/bench.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "drover/app/bench_peak.hpp"
#include "drover/app/bench_systems.hpp"
#include "drover/app/bench_work.hpp"
#include "drover/app/numbers.hpp"
#include "drover/core/cpu.hpp"
#include "drover/core/error.hpp"
#include "drover/vmc/herd.hpp"

namespace drover::app {
namespace {

constexpr int tiles = 16;
constexpr std::int64_t first_sweeps = 40;

SystemSpeed measure(const std::string& name, const TimingPlan& timing) {
  const Molecule molecule = bench_system(name);
  SystemWork work(molecule, tiles, first_sweeps);
  const PeakLoop loop = peak_loop(instruction_set(), work.model().lanes());
  volatile double sink = 0.0;  // or the loop might be left out

  std::vector<TimedWork> pieces;
  for (const Visit what : {Visit::walker_step, Visit::local_energy,
                           Visit::energy_with_derivatives, Visit::moves})
    pieces.push_back(
        {[&work, what](std::int64_t n) { work.run(what, n); }, work.units(what)});
  constexpr std::int64_t rounds = 1000;
  pieces.push_back({[loop, &sink](std::int64_t n) { sink = loop(n * rounds); }, rounds});
  const std::vector<UnitTime> times = time_in_turn(pieces, timing);
  if (!work.is_sane())
    throw Error(ErrorKind::numerical,
                "bench: the walkers of '" + name +
                    "' have energies that are no numbers, or none moved; the times would "
                    "say nothing. This is an error of the program: please report it");

  SystemSpeed s;
  s.system = name;
  s.microseconds_per_walker_step = times[0].microseconds;
  s.microseconds_per_local_energy = times[1].microseconds;
  s.microseconds_per_local_energy_with_derivatives = times[2].microseconds;
  s.microseconds_per_move = times[3].microseconds;
  s.spread = times[0].spread;
  s.lanes = work.model().lanes();
  s.instruction_set = work.model().instruction_set();
  s.bytes_per_walker = Herd::row_width(work.model().electrons()) *
                       static_cast<std::int64_t>(sizeof(double));
  s.electrons = work.model().electrons();
  s.basis_functions = molecule.basis.functions;
  s.parameters = static_cast<std::int64_t>(work.model().parameters().size());

  const double peak = peak_operations(s.lanes) / times[4].microseconds;  // a microsecond
  s.peak_gflops = 1e-3 * peak;
  s.operations_per_walker_step = work.count(Visit::walker_step).flops();
  s.operations_per_local_energy = work.count(Visit::local_energy).flops();
  const auto share = [peak](std::int64_t operations, double microseconds) {
    return static_cast<double>(operations) / microseconds / peak;
  };
  s.share_of_peak = share(s.operations_per_walker_step, s.microseconds_per_walker_step);
  s.share_of_peak_local_energy =
      share(s.operations_per_local_energy, s.microseconds_per_local_energy);
  return s;
}

}  // namespace

std::vector<SystemSpeed> measure_speed(const std::optional<std::string>& system,
                                       const TimingPlan& plan) {
  const std::vector<std::string> names =
      system ? std::vector<std::string>{*system} : bench_system_names();
  std::vector<SystemSpeed> all;
  on_one_core([&] {
    for (const std::string& name : names) all.push_back(measure(name, plan));
  });
  return all;
}

std::string speed_as_json(const std::vector<SystemSpeed>& systems) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const SystemSpeed& s : systems)
    object[s.system] = {
        {"microseconds_per_walker_step", s.microseconds_per_walker_step},
        {"microseconds_per_local_energy", s.microseconds_per_local_energy},
        {"microseconds_per_local_energy_with_derivatives",
         s.microseconds_per_local_energy_with_derivatives},
        {"microseconds_per_move", s.microseconds_per_move},
        {"share_of_peak", s.share_of_peak},
        {"share_of_peak_local_energy", s.share_of_peak_local_energy},
        {"peak_gflops", s.peak_gflops},
        {"lanes", s.lanes},
        {"instruction_set", s.instruction_set},
        {"bytes_per_walker", s.bytes_per_walker},
        {"operations_per_walker_step", s.operations_per_walker_step},
        {"operations_per_local_energy", s.operations_per_local_energy},
        {"electrons", s.electrons},
        {"basis_functions", s.basis_functions},
        {"parameters", s.parameters},
        {"spread", s.spread}};
  return object.dump() + "\n";
}

std::string speed_as_table(const std::vector<SystemSpeed>& systems) {
  constexpr const char* row = "  {:<8}{:>15}{:>14}{:>18}{:>10}{:>10}{:>11}\n";
  std::string text = fmt::format(row, "system", "us/walker step", "local energy",
                                 "with derivatives", "us/move", "of peak", "B/walker");
  for (const SystemSpeed& s : systems)
    text += fmt::format(row, s.system, significant(s.microseconds_per_walker_step),
                        significant(s.microseconds_per_local_energy),
                        significant(s.microseconds_per_local_energy_with_derivatives),
                        significant(s.microseconds_per_move), percent(s.share_of_peak),
                        s.bytes_per_walker);
  if (!systems.empty())
    text += fmt::format(
        "\n  One core, {}, {} walkers at a time, peak {} Gflop/s; medians, us a walker.\n"
        "  A walker step is one sweep of all electrons and one local energy.\n",
        systems[0].instruction_set, systems[0].lanes,
        significant(systems[0].peak_gflops));
  return text;
}

}  // namespace drover::app
