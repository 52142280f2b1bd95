#include "drover/app/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace drover::app {

std::string with_error(double value, double error) {
  if (!std::isfinite(value)) return std::isnan(value) ? "not a number" : "infinite";
  if (!std::isfinite(error) || error <= 0.0) return fmt::format("{:.6f}", value);
  // Two digits of the error; 0.0996 would round to 0.10 and so has one decimal less.
  const std::string rounded = fmt::format("{:.1e}", error);
  const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
  const int decimals = 1 - exponent;
  if (decimals <= 0) return fmt::format("{:.0f}({:.0f})", value, error);
  if (decimals > 15) return fmt::format("{:.15f}({:.1e})", value, error);
  if (exponent >= 0)
    return fmt::format("{:.{}f}({:.{}f})", value, decimals, error, decimals);
  const std::string digits = {rounded[0], rounded[2]};
  return fmt::format("{:.{}f}({})", value, decimals, digits);
}

std::string significant(double value) {
  if (!std::isfinite(value))
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const double size = std::fabs(value);
  if (size == 0.0) return "0";
  if (size >= 1e6 || size < 1e-4) return fmt::format("{:.2e}", value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  const int digits = std::max(0, 2 - static_cast<int>(std::floor(std::log10(size))));
  return fmt::format("{:.{}f}", value, digits);
}

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 5> units = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 999.95 && unit + 1 < units.size()) {
    bytes /= 1000.0;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes)
                   : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string counted(std::int64_t count, const std::string& singular) {
  if (count == 1) return "one " + singular;
  return fmt::format("{} {}s", count, singular);
}

std::string percent(double fraction) {
  if (!std::isfinite(fraction)) return "nan";
  return fmt::format("{:.1f} %", 100.0 * fraction);
}

int columns(const std::string& text) {
  int count = 0;
  for (const char c : text)
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++count;
  return count;
}

std::string left(const std::string& text, int width) {
  return text +
         std::string(static_cast<std::size_t>(std::max(0, width - columns(text))), ' ');
}

std::string right(const std::string& text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - columns(text))), ' ') +
         text;
}

std::string shortened(const std::string& text, int width) {
  if (columns(text) <= width) return text;
  if (width < 4) return "";
  std::size_t end = 0;
  int count = 0;
  while (end < text.size()) {
    const bool starts = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
    if (starts && count++ == width - 3) break;
    ++end;
  }
  return text.substr(0, end) + "...";
}

}  // namespace drover::app
