#include "drover/app/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "drover/app/numbers.hpp"

namespace drover::app {
namespace {

// "O H2": the elements in the order of the file.
std::string formula(const Molecule& molecule) {
  std::vector<std::pair<std::string, int>> counts;
  for (const Atom& atom : molecule.atoms) {
    const auto known = std::find_if(counts.begin(), counts.end(), [&](const auto& count) {
      return count.first == atom.symbol;
    });
    if (known == counts.end())
      counts.emplace_back(atom.symbol, 1);
    else
      ++known->second;
  }
  std::string text;
  for (const auto& [symbol, count] : counts)
    text += (text.empty() ? "" : " ") + symbol + (count > 1 ? std::to_string(count) : "");
  return text;
}

std::string electrons_text(const Molecule& molecule) {
  return fmt::format("{} ({} up, {} down)", counted(molecule.electrons(), "electron"),
                     molecule.up, molecule.down);
}

}  // namespace

std::string describe_system(const Molecule& molecule) {
  std::string text = fmt::format("{}: {}, {}", molecule.name, formula(molecule),
                                 electrons_text(molecule));
  if (molecule.charge != 0) text += fmt::format(", charge {:+}", molecule.charge);
  return text;
}

std::string describe_wave_function(const Molecule& molecule, const Settings& settings) {
  std::string text = fmt::format("one determinant in {}",
                                 counted(molecule.basis.functions, "basis function"));
  for (const TermSettings& term : settings.jastrow.terms) text += " x " + term.name;
  return text;
}

std::vector<std::pair<std::string, std::string>> import_rows(const Molecule& molecule,
                                                             const std::string& file) {
  const ImportProof& proof = molecule.proof;
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back("file", file);
  rows.emplace_back("format", proof.format);
  rows.emplace_back("molecule",
                    fmt::format("{}, charge {}", formula(molecule), molecule.charge));
  rows.emplace_back("electrons", electrons_text(molecule));
  rows.emplace_back("orbitals", molecule.restricted ? "the same for both spins"
                                                    : "different for the two spins");
  const auto shells = static_cast<std::int64_t>(molecule.basis.shells.size());
  rows.emplace_back("basis",
                    fmt::format("{} in {}", counted(molecule.basis.functions, "function"),
                                counted(shells, "shell")));
  rows.emplace_back("overlap", fmt::format("C^T S C differs from 1 by at most {:.1e}",
                                           proof.worst_overlap_deviation));
  rows.emplace_back("convention", proof.convention);
  rows.emplace_back("V_nn", fmt::format("{:.8f} hartree", proof.nuclear_repulsion));
  if (proof.has_file_energy)
    rows.emplace_back("file's energy", fmt::format("{:.8f} hartree", proof.file_energy));
  for (const std::string& note : proof.notes) rows.emplace_back("note", note);
  return rows;
}

}  // namespace drover::app
