#include "drover/vmc/freeze.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "drover/core/error.hpp"
#include "drover/core/nearest.hpp"

namespace drover {

// Greedy with one step back to the newest star, which is enough: an earlier star need
// never take more.
bool matches_pattern(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, after_star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      taken = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (after_star != std::string_view::npos) {
      p = after_star;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

namespace {

// A pattern is compared with a name's beginning too, since a star may stand for the rest.
int distance(std::string_view letters, std::string_view name) {
  return std::min(edit_distance(letters, name),
                  edit_distance(letters, name.substr(0, letters.size())));
}

}  // namespace

std::vector<std::uint8_t> frozen_parameters(std::span<const std::string> patterns,
                                            std::span<const std::string> names) {
  std::vector<std::uint8_t> frozen(names.size(), 0);
  for (const std::string& pattern : patterns) {
    bool found = false;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (!matches_pattern(pattern, names[k])) continue;
      frozen[k] = 1;
      found = true;
    }
    if (found) continue;
    std::string letters = pattern;
    std::erase_if(letters, [](char c) { return c == '*' || c == '?'; });
    const auto nearest_name =
        std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
          return distance(letters, a) < distance(letters, b);
        });
    throw input_error(
        fmt::format("optimise.freeze: \"{}\" matches none of the {} parameters; {}",
                    pattern, names.size(),
                    nearest_name == names.end()
                        ? std::string("this wave function has none to freeze")
                        : fmt::format("the nearest is \"{}\"", *nearest_name)),
        {.key = "optimise.freeze"});
  }
  return frozen;
}

}  // namespace drover
