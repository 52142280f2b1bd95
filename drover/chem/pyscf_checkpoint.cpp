// Reader of PySCF checkpoints (see pyscf_checkpoint.hpp).
#include "drover/chem/pyscf_checkpoint.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "drover/chem/elements.hpp"
#include "drover/chem/gaussian.hpp"
#include "drover/chem/solid_harmonics.hpp"
#include "drover/chem/text.hpp"

namespace drover {

namespace {

using Json = nlohmann::json;

constexpr int most_functions = 20000;

// Python writes NaN, Infinity and -Infinity into its JSON as bare words, which JSON does
// not know: here they become texts, so that they hurt only where a number is needed.
std::string with_quoted_words(const std::string& text) {
  std::string out;
  bool inside_text = false;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = inside_text && text[i] == '\\' ? 2 : 1;
    if (text[i] == '"') inside_text = !inside_text;
    std::string_view word;
    if (!inside_text)
      for (std::string_view known : {"NaN", "Infinity", "-Infinity"})
        if (text.compare(i, known.size(), known) == 0) word = known;
    if (!word.empty()) {
      length = word.size();
      out += '"';
    }
    out.append(text, i, length);
    if (!word.empty()) out += '"';
    i += length;
  }
  return out;
}

class Reader {
 public:
  Reader(const Hdf5File& hdf5, KeepEmpty keep_empty) : hdf5_(hdf5) {
    file_.up.keep_empty = file_.down.keep_empty = keep_empty;
    file_.path = hdf5.path();
    file_.format = "PySCF checkpoint";
    file_.order = FunctionOrder::pyscf;
  }

  FileWavefunction read() {
    try {
      const Json mol = Json::parse(with_quoted_words(hdf5_.text("mol")));
      for (const char* name : {"_atm", "_bas", "_env"})
        require_finite(mol.at(name), name);
      env_ = mol.at("_env").get<std::vector<double>>();
      refuse_core_potential(mol);
      // The lattice vectors of a Cell of pyscf.pbc; dimension 0 repeats along none.
      if (mol.contains("a") && mol.value("dimension", 3) != 0)
        throw periodic_system(file_.path, -1, "lattice vectors");
      read_atoms(mol.at("_atm"));
      read_shells(mol.at("_bas"), mol.value("cart", false));
      if (mol.contains("charge") && mol["charge"].is_number_integer())
        file_.charge = mol["charge"].get<int>();
    } catch (const Json::exception& error) {
      throw damaged("a JSON object with _atm, _bas and _env", error.what());
    }
    read_orbitals();
    if (hdf5_.has("scf/e_tot")) {
      const std::vector<double> energy = hdf5_.numbers("scf/e_tot");
      if (energy.size() == 1) file_.energy = energy[0];
    }
    return std::move(file_);
  }

 private:
  Error damaged(const std::string& expected, const std::string& found) const {
    return complain(file_.path, -1,
                    {"the checkpoint's molecule ('mol') makes no sense", expected, found,
                     "Write the checkpoint again (mf.chkfile)."});
  }

  // Of the numbers in a list, or in a list of lists.
  void require_finite(const Json& numbers, const char* name) const {
    const auto check = [&](const Json& value) {
      if (value.is_string())
        throw damaged(std::string("finite numbers in ") + name,
                      shown(value.get<std::string>()));
    };
    if (!numbers.is_array()) return;
    for (const Json& row : numbers) {
      check(row);
      if (row.is_array())
        for (const Json& value : row) check(value);
    }
  }

  double env(std::int64_t at) const {
    if (at < 0 || static_cast<std::size_t>(at) >= env_.size())
      throw damaged(
          "pointers into _env, which has " + std::to_string(env_.size()) + " numbers",
          std::to_string(at));
    return env_[static_cast<std::size_t>(at)];
  }

  void refuse_core_potential(const Json& mol) const {
    constexpr int ecp_nucleus = 4;  // NUC_ECP of PySCF
    bool found = mol.contains("_ecpbas") && !mol["_ecpbas"].empty();
    found = found || (mol.contains("_pseudo") && !mol["_pseudo"].empty());
    for (const Json& atom : mol.at("_atm"))
      found = found || atom.at(2).get<int>() == ecp_nucleus;
    if (found)
      throw complain(
          file_.path, -1,
          {"the molecule has effective core potentials", "all electrons",
           "core potentials (_ecpbas)",
           "Drover treats all electrons, so repeat the calculation without them."});
  }

  void read_atoms(const Json& rows) {
    constexpr int point_nucleus = 1;  // NUC_POINT
    for (const Json& row : rows) {
      Atom atom;
      atom.charge = row.at(0).get<int>();
      if (atom.charge < 0 || atom.charge > largest_nuclear_charge)
        throw damaged("nuclear charges from 0 to 118", std::to_string(atom.charge));
      if (row.at(2).get<int>() != point_nucleus && atom.charge > 0)
        throw complain(
            file_.path, -1,
            {"atom " + std::to_string(file_.atoms.size() + 1) + " has no point nucleus",
             "point nuclei", "nuclear model " + row.at(2).dump(),
             "Repeat the calculation without a finite or fractional nucleus."});
      atom.symbol = element_symbol(atom.charge);
      const auto pointer = row.at(1).get<std::int64_t>();
      for (std::size_t d = 0; d < 3; ++d)
        atom.position[d] = env(pointer + static_cast<std::int64_t>(d));
      if (atom.charge == 0)
        file_.notes.push_back("atom " + std::to_string(file_.atoms.size() + 1) +
                              " has no nuclear charge: a centre of basis functions only");
      file_.atoms.push_back(std::move(atom));
    }
  }

  void read_shells(const Json& rows, bool cartesian) {
    for (const Json& row : rows) {
      const int atom = row.at(0).get<int>(), l = row.at(1).get<int>();
      const int primitives = row.at(2).get<int>(), contractions = row.at(3).get<int>();
      const auto exponents = row.at(5).get<std::int64_t>();
      const auto coefficients = row.at(6).get<std::int64_t>();
      if (atom < 0 || static_cast<std::size_t>(atom) >= file_.atoms.size())
        throw damaged("shells of the molecule's atoms", "atom " + std::to_string(atom));
      if (l < 0 || l > max_angular_momentum)
        throw damaged("shells up to l = 6 (i functions)", "l = " + std::to_string(l));
      if (primitives < 1 || contractions < 1)
        throw damaged("at least one primitive and contraction in a shell", row.dump());
      const double angular =
          !cartesian || l < 2 ? std::sqrt((2 * l + 1) / (4.0 * std::numbers::pi)) : 1.0;
      for (int c = 0; c < contractions; ++c) {
        FileShell shell;
        shell.atom = atom;
        shell.l = l;
        shell.spherical = !cartesian;
        for (int k = 0; k < primitives; ++k) {
          const double exponent = env(exponents + k);
          if (!(exponent > 0.0)) throw damaged("positive exponents", "others");
          shell.exponents.push_back(exponent);
          shell.coefficients.push_back(
              angular * env(coefficients + std::int64_t{c} * primitives + k));
        }
        functions_ += shell.functions();
        if (functions_ > most_functions)
          throw damaged("at most " + std::to_string(most_functions) + " functions",
                        "more");
        file_.shells.push_back(std::move(shell));
      }
    }
    if (file_.shells.empty()) throw damaged("a basis", "no shells");
  }

  // Where pyscf.lib.chkfile puts the entries of a Python list, numbered 000000, 000001
  // and so on: one orbital matrix a spin when they carry their symmetry.
  static std::string list_of(const std::string& name) { return name + "__from_list__"; }

  bool has_array(const std::string& name) const {
    return hdf5_.has(name) || hdf5_.has(list_of(name));
  }

  // An array, or a list of arrays as one with another dimension in front.
  std::vector<double> array(const std::string& name,
                            std::vector<std::size_t>& shape) const {
    if (hdf5_.has(name)) return hdf5_.numbers(name, &shape);
    const std::vector<std::string> members = hdf5_.members(list_of(name));
    std::vector<double> all;
    for (const std::string& member : members) {
      const auto one = hdf5_.numbers(list_of(name) + "/" + member, &shape);
      all.insert(all.end(), one.begin(), one.end());
    }
    shape.insert(shape.begin(), members.size());
    return all;
  }

  void read_orbitals() {
    if (!has_array("scf/mo_coeff") || !has_array("scf/mo_occ"))
      throw complain(
          file_.path, -1,
          {"the checkpoint has no orbitals", "scf/mo_coeff and scf/mo_occ",
           hdf5_.has("mcscf") ? "only a wave function of several determinants (mcscf)"
                              : "none",
           "Give the checkpoint of a molecular Hartree-Fock or Kohn-Sham calculation."});
    if (hdf5_.has("mcscf"))
      file_.notes.push_back(
          "the checkpoint also holds a wave function of several determinants (mcscf), "
          "which is not used: the determinant is that of scf");
    std::vector<std::size_t> shape, occupation_shape;
    const std::vector<double> c = array("scf/mo_coeff", shape);
    const std::vector<double> occupations = array("scf/mo_occ", occupation_shape);
    const bool two_spins = shape.size() == 3;
    const auto functions = static_cast<std::size_t>(functions_);
    if ((shape.size() != 2 && !(two_spins && shape[0] == 2)) ||
        shape[shape.size() - 2] != functions ||
        c.size() != (two_spins ? 2 : 1) * functions * shape.back() ||
        occupations.size() != (two_spins ? 2 : 1) * shape.back())
      throw complain(
          file_.path, -1,
          {"scf/mo_coeff has a shape that does not fit",
           "[" + std::to_string(functions_) +
               "][orbitals], with a leading 2 for UHF, "
               "and as many occupations",
           std::to_string(shape.size()) + " dimensions and " +
               std::to_string(occupations.size()) + " occupations",
           "Give the checkpoint of a molecular calculation (no k-points, no GHF)."});
    const std::size_t orbitals = shape.back();
    for (std::size_t spin = 0; spin < (two_spins ? 2U : 1U); ++spin)
      for (std::size_t o = 0; o < orbitals; ++o) {
        const int electrons = whole_occupation(file_.path, -1, static_cast<int>(o) + 1,
                                               occupations[spin * orbitals + o]);
        if (two_spins && electrons == 2)
          throw complain(file_.path, -1,
                         {"an orbital of one spin holds two electrons", "0 or 1", "2",
                          "Write the checkpoint again."});
        std::vector<double> orbital(functions);
        for (std::size_t f = 0; f < functions; ++f)
          orbital[f] = c[(spin * functions + f) * orbitals + o];
        const int number = static_cast<int>(o) + 1;
        if (!two_spins || spin == 1)
          file_.down.add(number, electrons == 2 || (spin == 1 && electrons > 0), orbital);
        if (spin == 0) file_.up.add(number, electrons > 0, std::move(orbital));
      }
  }

  const Hdf5File& hdf5_;
  FileWavefunction file_;
  std::vector<double> env_;
  int functions_ = 0;
};

}  // namespace

FileWavefunction read_pyscf_checkpoint(const Hdf5File& file, KeepEmpty keep_empty) {
  return Reader(file, keep_empty).read();
}

}  // namespace drover
