#include "drover/app/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "drover/app/input_keys.hpp"
#include "drover/chem/text.hpp"
#include "drover/core/error.hpp"
#include "drover/core/nearest.hpp"
#include "drover/core/regular_file.hpp"
#include "drover/vmc/optimise_choice.hpp"
#include "drover/wave/term_registry.hpp"

namespace drover::app {
namespace {

namespace fs = std::filesystem;
using Kind = TomlValue::Kind;

const InputKey* find_key(const std::string& name) {
  for (const InputKey& key : input_keys())
    if (key.name == name) return &key;
  return nullptr;
}

bool is_term_table(const std::string& name) {
  return name.rfind("jastrow.", 0) == 0 && find_jastrow_term(name.substr(8)) != nullptr;
}

bool is_table_name(const std::string& name) {
  for (const InputKey& key : input_keys())
    if (key.name.rfind(name + ".", 0) == 0) return true;
  return is_term_table(name);
}

// The keys directly in a table ("" for the top), for "the keys of [measure] are ...".
std::vector<std::string> keys_of(const std::string& table) {
  const std::string prefix = table.empty() ? "" : table + ".";
  std::vector<std::string> keys;
  for (const InputKey& key : input_keys()) {
    if (key.name.rfind(prefix, 0) != 0) continue;
    std::string rest = key.name.substr(prefix.size());
    const std::size_t dot = rest.find('.');
    if (dot != std::string::npos) rest = "[" + prefix + rest.substr(0, dot) + "]";
    if (std::find(keys.begin(), keys.end(), rest) == keys.end()) keys.push_back(rest);
  }
  return keys;
}

[[noreturn]] void unknown_key(const std::string& name, const TomlValue& value,
                              const InputOrigin& origin) {
  std::vector<std::string> known;
  for (const InputKey& key : input_keys()) {
    known.push_back(key.name);
    for (std::size_t dot = key.name.find('.'); dot != std::string::npos;
         dot = key.name.find('.', dot + 1)) {
      const std::string table = key.name.substr(0, dot);
      if (value.kind == Kind::table &&
          std::find(known.begin(), known.end(), table) == known.end())
        known.push_back(table);
    }
  }
  std::string advice;
  const std::size_t dot = name.rfind('.');
  const std::string table = dot == std::string::npos ? "" : name.substr(0, dot);
  if (const std::optional<std::string> meant = nearest_key(name, known)) {
    advice = fmt::format("did you mean {}?", *meant);
  } else if (is_term_table(table) && keys_of(table).empty()) {
    advice = fmt::format("{} has no settings", table);
  } else {
    const std::string parent = is_table_name(table) ? table : "";
    advice =
        fmt::format("the keys {} are {}",
                    parent.empty() ? std::string("at the top") : "of [" + parent + "]",
                    listed(keys_of(parent)));
  }
  // On the command line the key is in sight, unless it is part of a table.
  const bool in_sight = origin.name.find(name + "=") != std::string::npos;
  const std::string what = in_sight ? "unknown key" : "unknown key " + name;
  throw Error(
      ErrorKind::input,
      fmt::format("{}: {}; {}", place_of(origin, value.key_line, value.key_column), what,
                  advice),
      {origin.name, origin.is_file ? value.key_line : -1, name, -1, ""});
}

void apply(const TomlValue& table, const std::string& prefix, const InputOrigin& origin,
           SettingsDraft& draft) {
  for (const auto& [word, value] : table.entries) {
    const std::string name = prefix.empty() ? word : prefix + "." + word;
    if (const InputKey* key = find_key(name)) {
      key->read(draft, value, origin);
      draft.places[name] = place_of(origin, value.line, value.column);
      if (is_term_table(prefix))
        draft.term_table_places.emplace(
            prefix.substr(8), place_of(origin, value.key_line, value.key_column));
    } else if (is_table_name(name)) {
      const std::string place = place_of(origin, value.key_line, value.key_column);
      if (value.kind != Kind::table)
        throw Error(
            ErrorKind::input,
            fmt::format("{}: {}: expected a table, [{}], with {}; found {}", place, name,
                        name, listed(keys_of(name)), describe(value)),
            {origin.name, origin.is_file ? value.line : -1, name, -1, ""});
      if (is_term_table(name)) draft.term_table_places.emplace(name.substr(8), place);
      apply(value, name, origin, draft);
    } else {
      unknown_key(name, value, origin);
    }
  }
}

void apply(const std::vector<Override>& overrides, SettingsDraft& draft) {
  std::set<std::string> given;
  for (const Override& change : overrides) {
    if (!given.insert(change.key).second)
      throw Error(ErrorKind::input,
                  fmt::format("{}: {} is given twice on the command line", change.written,
                              change.key),
                  {"", -1, change.key, -1, ""});
    const InputOrigin origin{change.written, false, "."};
    TomlValue value = override_value(change);
    std::string rest = change.key;
    for (std::size_t dot = rest.rfind('.'); dot != std::string::npos;
         dot = rest.rfind('.')) {
      TomlValue table;
      table.entries.push_back({rest.substr(dot + 1), std::move(value)});
      value = std::move(table);
      rest.resize(dot);
    }
    TomlValue top;
    top.entries.push_back({rest, std::move(value)});
    apply(top, "", origin, draft);
  }
}

SettingsDraft start_draft(const Settings& settings) {
  SettingsDraft draft;
  draft.settings = settings;
  for (const TermSettings& term : settings.jastrow.terms) {
    draft.term_names.push_back(term.name);
    draft.term_tables[term.name] = term;
  }
  return draft;
}

Settings finish(const SettingsDraft& draft) {
  Settings settings = draft.settings;
  settings.jastrow.terms.clear();
  for (const std::string& name : draft.term_names) {
    const auto table = draft.term_tables.find(name);
    TermSettings term = table == draft.term_tables.end() ? TermSettings{} : table->second;
    term.name = name;
    settings.jastrow.terms.push_back(std::move(term));
  }
  for (const auto& [name, place] : draft.term_table_places)
    if (std::find(draft.term_names.begin(), draft.term_names.end(), name) ==
        draft.term_names.end())
      throw Error(ErrorKind::input,
                  fmt::format("{}: [jastrow.{}] sets up a term that is not in "
                              "jastrow.terms, which has {}",
                              place, name,
                              draft.term_names.empty() ? std::string("none")
                                                       : listed(draft.term_names)),
                  {"", -1, "jastrow." + name, -1, ""});
  if (settings.measure.steps > settings.measure.max_steps)
    throw Error(ErrorKind::input,
                fmt::format("{}: measure.steps: {} is above measure.max_steps, which is "
                            "{}; raise that too",
                            draft.places.count("measure.steps") != 0
                                ? draft.places.at("measure.steps")
                                : draft.places.at("measure.max_steps"),
                            settings.measure.steps, settings.measure.max_steps),
                {"", -1, "measure.steps", -1, ""});
  try {
    check_jastrow(settings.jastrow);
    check_optimise(settings.optimise);
  } catch (const Error& error) {
    const auto place = draft.places.find(error.where().key);
    if (place == draft.places.end()) throw;
    throw Error(error.kind(), place->second + ": " + error.what(), error.where());
  }
  return settings;
}

// Whether this beginning of a file is a wave function's and not TOML's.
bool looks_like_wave_function(const std::string& head) {
  if (head.find('\0') != std::string::npos) return true;  // HDF5: TREXIO, PySCF
  std::size_t begin = 0;
  while (begin < head.size()) {
    const std::size_t end = std::min(head.find_first_of("\r\n", begin), head.size());
    std::string line = lower_case(head.substr(begin, end - begin));
    line.erase(0, line.find_first_not_of(" \t"));
    for (const char* section : {"[molden format]", "[atoms]", "[gto]", "[mo]"})
      if (line.rfind(section, 0) == 0) return true;
    begin = end + 1;
  }
  return false;
}

// Whatever is no wave function is taken for TOML; who meant a wave function is told so.
TomlValue parse_input_file(const std::string& text, const InputOrigin& origin) {
  const std::string known =
      "a wave function that Drover knows (Molden, TREXIO, PySCF checkpoint)";
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error(ErrorKind::input,
                origin.name + ": is empty; expected an input file (TOML) or " + known,
                {origin.name, -1, "", -1, ""});
  try {
    return parse_toml(text, origin);
  } catch (const Error& error) {
    if (fs::path(origin.name).extension() == ".toml") throw;
    throw Error(error.kind(), std::string(error.what()) + "; nor is the file " + known,
                error.where());
  }
}

void require_path(const SettingsDraft& draft, const std::string& key,
                  const std::string& path, bool folder) {
  if (path.empty() || path == "none") return;
  const std::string place =
      draft.places.count(key) != 0 ? draft.places.at(key) + ": " + key + ": " : "";
  std::error_code error;
  if (!fs::exists(path, error))
    throw Error(
        ErrorKind::input,
        fmt::format("{}there is no {} {}", place, folder ? "folder" : "file", path),
        {path, -1, key, -1, ""});
  if (folder && !fs::is_directory(path, error))
    throw Error(ErrorKind::input,
                fmt::format("{}{} is a file, expected a run's folder", place, path),
                {path, -1, key, -1, ""});
}

}  // namespace

Input read_input(const std::string& file, const std::vector<Override>& overrides) {
  Input input;
  input.file = file;
  const fs::path path(file);
  input.name = path.stem().string();
  std::error_code error;
  if (!fs::exists(path, error))
    throw Error(
        ErrorKind::input,
        fmt::format("{}: there is no such file; expected an input file (TOML) or a "
                    "wave function (Molden, TREXIO, PySCF checkpoint)",
                    file),
        {file, -1, "", -1, ""});
  const bool is_folder = fs::is_directory(path, error);
  if (is_folder && fs::exists(path / "input.toml", error))
    throw Error(ErrorKind::input,
                fmt::format("{} is a run's folder; to go on with it: drover resume {}",
                            file, file),
                {file, -1, "", -1, ""});
  std::string text;
  bool bare = is_folder;  // TREXIO's text back end is a folder
  if (!is_folder) {
    require_regular_file(file);
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
      throw Error(ErrorKind::input,
                  fmt::format("{}: cannot be read: {}", file, std::strerror(errno)),
                  {file, -1, "", -1, ""});
    constexpr std::size_t head_bytes = 1 << 16, most_bytes = 1 << 24;
    text.resize(head_bytes);
    stream.read(text.data(), static_cast<std::streamsize>(head_bytes));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    bare = looks_like_wave_function(text);
    std::string block(head_bytes, '\0');
    while (!bare && stream && text.size() <= most_bytes) {
      stream.read(block.data(), static_cast<std::streamsize>(head_bytes));
      text.append(block, 0, static_cast<std::size_t>(stream.gcount()));
    }
    if (text.size() > most_bytes)
      throw Error(ErrorKind::input,
                  file +
                      ": too long for an input file (TOML), and not a wave function "
                      "that Drover knows (Molden, TREXIO, PySCF checkpoint)",
                  {file, -1, "", -1, ""});
  }
  SettingsDraft draft = start_draft(Settings{});
  if (bare) {
    draft.settings.wavefunction = fs::absolute(path).lexically_normal().string();
  } else {
    const fs::path folder = path.parent_path();
    const InputOrigin origin{file, true, folder.empty() ? "." : folder.string()};
    apply(parse_input_file(text, origin), "", origin, draft);
  }
  apply(overrides, draft);
  input.bare = bare;
  input.settings = finish(draft);
  if (input.settings.wavefunction.empty())
    throw Error(ErrorKind::input,
                file +
                    ": wavefunction is not given; add, at the top, a line such as "
                    "wavefunction = \"water.molden\"",
                {file, -1, "wavefunction", -1, ""});
  require_path(draft, "wavefunction", input.settings.wavefunction, false);
  require_path(draft, "jastrow.parameters", input.settings.jastrow.parameters, false);
  require_path(draft, "run.start_from", input.settings.run.start_from, true);
  return input;
}

Settings parse_settings(const std::string& text, const InputOrigin& origin,
                        const std::vector<Override>& overrides) {
  SettingsDraft draft = start_draft(Settings{});
  apply(parse_toml(text, origin), "", origin, draft);
  apply(overrides, draft);
  return finish(draft);
}

Settings override_settings(const Settings& settings,
                           const std::vector<Override>& overrides) {
  SettingsDraft draft = start_draft(settings);
  apply(overrides, draft);
  return finish(draft);
}

std::string print_settings(const Settings& settings) {
  std::string text, table;
  std::vector<std::pair<std::string, std::string>> rows;
  for (const InputKey& key : input_keys()) {
    const std::optional<std::string> value = key.print(settings);
    if (!value) continue;
    const std::size_t dot = key.name.rfind('.');
    const std::string in = dot == std::string::npos ? "" : key.name.substr(0, dot);
    if (in != table) {
      text += fmt::format("\n[{}]\n", in);
      table = in;
    }
    const std::string line = fmt::format("{} = {}", key.name.substr(dot + 1), *value);
    text += fmt::format("{:<40}  # {}\n", line, key.meaning);
  }
  return text;
}

std::string forbidden_change(const Settings& then, const Settings& now) {
  for (const InputKey& key : input_keys()) {
    if (key.may_change) continue;
    const std::string before = key.print(then).value_or("its default");
    const std::string after = key.print(now).value_or("its default");
    if (before != after)
      return fmt::format("{} was {} and is now {}", key.name, before, after);
  }
  return "";
}

}  // namespace drover::app
