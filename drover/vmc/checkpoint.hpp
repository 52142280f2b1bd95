// Checkpoint: what a run needs to go on, as named arrays in plain words.
//
// The engine decides the names and the contents; whoever stores it (the app: HDF5) knows
// nothing about them. Doubles keep their bits, NaN payloads included. A slash in a name
// groups entries ("optimisation/energy"). Entries keep the order in which they were
// added.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace drover {

struct CheckpointEntry {
  // vector<string> is a list of words or sentences; string is one text, without NUL
  // bytes.
  using Value = std::variant<std::vector<double>, std::vector<std::int64_t>, std::string,
                             std::vector<std::string>>;
  std::string name;
  Value value;
  std::vector<std::int64_t> shape;  // row-major; empty: one number or one text
  std::string unit;                 // "hartree", "bohr", "s"; empty: none

  bool operator==(const CheckpointEntry&) const = default;
};

class Checkpoint {
 public:
  // One number, or one text.
  void add(std::string name, double value, std::string unit = "");
  void add(std::string name, std::int64_t value, std::string unit = "");
  void add(std::string name, std::string text);
  // An array of the given shape; without one, a list. The product of the shape must equal
  // the number of values and the name must be new: Error(logic) otherwise.
  void add(std::string name, std::vector<double> values, std::vector<std::int64_t> shape,
           std::string unit = "");
  void add(std::string name, std::vector<std::int64_t> values,
           std::vector<std::int64_t> shape, std::string unit = "");
  void add(std::string name, std::vector<double> values);
  void add(std::string name, std::vector<std::int64_t> values);
  // A list with a unit; a template so that a shape in braces is never taken for a text.
  template <typename T, typename Unit>
  requires std::convertible_to<Unit, std::string>
  void add(std::string name, std::vector<T> values, const Unit& unit) {
    const auto count = static_cast<std::int64_t>(values.size());
    add(std::move(name), std::move(values), std::vector<std::int64_t>{count},
        std::string(unit));
  }
  void add(std::string name, std::vector<std::string> words);
  void add(CheckpointEntry entry);
  // 64-bit unsigned numbers (seeds, counters) are kept as the same 64 bits.
  void add_bits(std::string name, std::uint64_t value);

  bool contains(std::string_view name) const { return find(name) != nullptr; }
  const CheckpointEntry* find(std::string_view name) const;
  const std::vector<CheckpointEntry>& entries() const { return entries_; }

  // The entry's values. Error(input) naming the entry where it is missing or of another
  // type or count: the file was written by something else, or by another version.
  const std::vector<double>& reals(std::string_view name) const;
  const std::vector<std::int64_t>& integers(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  const std::vector<std::string>& words(std::string_view name) const;
  double real(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  std::uint64_t bits(std::string_view name) const;

  bool operator==(const Checkpoint&) const = default;

 private:
  const CheckpointEntry& at(std::string_view name) const;

  std::vector<CheckpointEntry> entries_;
};

}  // namespace drover
