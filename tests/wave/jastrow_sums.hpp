// The wave functions that every Jastrow term of the registry is tested in. A term that is
// registered is in these lists by that alone.
#pragma once

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "drover/wave/term_registry.hpp"

namespace drover::testing {

struct Sum {
  std::vector<std::string> terms;
  std::string cusp = "exact";
};

inline std::string name_of(const Sum& sum) {
  std::string name = sum.cusp == "pytc" ? "as_in_pytc" : "";
  for (const std::string& term : sum.terms) name += (name.empty() ? "" : "_") + term;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
inline void PrintTo(const Sum& sum, std::ostream* out) {
  *out << name_of(sum);
}

// With both cusps: every term where it carries the electron-electron cusp if it can, and
// beside a term that carries it already where it can do without; dtn also with the
// nuclear cusp of its own.
inline std::vector<Sum> sums_with_cusps() {
  std::vector<Sum> sums = {{{"dtn"}}};
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
