// Changes of the input given on the command line: --set key=value, and the options that
// are short for one (--devices, --params). The value is TOML; a bare word is a text, and
// a list of bare words is a list of texts, because shells eat quotes.
#pragma once

#include <string>

#include "drover/app/toml_value.hpp"

namespace drover::app {

// One change from the command line; it wins over the file.
struct Override {
  std::string written;   // as the user wrote it, for errors: "--set optimise.steps=3"
  std::string key;       // "optimise.steps"
  std::string value;     // TOML, or a bare word
  bool is_text = false;  // value is the text itself, never parsed
};

// "optimise.steps=3" of --set. Error(input) without a "=" or with an empty key.
Override parse_set(const std::string& text);

// The value as TOML reads it. Error(input) where it begins like TOML and is not.
TomlValue override_value(const Override& change);

}  // namespace drover::app
