// The keys of the input file: one row each with its name, meaning, allowed values, how it
// is read and how it is printed. Reading, printing, errors and the documentation test all
// use this table, so a key exists in one place.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "drover/app/toml_value.hpp"
#include "drover/vmc/settings.hpp"

namespace drover::app {

// Settings while they are read: the tables of Jastrow terms are put together at the end,
// because `terms` and the tables may come from different places in any order.
struct SettingsDraft {
  Settings settings;
  std::vector<std::string> term_names;
  std::map<std::string, TermSettings> term_tables;
  std::map<std::string, std::string> term_table_places;  // for errors
  std::map<std::string, std::string> places;             // of each key that was given
};

struct InputKey {
  std::string name;     // "sampling.walkers"
  std::string meaning;  // with its unit; printed as the comment
  std::string allowed;  // "a whole number from 1 to 4294967296"
  // Error(input) saying place, key, allowed and found.
  std::function<void(SettingsDraft&, const TomlValue&, const InputOrigin&)> read;
  // As TOML; nothing where the key is not set and its default belongs to the engine.
  std::function<std::optional<std::string>(const Settings&)> print;
  // Whether a run that goes on from a checkpoint may use another value.
  bool may_change = false;
};

const std::vector<InputKey>& input_keys();

// Those of [optimise], in their order.
std::vector<InputKey> optimise_keys();

// "water.toml:12:11" or "--set optimise.steps=x"
std::string place_of(const InputOrigin& origin, int line, int column);

}  // namespace drover::app
