#include "drover/app/duration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace drover::app {
namespace {

struct Unit {
  std::array<std::string_view, 5> names;
  double seconds;
};

constexpr std::array<Unit, 4> units = {{
    {{"s", "sec", "second", "seconds", "secs"}, 1.0},
    {{"min", "minute", "minutes", "mins", "m"}, 60.0},
    {{"h", "hour", "hours", "hr", "hrs"}, 3600.0},
    {{"d", "day", "days", "days", "days"}, 86400.0},
}};

int unit_index(std::string_view name) {
  for (std::size_t i = 0; i < units.size(); ++i)
    for (std::string_view known : units[i].names)
      if (known == name) return static_cast<int>(i);
  return -1;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::optional<double> parse_duration(const std::string& text) {
  double total = 0.0;
  std::array<bool, units.size()> seen{};
  std::size_t i = 0;
  const auto skip_spaces = [&] {
    while (i < text.size() && text[i] == ' ') ++i;
  };
  skip_spaces();
  if (i == text.size()) return std::nullopt;
  while (i < text.size()) {
    if (!is_digit(text[i]) ||
        (text[i] == '0' && i + 1 < text.size() && text[i + 1] == 'x'))
      return std::nullopt;
    char* end = nullptr;
    const double count = std::strtod(text.c_str() + i, &end);
    i = static_cast<std::size_t>(end - text.c_str());
    skip_spaces();
    const std::size_t letters = i;
    while (i < text.size() && is_letter(text[i])) ++i;
    const int unit = unit_index(std::string_view(text).substr(letters, i - letters));
    if (unit < 0 || seen[static_cast<std::size_t>(unit)]) return std::nullopt;
    seen[static_cast<std::size_t>(unit)] = true;
    total += count * units[static_cast<std::size_t>(unit)].seconds;
    skip_spaces();
  }
  return total;
}

std::string format_duration(double seconds) {
  if (std::isinf(seconds)) return "none";
  if (seconds != std::floor(seconds) || seconds < 60.0 || seconds > 1e12)
    return seconds == std::floor(seconds) ? fmt::format("{:.0f} s", seconds)
                                          : fmt::format("{} s", seconds);
  auto rest = static_cast<std::int64_t>(seconds);
  std::string text;
  const auto take = [&](std::int64_t size, std::string_view name) {
    if (rest >= size)
      text += fmt::format("{}{} {}", text.empty() ? "" : " ", rest / size, name);
    rest %= size;
  };
  take(86400, "d");
  take(3600, "h");
  take(60, "min");
  take(1, "s");
  return text;
}

std::string readable_time(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds < 9.95) return fmt::format("{:.2g} s", std::max(seconds, 0.0));
  if (seconds > 1e12) return fmt::format("{:.3g} d", seconds / 86400.0);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  if (whole < 86400)
    return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {} h", whole / 86400, whole % 86400 / 3600);
}

}  // namespace drover::app
