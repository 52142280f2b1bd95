// The input of a command: a TOML file, or a bare wave-function file with every key at its
// default, and the changes given on the command line. Strict: what is not understood is
// an error with its place, never ignored.
#pragma once

#include <string>
#include <vector>

#include "drover/app/overrides.hpp"
#include "drover/app/toml_value.hpp"
#include "drover/vmc/settings.hpp"

namespace drover::app {

struct Input {
  Settings settings;  // paths in it are absolute
  std::string file;   // as given
  std::string name;   // the file's name without folder and extension
  bool bare = false;  // a wave-function file was given, not an input file
};

// Reads and checks an input file or recognises a wave-function file by its content. Paths
// that do not exist are errors here, where their line is known.
Input read_input(const std::string& file, const std::vector<Override>& overrides = {});

// The same for a text; relative paths are resolved against origin.folder, existence is
// not checked.
Settings parse_settings(const std::string& text, const InputOrigin& origin,
                        const std::vector<Override>& overrides = {});

// Every key with its value and meaning, in the syntax of the input file; parse_settings
// of it gives the same settings.
std::string print_settings(const Settings& settings);

// Applies overrides to settings that are already whole (resume --devices N).
Settings override_settings(const Settings& settings,
                           const std::vector<Override>& overrides);

// A key that differs although a run that goes on must not change it, in words; "" if
// none.
std::string forbidden_change(const Settings& then, const Settings& now);

}  // namespace drover::app
