// The fields of a TREXIO file, out of either of its back ends (see trexio.hpp).
#include <array>
#include <filesystem>
#include <string_view>

#include "drover/chem/text.hpp"
#include "drover/chem/trexio.hpp"

namespace drover {

namespace {

struct Field {
  std::string_view group, name;
};

constexpr std::array<Field, 12> scalars = {{{"nucleus", "nucleus_num"},
                                            {"electron", "electron_up_num"},
                                            {"electron", "electron_dn_num"},
                                            {"basis", "basis_shell_num"},
                                            {"basis", "basis_prim_num"},
                                            {"ao", "ao_num"},
                                            {"ao", "ao_cartesian"},
                                            {"mo", "mo_num"},
                                            {"ecp", "ecp_num"},
                                            {"determinant", "determinant_num"},
                                            {"csf", "csf_num"},
                                            {"pbc", "pbc_periodic"}}};
constexpr std::array<Field, 2> texts = {{{"basis", "basis_type"}, {"mo", "mo_type"}}};
constexpr std::array<Field, 20> arrays = {{{"nucleus", "nucleus_charge"},
                                           {"nucleus", "nucleus_coord"},
                                           {"basis", "basis_nucleus_index"},
                                           {"basis", "basis_shell_ang_mom"},
                                           {"basis", "basis_shell_factor"},
                                           {"basis", "basis_shell_index"},
                                           {"basis", "basis_r_power"},
                                           {"basis", "basis_exponent"},
                                           {"basis", "basis_exponent_im"},
                                           {"basis", "basis_coefficient"},
                                           {"basis", "basis_coefficient_im"},
                                           {"basis", "basis_prim_factor"},
                                           {"basis", "basis_oscillation_arg"},
                                           {"ao", "ao_shell"},
                                           {"ao", "ao_normalization"},
                                           {"mo", "mo_coefficient"},
                                           {"mo", "mo_coefficient_im"},
                                           {"mo", "mo_occupation"},
                                           {"mo", "mo_spin"},
                                           {"ecp", "ecp_z_core"}}};

std::string path_of(const Field& field) {
  return std::string(field.group) + "/" + std::string(field.name);
}

bool one_determinant(const TrexioFields& fields) {
  const auto at = fields.scalars.find("determinant_num");
  return at != fields.scalars.end() && at->second == 1.0;
}

template <std::size_t n>
bool known(const std::array<Field, n>& list, std::string_view name) {
  for (const Field& field : list)
    if (field.name == name) return true;
  return false;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// One file of the text back end: "name value" for scalars, a line "name" before the text
// or the numbers of everything else; lines rank_, dims_, len_ and _isSet only announce.
void load_text_group(TrexioFields& fields, const std::string& path) {
  const std::string text = read_text_file(path);
  std::vector<double>* array = nullptr;
  std::string pending_text;
  std::string_view rest = text;
  int number = 0;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++number;
    if (!pending_text.empty()) {
      fields.texts[pending_text] = line;
      pending_text.clear();
      continue;
    }
    const auto words = split_words(line);
    if (words.empty()) continue;
    if (parse_number(words[0])) {
      for (std::string_view word : words) {
        const std::optional<double> value = parse_number(word);
        if (!value)
          throw complain(path, number,
                         {"bad number", "numbers", shown(word), "Write the file again."});
        if (array) array->push_back(*value);
      }
      continue;
    }
    array = nullptr;
    const std::string name(words[0]);
    if (name.rfind("rank_", 0) == 0 || name.rfind("dims_", 0) == 0 ||
        name.rfind("len_", 0) == 0 || ends_with(name, "_isSet"))
      continue;
    if (words.size() == 1 && known(texts, name)) pending_text = name;
    if (words.size() == 1 && known(arrays, name)) array = &fields.arrays[name];
    if (words.size() == 2 && known(scalars, name)) {
      const std::optional<double> value = parse_number(words[1]);
      if (!value)
        throw complain(
            path, number,
            {"bad number", "a number", shown(words[1]), "Write the file again."});
      fields.scalars[name] = *value;
    }
  }
}

}  // namespace

TrexioFields load_trexio(const Hdf5File& file) {
  TrexioFields fields;
  fields.path = file.path();
  for (const Field& field : scalars)
    if (file.has_attribute(std::string(field.group), std::string(field.name)))
      fields.scalars[std::string(field.name)] =
          file.number_attribute(std::string(field.group), std::string(field.name));
  for (const Field& field : texts)
    if (file.has_attribute(std::string(field.group), std::string(field.name)))
      fields.texts[std::string(field.name)] =
          file.text_attribute(std::string(field.group), std::string(field.name));
  for (const Field& field : arrays)
    if (file.has(path_of(field)))
      fields.arrays[std::string(field.name)] = file.numbers(path_of(field));
  if (one_determinant(fields) && file.has("determinant/determinant_list"))
    fields.determinant_list = file.integers("determinant/determinant_list");
  return fields;
}

bool is_trexio_directory(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code code;
  return fs::is_directory(path, code) &&
         fs::is_regular_file(fs::path(path) / "nucleus.txt", code) &&
         fs::is_regular_file(fs::path(path) / "metadata.txt", code);
}

TrexioFields load_trexio_directory(const std::string& path) {
  namespace fs = std::filesystem;
  TrexioFields fields;
  fields.path = path;
  for (const char* group :
       {"nucleus", "electron", "basis", "ao", "mo", "ecp", "determinant", "csf", "pbc"}) {
    const fs::path file = fs::path(path) / (std::string(group) + ".txt");
    std::error_code code;
    // Groups that were never written have no file, or an empty one.
    if (fs::exists(file, code) && fs::file_size(file, code) > 0 && !code)
      load_text_group(fields, file.string());
  }
  // An announced but unset array has a name and no numbers.
  for (auto at = fields.arrays.begin(); at != fields.arrays.end();)
    at = at->second.empty() ? fields.arrays.erase(at) : std::next(at);
  const fs::path list = fs::path(path) / "determinant_list.txt";
  std::error_code code;
  if (one_determinant(fields) && fs::exists(list, code)) {
    const std::string text = read_text_file(list.string());
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      for (std::string_view word :
           split_words(std::string_view(text).substr(at, end - at)))
        try {
          fields.determinant_list.push_back(std::stoll(std::string(word)));
        } catch (const std::exception&) {
          throw complain(
              list.string(), -1,
              {"bad determinant", "integers", shown(word), "Write the file again."});
        }
      at = end + 1;
    }
  }
  return fields;
}

}  // namespace drover
