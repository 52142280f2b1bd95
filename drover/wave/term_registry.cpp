#include "drover/wave/term_registry.hpp"

#include <algorithm>

#include "drover/core/error.hpp"
#include "drover/wave/term_setup.hpp"

namespace drover {

namespace {

using namespace term_setup;
using Kind = TermSetting::Kind;

bool always(const TermSettings&) {
  return true;
}
bool never(const TermSettings&) {
  return false;
}
bool has_more_than_its_cusp(const TermSettings& polynomial) {
  const auto degree = polynomial.numbers.find("degree");
  return degree == polynomial.numbers.end() || degree->second > 1;
}

std::vector<JastrowTerm> make_terms() {
  const TermSetting layers{
      "layers", "neurons of each hidden layer", Kind::list, 1, 256, 0, {16, 16}};
  return {
      {"nuclear-cusp", {}, false, always, build_nuclear_cusp, set_nuclear_cusp},
      {"boys-handy",
       {{"terms", "powers [m, n, o] of each term", Kind::triples, 0, 12}},
       true,
       always,
       build_boys_handy,
       set_boys_handy,
       check_boys_handy},
      {"pade",
       {{"b", "1/bohr; start of b in a r / (1 + b r)", Kind::real, 1e-3, 1e3, 1.0}},
       true,
       never,
       build_pade,
       set_pade},
      {"rexp",
       {{"alpha", "1/bohr; start of alpha in a r exp(-alpha r)", Kind::real, 1e-3, 1e3,
         0.5}},
       true,
       never,
       build_rexp,
       set_rexp},
      {"polynomial",
       {{"degree", "highest power of r", Kind::whole, 1, 12, 4},
        {"cutoff", "bohr; start of L in (1 - r/L)^3 sum_k c_k r^k", Kind::real, 0.5, 100,
         5.0}},
       true,
       has_more_than_its_cusp,
       build_polynomial,
       set_polynomial},
      {"dtn",
       {{"u_order", "highest power of r_ij in u", Kind::whole, 1, 12, 6},
        {"chi_order", "highest power of r in chi; 0: no chi", Kind::whole, 0, 12, 6},
        {"f_nuclear", "highest power of r in f; 0: no f", Kind::whole, 0, 6, 3},
        {"f_electron", "highest power of r_ij in f", Kind::whole, 0, 6, 3},
        {"u_cutoff", "bohr; start of the range of u", Kind::real, 0.5, 100, 5.0},
        {"chi_cutoff", "bohr; start of the range of chi", Kind::real, 0.1, 100, 4.0},
        {"f_cutoff", "bohr; start of the range of f", Kind::real, 0.5, 100, 4.0}},
       true,
       always,
       build_dtn,
       set_dtn},
      {"pytc-dtn", {}, true, always, build_pytc_dtn, set_pytc_dtn},
      {"neural-ee", {layers}, true, always, build_neural_ee, set_neural_ee, check_neural},
      {"neural-en",
       {layers},
       false,
       always,
       build_neural_en,
       set_neural_en,
       check_neural},
      {"neural-een",
       {layers},
       true,
       always,
       build_neural_een,
       set_neural_een,
       check_neural},
  };
}

}  // namespace

const std::vector<JastrowTerm>& jastrow_terms() {
  static const std::vector<JastrowTerm> terms = make_terms();
  return terms;
}

std::vector<std::string> jastrow_term_names() {
  std::vector<std::string> names;
  for (const JastrowTerm& term : jastrow_terms()) names.push_back(term.name);
  return names;
}

const JastrowTerm* find_jastrow_term(const std::string& name) {
  for (const JastrowTerm& term : jastrow_terms())
    if (term.name == name) return &term;
  return nullptr;
}

namespace {

const TermSetting& setting_of(const std::string& term, const std::string& name) {
  for (const TermSetting& s : find_jastrow_term(term)->settings)
    if (s.name == name) return s;
  throw Error(ErrorKind::logic, "[jastrow] jastrow." + term + " has no setting '" + name +
                                    "' in the registry");
}

}  // namespace

double term_number(const TermSettings& term, const std::string& name) {
  const auto given = term.numbers.find(name);
  return given == term.numbers.end() ? setting_of(term.name, name).initial
                                     : given->second;
}

const std::vector<int>& term_list(const TermSettings& term, const std::string& name) {
  const auto given = term.lists.find(name);
  return given == term.lists.end() ? setting_of(term.name, name).initial_list
                                   : given->second;
}

std::vector<const JastrowTerm*> build_jastrow(const Molecule& molecule,
                                              const JastrowSettings& jastrow,
                                              MolecularTables& tables, WavePlan& plan,
                                              std::vector<ParameterInfo>& parameters) {
  check_jastrow(jastrow);
  const bool pytc = jastrow.cusp == "pytc";
  const bool nuclear_cusp = has_term(jastrow, "nuclear-cusp");
  const std::string carrier = electron_cusp_carrier(jastrow);
  std::vector<const JastrowTerm*> rows;
  for (const TermSettings& term : jastrow.terms) {
    const JastrowTerm& row = *find_jastrow_term(term.name);
    rows.push_back(&row);
    TermBuild build{molecule, term, tables, plan, parameters};
    build.pytc = pytc;
    build.nuclear_cusp = nuclear_cusp;
    build.electron_cusp = row.electron_cusp && (pytc || term.name == carrier);
    row.build(build);
  }
  return rows;
}

}  // namespace drover
