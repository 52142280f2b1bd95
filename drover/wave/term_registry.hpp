// Every Jastrow term there is, one row each: its name, its settings, whether it carries
// the electron-electron cusp, and how the host sets it up. The input, its errors and
// MolecularModel read this table; the kernel of a term is called in jastrow_kernel.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "drover/chem/molecule.hpp"
#include "drover/wave/jastrow_settings.hpp"
#include "drover/wave/model.hpp"
#include "drover/wave/molecular_tables.hpp"
#include "drover/wave/plan.hpp"

namespace drover {

// What is given under this name, or the registry's default.
double term_number(const TermSettings& term, const std::string& name);
const std::vector<int>& term_list(const TermSettings& term, const std::string& name);

// What a term is set up from, and where its set-up goes.
struct TermBuild {
  const Molecule& molecule;
  const TermSettings& settings;
  MolecularTables& tables;
  WavePlan& plan;
  std::vector<ParameterInfo>& parameters;  // the term appends its own
  bool pytc = false;           // jastrow.cusp = "pytc": the term exactly as pytc has it
  bool electron_cusp = false;  // this term carries the electron-electron cusp
  bool nuclear_cusp = false;   // another term carries the electron-nucleus cusp

  // du/dr where two electrons meet: Kato's 1/2 (unlike spins) and 1/4 (like), or 0.
  double slope(bool like) const {
    return !electron_cusp ? 0.0 : like && !pytc ? 0.25 : 0.5;
  }
  int next_parameter() const { return static_cast<int>(parameters.size()); }
  double number(const std::string& name) const { return term_number(settings, name); }
  bool is_given(const std::string& name) const {
    return settings.numbers.count(name) > 0;
  }
  int whole(const std::string& name) const { return static_cast<int>(number(name)); }
};

// A setting of a term: the key jastrow.TERM.NAME.
struct TermSetting {
  enum class Kind { real, whole, list, triples };
  std::string name;
  std::string meaning;  // with its unit; printed beside the key
  Kind kind = Kind::real;
  double low = 0, high = 0;  // of a number; of each number in a list
  double initial = 0;        // of a number
  std::vector<int> initial_list = {};
};

struct JastrowTerm {
  std::string name;
  std::vector<TermSetting> settings;
  bool electron_cusp = false;  // it can carry the electron-electron cusp
  // Whether it also has a form without that cusp, for a sum in which another carries it.
  bool (*has_cuspless_form)(const TermSettings&) = nullptr;
  // Appends parameters and fills its part of the plan. Errors: input.
  void (*build)(TermBuild&) = nullptr;
  // Turns parameter values (all of the model's) into the plan's numbers.
  void (*set)(const std::vector<double>& values, MolecularTables&, WavePlan&) = nullptr;
  // Rules of its own for its settings, beyond the ranges above. Errors: input.
  void (*check)(const TermSettings&) = nullptr;
};

const std::vector<JastrowTerm>& jastrow_terms();
std::vector<std::string> jastrow_term_names();
// Null where there is none.
const JastrowTerm* find_jastrow_term(const std::string& name);

// Errors: input, with the key, for a term or setting that does not exist (the nearest is
// suggested), is there twice, out of range or without effect, and for a second term that
// cannot do without the electron-electron cusp.
void check_jastrow(const JastrowSettings& jastrow);

// The setting beside which this one has no effect; empty where it has one.
std::string why_without_effect(const JastrowSettings& jastrow, const TermSettings& term,
                               const std::string& setting);
// What a number is when it is not given; nothing where it has no effect, or one default
// for every element.
std::optional<double> default_number(const JastrowSettings& jastrow,
                                     const TermSettings& term,
                                     const TermSetting& setting);

bool has_term(const JastrowSettings& jastrow, const std::string& name);
// Whether some term gives psi its cusp at the nuclei.
bool has_nuclear_cusp(const JastrowSettings& jastrow);
// The first term that carries the electron-electron cusp, or "".
std::string electron_cusp_carrier(const JastrowSettings& jastrow);

// Checks the terms of a list and builds them in its order; returns their rows. With
// cusp = "exact" the first that can carries the electron-electron cusp and later ones
// take their form without it.
std::vector<const JastrowTerm*> build_jastrow(const Molecule& molecule,
                                              const JastrowSettings& jastrow,
                                              MolecularTables& tables, WavePlan& plan,
                                              std::vector<ParameterInfo>& parameters);

}  // namespace drover
