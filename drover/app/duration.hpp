// Times as the input file writes them: "60 s", "3 h 55 min", "1.5 d", "none".
#pragma once

#include <optional>
#include <string>

namespace drover::app {

// Seconds, or nothing when the text is not a duration. Units: s, min, h, d (and their
// full names), each at most once. "none" is left to the key that allows it.
std::optional<double> parse_duration(const std::string& text);

// The same syntax; reads back as the same double. Infinity is "none".
std::string format_duration(double seconds);

// For people: "0.42 s", "12 s", "3 min 20 s", "3 h 55 min"; never more than two units.
std::string readable_time(double seconds);

}  // namespace drover::app
