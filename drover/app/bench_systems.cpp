#include "drover/app/bench_systems.hpp"

#include <fmt/format.h>

#include <utility>

#include "drover/chem/file_wavefunction.hpp"
#include "drover/chem/molden.hpp"
#include "drover/core/error.hpp"
#include "drover/core/nearest.hpp"

namespace drover::app {
namespace {

constexpr std::pair<const char*, const char*> systems[] = {
    {"he", bench_he},       {"be", bench_be}, {"lih", bench_lih},
    {"water", bench_water}, {"ne", bench_ne}, {"n2", bench_n2}};

}  // namespace

std::vector<std::string> bench_system_names() {
  std::vector<std::string> names;
  for (const auto& [name, text] : systems) names.emplace_back(name);
  return names;
}

Molecule bench_system(const std::string& name) {
  for (const auto& [known, text] : systems) {
    if (name != known) continue;
    Molecule molecule = import_molecule(read_molden(name + " (built in)", text), 0);
    molecule.name = name;
    return molecule;
  }
  const std::vector<std::string> names = bench_system_names();
  const auto meant = nearest(name, names);
  throw input_error(
      fmt::format("--system: expected {}, found '{}'{}", listed(names, "or"), name,
                  meant ? fmt::format("; did you mean {}?", *meant) : std::string()),
      {.key = "--system"});
}

}  // namespace drover::app
