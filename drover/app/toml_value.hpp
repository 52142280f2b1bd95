// A TOML document as plain values that know where they stand, so that only one file of
// the program needs the TOML library and every error can name file, line and column.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drover::app {

// Where input comes from: a file, or an option of the command line ("--set a.b=1").
struct InputOrigin {
  std::string name;  // of the file as the user gave it, or the option's text
  bool is_file = true;
  std::string folder = ".";  // against which relative paths in it are resolved
};

struct TomlEntry;

struct TomlValue {
  enum class Kind { boolean, whole, real, text, date, list, table };
  Kind kind = Kind::table;
  bool boolean = false;
  std::int64_t whole = 0;
  double real = 0.0;
  std::string text;
  std::vector<TomlValue> items;      // of a list
  std::vector<TomlEntry> entries;    // of a table, in file order
  int line = 0, column = 0;          // of the value, from 1
  int key_line = 0, key_column = 0;  // of its key
};

struct TomlEntry {
  std::string key;
  TomlValue value;
};

// Parses a document. Error(input) with file:line:column on a syntax error or a duplicate.
TomlValue parse_toml(const std::string& text, const InputOrigin& origin);

// A value as errors call it: the text "abc", the whole number 5, a list.
std::string describe(const TomlValue& value);

// A text as a TOML string in double quotes.
std::string toml_quoted(const std::string& text);

// A double as a TOML float that reads back as the same bits.
std::string toml_real(double value);

bool is_utf8(const std::string& text);

}  // namespace drover::app
