#include "drover/chem/excitations.hpp"

#include <algorithm>
#include <optional>

#include "drover/chem/text.hpp"

namespace drover {

namespace {

struct Place {
  bool down = false;
  int number = 0;
};

std::string words(const Place& place) {
  return (place.down ? "down " : "up ") + std::to_string(place.number);
}

Error refuse(const FileWavefunction& file, const std::string& move,
             const std::string& why) {
  return input_error(file.path + ": system.excite: \"" + move + "\": " + why,
                     {.key = "system.excite"});
}

// "up 5" or, after the arrow, "5" of the same spin.
std::optional<Place> parse_place(std::string_view text, std::optional<bool> same_spin) {
  const auto parts = split_words(text);
  if (parts.empty() || parts.size() > 2) return std::nullopt;
  Place place;
  if (parts.size() == 2) {
    const std::string spin = lower_case(parts[0]);
    if (spin != "up" && spin != "down") return std::nullopt;
    place.down = spin == "down";
  } else {
    if (!same_spin) return std::nullopt;
    place.down = *same_spin;
  }
  const std::optional<int> number = parse_integer(parts.back());
  if (!number || *number < 1) return std::nullopt;
  place.number = *number;
  return place;
}

std::string listed(const std::vector<int>& numbers) {
  std::string text;
  for (const int n : numbers) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return text.empty() ? "none" : text;
}

}  // namespace

void excite(FileWavefunction& file, const std::vector<std::string>& moves) {
  for (const std::string& move : moves) {
    const std::size_t arrow = move.find("->");
    std::optional<Place> from, to;
    if (arrow != std::string::npos) {
      from = parse_place(std::string_view(move).substr(0, arrow), std::nullopt);
      if (from) to = parse_place(std::string_view(move).substr(arrow + 2), from->down);
    }
    if (!from || !to)
      throw refuse(file, move,
                   "expected \"up 5 -> 6\" or \"down 5 -> up 6\": the orbital that an "
                   "electron leaves and the one that it takes");
    FileSpin& source = from->down ? file.down : file.up;
    FileSpin& target = to->down ? file.down : file.up;
    const auto at = std::find(source.numbers.begin(), source.numbers.end(), from->number);
    if (at == source.numbers.end())
      throw refuse(file, move,
                   "no electron is in " + words(*from) + "; occupied are " +
                       listed(source.numbers));
    const auto free = target.empty.find(to->number);
    if (free == target.empty.end()) {
      std::vector<int> numbers;
      for (const auto& entry : target.empty) numbers.push_back(entry.first);
      throw refuse(
          file, move,
          words(*to) + " is taken or not in the file; free are " + listed(numbers));
    }
    std::vector<double> taken = std::move(free->second);
    target.empty.erase(free);
    const auto i = at - source.numbers.begin();
    source.empty.emplace(from->number, std::move(source.occupied[std::size_t(i)]));
    if (from->down == to->down) {
      source.occupied[std::size_t(i)] = std::move(taken);
      *at = to->number;
    } else {
      source.occupied.erase(source.occupied.begin() + i);
      source.numbers.erase(at);
      target.occupied.push_back(std::move(taken));
      target.numbers.push_back(to->number);
    }
    file.notes.push_back("excited: " + words(*from) + " -> " + words(*to));
    file.energy.reset();  // belongs to the determinant that it was
  }
}

}  // namespace drover
