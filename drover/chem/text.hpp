// Strict reading of text files written by other programs: lines, words, numbers, and
// errors that name the file, the line, what was expected and what was found.
//
// Numbers are read without the locale, accept Fortran's D exponents, and must be finite.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drover/core/error.hpp"

namespace drover {

// The whole file as bytes. Throws Error (input) when it is no regular file, cannot be
// read, is empty, or holds more than `most_bytes`.
std::string read_text_file(const std::string& path,
                           std::uint64_t most_bytes = std::uint64_t{1} << 30);

std::string lower_case(std::string_view text);

// Without blanks (and carriage returns) at both ends.
std::string_view trimmed(std::string_view text);

// Words between blanks; a carriage return counts as a blank.
std::vector<std::string_view> split_words(std::string_view line);

// A piece of a file fit for an error message: at most 60 characters, bytes that do not
// print shown as '?', in quotes.
std::string shown(std::string_view text);

// A finite number such as 1.0, -3D+02 or 0.12E-3; nothing otherwise. Too small is zero.
std::optional<double> parse_number(std::string_view word);

// A decimal integer within +-2^31; nothing otherwise.
std::optional<int> parse_integer(std::string_view word);

// The parts of an input error: "FILE:LINE: WHAT: expected ..., found .... DO".
struct Complaint {
  std::string what;
  std::string expected;
  std::string found;
  std::string advice;
};
Error complain(const std::string& file, int line, const Complaint& complaint);

}  // namespace drover
