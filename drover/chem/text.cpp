// Strict reading of text files written by other programs (see text.hpp).
#include "drover/chem/text.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "drover/core/regular_file.hpp"

namespace drover {

std::string read_text_file(const std::string& path, std::uint64_t most_bytes) {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status))
    throw complain(
        path, -1,
        {"cannot read the file", "an existing file",
         code ? code.message() : std::string("nothing of that name"), "Check the path."});
  if (fs::is_directory(status))
    throw complain(
        path, -1,
        {"cannot read the file", "a file", "a directory", "Give the file inside it."});
  require_regular_file(path);
  const std::uintmax_t size = fs::file_size(path, code);
  if (code)
    throw complain(path, -1,
                   {"cannot read the file", "a readable file", code.message(),
                    "Check its permissions."});
  if (size > most_bytes)
    throw complain(
        path, -1,
        {"the file is too large", "at most " + std::to_string(most_bytes) + " bytes",
         std::to_string(size) + " bytes", "Write only the occupied orbitals to it."});
  std::ifstream stream(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  if (stream) stream.read(text.data(), static_cast<std::streamsize>(size));
  if (!stream)
    throw complain(path, -1,
                   {"cannot read the file", "a readable file",
                    "the system refused to open or read it", "Check its permissions."});
  if (text.empty())
    throw complain(
        path, -1,
        {"the file is empty", "a wave function", "0 bytes",
         "Write it again; the program that made it may have run out of disk."});
  return text;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (at < line.size()) {
    while (at < line.size() && is_blank(line[at])) ++at;
    const std::size_t begin = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    if (at > begin) words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string out = "'";
  for (char c : text.substr(0, most)) out += c >= ' ' && c <= '~' ? c : '?';
  out += text.size() > most ? "...'" : "'";
  return out;
}

std::optional<double> parse_number(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  if (word.empty() || word.size() > 100) return std::nullopt;
  // Fortran: D for E, and no letter at all before an exponent of three digits (0.1-100).
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    char c = word[i];
    if (c == 'D' || c == 'd') c = 'e';
    if ((c == '-' || c == '+') && i > 0 && (is_digit(word[i - 1]) || word[i - 1] == '.'))
      text += 'e';
    text += c;
  }
  // Only digits, a point, signs and one e: no "inf", no "nan", no hexadecimal.
  for (char c : text)
    if (!is_digit(c) && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E')
      return std::nullopt;
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (stop != end) return std::nullopt;
  if (code == std::errc::result_out_of_range)
    return text.find("e-") != std::string::npos || text.find("E-") != std::string::npos
               ? std::optional<double>(0.0)
               : std::nullopt;
  if (code != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<int> parse_integer(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  int value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, code] = std::from_chars(word.data(), end, value);
  if (word.empty() || stop != end || code != std::errc()) return std::nullopt;
  return value;
}

Error complain(const std::string& file, int line, const Complaint& complaint) {
  std::string text = complaint.what;
  if (!complaint.expected.empty()) text += ": expected " + complaint.expected;
  if (!complaint.found.empty())
    text += (complaint.expected.empty() ? ": found " : ", found ") + complaint.found;
  text += ".";
  if (!complaint.advice.empty()) text += " " + complaint.advice;
  ErrorWhere where;
  where.file = file;
  where.line = line;
  return input_error(text, where);
}

}  // namespace drover
