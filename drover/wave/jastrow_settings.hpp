// Which Jastrow terms a wave function has and how they start; the [jastrow] table of the
// input.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace drover {

// What a term is set up with; what is absent takes its default. The names and ranges are
// those of the term registry.
struct TermSettings {
  std::string name;                               // "nuclear-cusp", "boys-handy", ...
  std::map<std::string, double> numbers;          // real and whole numbers, e.g. pade's b
  std::map<std::string, std::vector<int>> lists;  // of whole numbers
  std::map<std::string, std::vector<std::vector<int>>> triples;  // e.g. [m, n, o]
};

inline TermSettings term_named(std::string name) {
  TermSettings term;
  term.name = std::move(name);
  return term;
}

struct JastrowSettings {
  std::vector<TermSettings> terms = {term_named("nuclear-cusp"),
                                     term_named("boys-handy")};
  std::string cusp = "exact";       // or "pytc": 1/2 for every pair
  std::string parameters = "none";  // a file of parameters to start from
};

}  // namespace drover
