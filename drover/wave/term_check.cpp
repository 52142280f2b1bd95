// Jastrow settings held against the registry, whoever gives them: the input or a program.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "drover/core/error.hpp"
#include "drover/core/nearest.hpp"
#include "drover/wave/term_registry.hpp"

namespace drover {

namespace {

using Kind = TermSetting::Kind;

Error terms_error(const std::string& what) {
  return input_error("jastrow.terms: " + what, {.key = "jastrow.terms"});
}

std::string text_of(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

const JastrowTerm& known_term(const std::string& name) {
  if (const JastrowTerm* row = find_jastrow_term(name)) return *row;
  const auto names = jastrow_term_names();
  const auto meant = nearest(name, names);
  throw terms_error("there is no term '" + name + "'; " +
                    (meant ? "did you mean '" + *meant + "'? " : std::string()) +
                    "the terms are " + listed(names));
}

// The setting of this name; refuses where the term has none of this kind.
const TermSetting& known_setting(const JastrowTerm& row, const std::string& name,
                                 bool (*of_kind)(Kind)) {
  std::vector<std::string> names;
  for (const TermSetting& s : row.settings) {
    if (s.name == name && of_kind(s.kind)) return s;
    if (of_kind(s.kind)) names.push_back(s.name);
  }
  const std::string key = "jastrow." + row.name;
  const auto meant = nearest(name, names);
  throw input_error(key + ": there is no setting '" + name + "' of this kind; " +
                        (meant           ? "did you mean '" + *meant + "'?"
                         : names.empty() ? std::string("the term has none")
                                         : "those of this kind are " + listed(names)),
                    {.key = key + "." + name});
}

void require_range(const JastrowTerm& row, const TermSetting& s, double given) {
  const bool whole = s.kind != Kind::real;
  if (given >= s.low && given <= s.high && (!whole || given == std::floor(given))) return;
  const std::string key = "jastrow." + row.name + "." + s.name;
  throw input_error(key + ": expected a " + (whole ? "whole number" : "number") +
                        " from " + text_of(s.low) + " to " + text_of(s.high) +
                        ", found " + text_of(given),
                    {.key = key});
}

void check_term(const JastrowSettings& jastrow, const JastrowTerm& row,
                const TermSettings& term) {
  const auto number = [](Kind k) { return k == Kind::real || k == Kind::whole; };
  const auto list = [](Kind k) { return k == Kind::list; };
  const auto triples = [](Kind k) { return k == Kind::triples; };
  for (const auto& [name, given] : term.numbers)
    require_range(row, known_setting(row, name, number), given);
  for (const auto& [name, given] : term.lists) {
    const TermSetting& setting = known_setting(row, name, list);
    for (const int n : given) require_range(row, setting, n);
  }
  for (const auto& [name, given] : term.triples) {
    const TermSetting& setting = known_setting(row, name, triples);
    for (const std::vector<int>& triple : given)
      for (const int n : triple) require_range(row, setting, n);
  }
  if (row.check != nullptr) row.check(term);
  for (const auto& [name, given] : term.numbers) {
    const std::string reason = why_without_effect(jastrow, term, name);
    const std::string key = "jastrow." + row.name + "." + name;
    if (!reason.empty())
      throw input_error(key + ": has no effect with " + reason + "; leave it out",
                        {.key = key});
  }
}

}  // namespace

std::string why_without_effect(const JastrowSettings& jastrow, const TermSettings& term,
                               const std::string& setting) {
  if (term.name == "polynomial" && jastrow.cusp == "pytc")
    return "jastrow.cusp = \"pytc\", whose polynomial is one power without a cutoff";
  if (term.name != "dtn") return "";
  if (setting == "chi_cutoff" && term_number(term, "chi_order") == 0.0)
    return "jastrow.dtn.chi_order = 0";
  if ((setting == "f_electron" || setting == "f_cutoff") &&
      term_number(term, "f_nuclear") == 0.0)
    return "jastrow.dtn.f_nuclear = 0";
  return "";
}

std::optional<double> default_number(const JastrowSettings& jastrow,
                                     const TermSettings& term,
                                     const TermSetting& setting) {
  if (!why_without_effect(jastrow, term, setting.name).empty()) return std::nullopt;
  if (term.name == "dtn" && setting.name == "chi_cutoff" &&
      !has_term(jastrow, "nuclear-cusp"))
    return std::nullopt;
  return setting.initial;
}

bool has_term(const JastrowSettings& jastrow, const std::string& name) {
  return std::any_of(jastrow.terms.begin(), jastrow.terms.end(),
                     [&](const TermSettings& term) { return term.name == name; });
}

bool has_nuclear_cusp(const JastrowSettings& jastrow) {
  return std::any_of(jastrow.terms.begin(), jastrow.terms.end(),
                     [](const TermSettings& term) {
                       return term.name == "nuclear-cusp" ||
                              (term.name == "dtn" && term_number(term, "chi_order") > 0);
                     });
}

std::string electron_cusp_carrier(const JastrowSettings& jastrow) {
  for (const TermSettings& term : jastrow.terms) {
    // pytc's networks have no cusp.
    const bool network = term.name.rfind("neural-", 0) == 0;
    if (known_term(term.name).electron_cusp && !(network && jastrow.cusp == "pytc"))
      return term.name;
  }
  return "";
}

void check_jastrow(const JastrowSettings& jastrow) {
  if (jastrow.cusp != "exact" && jastrow.cusp != "pytc")
    throw input_error(
        "jastrow.cusp: expected \"exact\" or \"pytc\", found \"" + jastrow.cusp + "\"",
        {.key = "jastrow.cusp"});
  const std::string carrier = electron_cusp_carrier(jastrow);
  std::vector<std::string> names;
  for (const TermSettings& term : jastrow.terms) {
    const JastrowTerm& row = known_term(term.name);
    if (std::find(names.begin(), names.end(), term.name) != names.end())
      throw terms_error("'" + term.name + "' is there twice");
    names.push_back(term.name);
    check_term(jastrow, row, term);
    if (jastrow.cusp == "exact" && row.electron_cusp && term.name != carrier &&
        !row.has_cuspless_form(term))
      throw terms_error("'" + carrier + "' and '" + term.name +
                        "' both carry the electron-electron cusp; keep one of them");
  }
}

}  // namespace drover
