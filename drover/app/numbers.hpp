// Numbers for people. Nothing that is printed with these is read back by a program.
#pragma once

#include <cstdint>
#include <string>

namespace drover::app {

// A value with its standard error on the last digits, two of them: "-76.4021(31)";
// "1.4(1.2)" and "-76(12)" where the error is above 1. Without a usable error six
// decimals: "-76.402100".
std::string with_error(double value, double error);

// Three significant digits without an exponent where that is readable: "0.0121", "2.41",
// "1280", "1.2e-07".
std::string significant(double value);

// "512 B", "12.4 kB", "3.1 MB"; powers of 1000.
std::string bytes_text(double bytes);

// "one walker", "4096 walkers"
std::string counted(std::int64_t count, const std::string& singular);

// "50.1 %"
std::string percent(double fraction);

// How many columns a UTF-8 text takes, one for each code point.
int columns(const std::string& text);

// Fills up with blanks: to the left or to the right of a column of this width.
std::string left(const std::string& text, int width);
std::string right(const std::string& text, int width);

// At most `width` columns, the end replaced by "..." where there were more.
std::string shortened(const std::string& text, int width);

}  // namespace drover::app
