// The known word nearest to a mistyped one, by the number of letters inserted, left out,
// changed or exchanged with their neighbour (optimal string alignment distance).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover {

int edit_distance(std::string_view a, std::string_view b);

// Nothing when even the nearest is too far away to be meant: more than a third of the
// word's letters, and more than two, are different.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& known);

// For dotted keys: a key of that name in another table counts as one step away.
std::optional<std::string> nearest_key(std::string_view key,
                                       const std::vector<std::string>& known);

// "a, b and c"
std::string listed(const std::vector<std::string>& words, std::string_view last = "and");

}  // namespace drover
