// Frozen parameters: patterns of names, in which * stands for any letters and ? for one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drover {

bool matches_pattern(std::string_view pattern, std::string_view name);

// One entry per name, 1 where a pattern matches. Error(input) with the nearest name for a
// pattern that matches none.
std::vector<std::uint8_t> frozen_parameters(std::span<const std::string> patterns,
                                            std::span<const std::string> names);

}  // namespace drover
