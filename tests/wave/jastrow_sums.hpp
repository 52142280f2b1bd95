// The wave functions that every Jastrow term of the registry is tested in. A term that is
// registered is in these lists by that alone.
#pragma once

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "drover/wave/term_registry.hpp"
#include "wave_fixture.hpp"

namespace drover::testing {

struct Sum {
  std::vector<std::string> terms;
  std::string cusp = "exact";
  std::map<std::string, double> settings = {};  // of the first term
  std::string note = {};                        // what they are, for the name
};

inline JastrowSettings settings_of(const Sum& sum) {
  JastrowSettings s = jastrow_of(sum.terms, sum.cusp);
  if (!s.terms.empty()) s.terms[0].numbers = sum.settings;
  return s;
}

inline std::string name_of(const Sum& sum) {
  std::string name = sum.cusp == "pytc" ? "as_in_pytc" : "";
  for (const std::string& term : sum.terms) name += (name.empty() ? "" : "_") + term;
  if (!sum.note.empty()) name += "_" + sum.note;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
inline void PrintTo(const Sum& sum, std::ostream* out) {
  *out << name_of(sum);
}

// With both cusps: every term where it carries the electron-electron cusp if it can, and
// beside a term that carries it already where it can do without; dtn also with the
// nuclear cusp of its own, and where settings reach the ends of their ranges.
inline std::vector<Sum> sums_with_cusps() {
  std::vector<Sum> sums = {
      {{"dtn"}},
      {{"dtn", "nuclear-cusp"},
       "exact",
       {{"u_order", 12}, {"chi_order", 12}, {"f_nuclear", 6}, {"f_electron", 6}},
       "highest"},
      {{"dtn", "nuclear-cusp"},
       "exact",
       {{"u_order", 1}, {"chi_order", 0}, {"f_nuclear", 1}, {"f_electron", 0}},
       "lowest"},
      {{"polynomial", "nuclear-cusp"}, "exact", {{"degree", 1}}, "lowest"},
      {{"polynomial", "nuclear-cusp"}, "exact", {{"degree", 12}}, "highest"}};
  for (const JastrowTerm& term : jastrow_terms()) {
    Sum first{{term.name}};
    if (term.name != "nuclear-cusp") first.terms.push_back("nuclear-cusp");
    if (!term.electron_cusp) first.terms.push_back("pade");
    sums.push_back(first);
    if (term.electron_cusp && term.has_cuspless_form({}))
      sums.push_back({{"pade", term.name, "nuclear-cusp"}});
  }
  return sums;
}

// Every term alone, as pytc has it and with exact cusps, and all the sums above.
inline std::vector<Sum> all_sums() {
  std::vector<Sum> sums = sums_with_cusps();
  for (const JastrowTerm& term : jastrow_terms())
    for (const char* cusp : {"exact", "pytc"})
      if (term.name != "dtn" || std::string(cusp) == "pytc")
        sums.push_back({{term.name}, cusp});
  return sums;
}

}  // namespace drover::testing
