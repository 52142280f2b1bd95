// Which Jastrow terms a wave function has and how they start; the [jastrow] table of the
// input.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace drover {

struct TermSettings {
  std::string name;                         // "nuclear-cusp", "boys-handy", "pade"
  std::map<std::string, double> numbers;    // the term's own settings, e.g. pade.b
  std::vector<std::vector<int>> terms_mno;  // boys-handy: its (m,n,o) list, empty: the 17
};

struct JastrowSettings {
  std::vector<TermSettings> terms = {{"nuclear-cusp", {}, {}}, {"boys-handy", {}, {}}};
  std::string cusp = "exact";       // or "pytc": 1/2 for every pair
  std::string parameters = "none";  // a JSON file of parameters to start from
};

}  // namespace drover
