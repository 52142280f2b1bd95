// Reader of TREXIO files (see trexio.hpp).
#include "drover/chem/trexio.hpp"

#include <cmath>

#include "drover/chem/elements.hpp"
#include "drover/chem/solid_harmonics.hpp"
#include "drover/chem/text.hpp"

namespace drover {

namespace {

constexpr std::size_t most_functions = 20000;

class Reader {
 public:
  Reader(const TrexioFields& fields, KeepEmpty keep_empty) : fields_(fields) {
    file_.up.keep_empty = file_.down.keep_empty = keep_empty;
    file_.path = fields.path;
    file_.format = "TREXIO";
    file_.order = FunctionOrder::trexio;
  }

  FileWavefunction read() {
    refuse_what_is_not_one_determinant();
    read_atoms();
    read_shells();
    read_orbitals();
    return std::move(file_);
  }

 private:
  Error bad(const std::string& what, const std::string& expected,
            const std::string& found, const std::string& advice) const {
    return complain(file_.path, -1, {what, expected, found, advice});
  }
  Error inconsistent(const std::string& name, const std::string& expected,
                     const std::string& found) const {
    return bad("the TREXIO field " + name + " makes no sense", expected, found,
               "Write the file again.");
  }

  double scalar(const std::string& name, double otherwise) const {
    const auto at = fields_.scalars.find(name);
    return at == fields_.scalars.end() ? otherwise : at->second;
  }
  std::size_t count(const std::string& name) const {
    const double value = scalar(name, -1.0);
    if (!(value >= 0.0 && value <= 1e8 && value == std::floor(value)))
      throw inconsistent(name, "a count", value == -1.0 ? "none" : std::to_string(value));
    return static_cast<std::size_t>(value);
  }
  const std::vector<double>& array(const std::string& name, std::size_t size) const {
    const auto at = fields_.arrays.find(name);
    if (at == fields_.arrays.end() || at->second.size() != size)
      throw inconsistent(name, std::to_string(size) + " numbers",
                         at == fields_.arrays.end() ? std::string("none")
                                                    : std::to_string(at->second.size()));
    return at->second;
  }
  std::vector<double> array_or(const std::string& name, std::size_t size,
                               double otherwise) const {
    return fields_.arrays.count(name) ? array(name, size)
                                      : std::vector<double>(size, otherwise);
  }
  // Numbers that are indices below `end`.
  std::vector<std::size_t> indices(const std::string& name, std::size_t size,
                                   std::size_t end) const {
    std::vector<std::size_t> out;
    for (double value : array(name, size)) {
      if (!(value >= 0.0 && value < static_cast<double>(end)) ||
          value != std::floor(value))
        throw inconsistent(name, "indices below " + std::to_string(end),
                           std::to_string(value));
      out.push_back(static_cast<std::size_t>(value));
    }
    return out;
  }
  bool any_nonzero(const std::string& name) const {
    const auto at = fields_.arrays.find(name);
    if (at == fields_.arrays.end()) return false;
    for (double value : at->second)
      if (value != 0.0) return true;
    return false;
  }

  void refuse_what_is_not_one_determinant() const {
    if (scalar("ecp_num", 0.0) > 0.0 || any_nonzero("ecp_z_core"))
      throw bad("the file has effective core potentials", "all electrons", "an ecp group",
                "Drover treats all electrons, so repeat the calculation without them.");
    for (const char* name : {"determinant_num", "csf_num"})
      if (scalar(name, 0.0) > 1.0)
        throw bad("the wave function has several determinants",
                  "a single one (Hartree-Fock or Kohn-Sham)",
                  std::string(name) + " = " +
                      std::to_string(static_cast<std::int64_t>(scalar(name, 0.0))),
                  "Drover's wave function has one determinant: write that of the SCF.");
    if (scalar("pbc_periodic", 0.0) != 0.0)
      throw periodic_system(file_.path, -1, "pbc_periodic = 1");
    for (const char* name : {"mo_coefficient_im", "basis_exponent_im",
                             "basis_coefficient_im", "basis_oscillation_arg"})
      if (any_nonzero(name))
        throw bad("the wave function is complex or oscillates", "real Gaussians",
                  std::string(name) + " is not zero", "Write real orbitals.");
    if (any_nonzero("basis_r_power"))
      throw bad("the basis has radial powers r^n", "n = 0 for every shell",
                "basis_r_power is not zero", "Use another basis.");
    const auto type = fields_.texts.find("basis_type");
    if (type == fields_.texts.end() || lower_case(type->second) != "gaussian")
      throw bad("the basis is not of Gaussians", "basis_type = Gaussian",
                type == fields_.texts.end() ? std::string("none") : shown(type->second),
                "Use a Gaussian basis.");
  }

  void read_atoms() {
    const std::size_t n = count("nucleus_num");
    if (n == 0 || n > 10000)
      throw inconsistent("nucleus_num", "1 to 10000", std::to_string(n));
    const auto& charges = array("nucleus_charge", n);
    const auto& positions = array("nucleus_coord", 3 * n);
    for (std::size_t a = 0; a < n; ++a) {
      const double charge = charges[a];
      if (!(charge >= 0.0 && charge <= largest_nuclear_charge) ||
          charge != std::floor(charge))
        throw inconsistent("nucleus_charge", "whole numbers from 0 to 118",
                           std::to_string(charge));
      Atom atom;
      atom.charge = static_cast<int>(charge);
      atom.symbol = element_symbol(atom.charge);
      for (std::size_t d = 0; d < 3; ++d) atom.position[d] = positions[3 * a + d];
      if (atom.charge == 0)
        file_.notes.push_back("atom " + std::to_string(a + 1) +
                              " has no nuclear charge: a centre of basis functions only");
      file_.atoms.push_back(std::move(atom));
    }
  }

  void read_shells() {
    const std::size_t shells = count("basis_shell_num");
    const std::size_t primitives = count("basis_prim_num");
    const std::size_t functions = count("ao_num");
    if (functions == 0 || functions > most_functions)
      throw inconsistent("ao_num", "1 to " + std::to_string(most_functions),
                         std::to_string(functions));
    const auto nuclei = indices("basis_nucleus_index", shells, file_.atoms.size());
    const auto l = indices("basis_shell_ang_mom", shells, max_angular_momentum + 1);
    const auto shell_factors = array_or("basis_shell_factor", shells, 1.0);
    const auto shell_of = indices("basis_shell_index", primitives, shells);
    const auto& exponents = array("basis_exponent", primitives);
    const auto& coefficients = array("basis_coefficient", primitives);
    const auto factors = array_or("basis_prim_factor", primitives, 1.0);
    const bool spherical = scalar("ao_cartesian", 0.0) == 0.0;
    std::vector<FileShell> all(shells);
    for (std::size_t s = 0; s < shells; ++s) {
      all[s].atom = static_cast<int>(nuclei[s]);
      all[s].l = static_cast<int>(l[s]);
      all[s].spherical = spherical;
    }
    for (std::size_t k = 0; k < primitives; ++k) {
      if (!(exponents[k] > 0.0))
        throw inconsistent("basis_exponent", "positive numbers",
                           std::to_string(exponents[k]));
      FileShell& shell = all[shell_of[k]];
      shell.exponents.push_back(exponents[k]);
      shell.coefficients.push_back(shell_factors[shell_of[k]] * factors[k] *
                                   coefficients[k]);
    }
    // Functions stand shell by shell, the shells in an order of the file's own.
    const auto function_shell = indices("ao_shell", functions, shells);
    const auto norms = array_or("ao_normalization", functions, 1.0);
    std::vector<bool> used(shells, false);
    for (std::size_t f = 0; f < functions;) {
      const std::size_t s = function_shell[f];
      FileShell shell = all[s];
      const auto size = static_cast<std::size_t>(shell.functions());
      for (std::size_t i = 0; i < size; ++i)
        if (used[s] || f + i >= functions || function_shell[f + i] != s)
          throw inconsistent(
              "ao_shell",
              std::to_string(size) + " functions in a row for shell " + std::to_string(s),
              "another number");
      if (shell.exponents.empty() || norms[f] == 0.0)
        throw inconsistent("basis_shell_index", "primitives and a norm for every shell",
                           "none for shell " + std::to_string(s));
      used[s] = true;
      // The norm of the first function goes into the shell, what differs into the
      // orbitals.
      for (double& c : shell.coefficients) c *= norms[f];
      for (std::size_t i = 0; i < size; ++i)
        function_factors_.push_back(norms[f + i] / norms[f]);
      file_.shells.push_back(std::move(shell));
      f += size;
    }
  }

  std::vector<double> orbital(std::size_t o) const {
    std::vector<double> out(function_factors_);
    for (std::size_t f = 0; f < out.size(); ++f)
      out[f] *= fields_.arrays.at("mo_coefficient")[o * out.size() + f];
    return out;
  }

  void read_orbitals() {
    const std::size_t orbitals = count("mo_num");
    array("mo_coefficient", orbitals * function_factors_.size());
    if (!fields_.determinant_list.empty())
      read_determinant(orbitals);
    else
      read_occupations(orbitals);
    for (bool down : {false, true}) {
      const std::string name = down ? "electron_dn_num" : "electron_up_num";
      const std::size_t found = (down ? file_.down : file_.up).occupied.size();
      if (fields_.scalars.count(name) && count(name) != found)
        throw inconsistent(name, std::to_string(found) + ", the occupied orbitals",
                           std::to_string(count(name)));
    }
  }

  void read_occupations(std::size_t orbitals) {
    if (!fields_.arrays.count("mo_occupation"))
      throw bad("the file does not say which orbitals are occupied", "mo_occupation",
                "none", "Write the occupations to the file.");
    const auto& occupations = array("mo_occupation", orbitals);
    const auto spins = array_or("mo_spin", orbitals, 0.0);
    int placed[2] = {};
    bool two_spins = false;
    for (double spin : spins) two_spins = two_spins || spin != 0.0;
    for (std::size_t o = 0; o < orbitals; ++o) {
      const int electrons =
          whole_occupation(file_.path, -1, static_cast<int>(o) + 1, occupations[o]);
      if (two_spins && electrons == 2)
        throw inconsistent("mo_occupation", "0 or 1 in orbitals of one spin", "2");
      const bool beta = spins[o] != 0.0;
      const int number = ++placed[beta ? 1 : 0];
      if (beta || !two_spins)
        file_.down.add(number, electrons == 2 || (beta && electrons > 0), orbital(o));
      if (!beta) file_.up.add(number, electrons > 0, orbital(o));
    }
  }

  // One determinant: bits of 64-bit words, first all of spin up, then all of spin down.
  void read_determinant(std::size_t orbitals) {
    const std::size_t words = (orbitals + 63) / 64;
    if (fields_.determinant_list.size() != 2 * words)
      throw inconsistent("determinant_list", std::to_string(2 * words) + " words",
                         std::to_string(fields_.determinant_list.size()));
    for (bool down : {false, true})
      for (std::size_t o = 0; o < 64 * words; ++o) {
        const auto word = static_cast<std::uint64_t>(
            fields_.determinant_list[(down ? words : 0) + o / 64]);
        const bool holds_electron = ((word >> (o % 64)) & 1U) != 0;
        if (o >= orbitals && !holds_electron) continue;
        if (o >= orbitals)
          throw inconsistent("determinant_list",
                             "orbitals below " + std::to_string(orbitals),
                             std::to_string(o));
        (down ? file_.down : file_.up)
            .add(static_cast<int>(o) + 1, holds_electron, orbital(o));
      }
  }

  const TrexioFields& fields_;
  FileWavefunction file_;
  std::vector<double> function_factors_;  // [functions], in the file's order
};

}  // namespace

FileWavefunction read_trexio(const TrexioFields& fields, KeepEmpty keep_empty) {
  return Reader(fields, keep_empty).read();
}

}  // namespace drover
