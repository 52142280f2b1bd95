#include "drover/vmc/checkpoint.hpp"

#include <utility>

#include "drover/core/error.hpp"

namespace drover {
namespace {

std::size_t count_of(const CheckpointEntry::Value& value) {
  if (const auto* reals = std::get_if<std::vector<double>>(&value)) return reals->size();
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value))
    return integers->size();
  if (const auto* words = std::get_if<std::vector<std::string>>(&value))
    return words->size();
  return 1;
}

const char* kind_of(const CheckpointEntry::Value& value) {
  switch (value.index()) {
    case 0:
      return "real numbers";
    case 1:
      return "whole numbers";
    case 2:
      return "a text";
    default:
      return "a list of texts";
  }
}

std::vector<std::int64_t> list_shape(std::size_t count) {
  return {static_cast<std::int64_t>(count)};
}

void refuse_nul(const std::string& name, const std::string& text) {
  if (text.find('\0') != std::string::npos)
    throw Error(ErrorKind::logic, "checkpoint entry '" + name +
                                      "': a text may not contain a NUL byte; store bytes "
                                      "as whole numbers");
}

[[noreturn]] void wrong_kind(const CheckpointEntry& entry, const char* expected) {
  throw Error(ErrorKind::input,
              "checkpoint entry '" + entry.name + "': expected " + expected + ", found " +
                  kind_of(entry.value) +
                  "; was the file written by another version of Drover?",
              {"", -1, entry.name, -1, ""});
}

template <typename T>
const T& as(const CheckpointEntry& entry, const char* expected) {
  const T* value = std::get_if<T>(&entry.value);
  if (value == nullptr) wrong_kind(entry, expected);
  return *value;
}

template <typename T>
T single(const CheckpointEntry& entry, const std::vector<T>& values) {
  if (values.size() != 1)
    throw Error(ErrorKind::input,
                "checkpoint entry '" + entry.name + "': expected one number, found " +
                    std::to_string(values.size()),
                {"", -1, entry.name, -1, ""});
  return values.front();
}

}  // namespace

void Checkpoint::add(CheckpointEntry entry) {
  if (entry.name.empty())
    throw Error(ErrorKind::logic, "a checkpoint entry needs a name");
  if (contains(entry.name))
    throw Error(ErrorKind::logic,
                "checkpoint entry '" + entry.name + "' was added before");
  std::int64_t product = 1;
  for (std::int64_t extent : entry.shape) product *= extent;
  if (product < 0 || static_cast<std::size_t>(product) != count_of(entry.value))
    throw Error(ErrorKind::logic, "checkpoint entry '" + entry.name +
                                      "': its shape holds " + std::to_string(product) +
                                      " values, given were " +
                                      std::to_string(count_of(entry.value)));
  if (const auto* text = std::get_if<std::string>(&entry.value))
    refuse_nul(entry.name, *text);
  if (const auto* words = std::get_if<std::vector<std::string>>(&entry.value))
    for (const std::string& word : *words) refuse_nul(entry.name, word);
  entries_.push_back(std::move(entry));
}

void Checkpoint::add(std::string name, double value, std::string unit) {
  add(CheckpointEntry{std::move(name), std::vector<double>{value}, {}, std::move(unit)});
}

void Checkpoint::add(std::string name, std::int64_t value, std::string unit) {
  add(CheckpointEntry{
      std::move(name), std::vector<std::int64_t>{value}, {}, std::move(unit)});
}

void Checkpoint::add(std::string name, std::string text) {
  add(CheckpointEntry{std::move(name), std::move(text), {}, {}});
}

void Checkpoint::add(std::string name, std::vector<double> values,
                     std::vector<std::int64_t> shape, std::string unit) {
  add(CheckpointEntry{std::move(name), std::move(values), std::move(shape),
                      std::move(unit)});
}

void Checkpoint::add(std::string name, std::vector<double> values) {
  std::vector<std::int64_t> shape = list_shape(values.size());
  add(std::move(name), std::move(values), std::move(shape));
}

void Checkpoint::add(std::string name, std::vector<std::int64_t> values,
                     std::vector<std::int64_t> shape, std::string unit) {
  add(CheckpointEntry{std::move(name), std::move(values), std::move(shape),
                      std::move(unit)});
}

void Checkpoint::add(std::string name, std::vector<std::int64_t> values) {
  std::vector<std::int64_t> shape = list_shape(values.size());
  add(std::move(name), std::move(values), std::move(shape));
}

void Checkpoint::add(std::string name, std::vector<std::string> words) {
  std::vector<std::int64_t> shape = list_shape(words.size());
  add(CheckpointEntry{std::move(name), std::move(words), std::move(shape), {}});
}

void Checkpoint::add_bits(std::string name, std::uint64_t value) {
  add(std::move(name), static_cast<std::int64_t>(value));
}

const CheckpointEntry* Checkpoint::find(std::string_view name) const {
  for (const CheckpointEntry& entry : entries_)
    if (entry.name == name) return &entry;
  return nullptr;
}

const CheckpointEntry& Checkpoint::at(std::string_view name) const {
  const CheckpointEntry* entry = find(name);
  if (entry == nullptr)
    throw Error(ErrorKind::input,
                "checkpoint entry '" + std::string(name) +
                    "' is missing; was the file written by another version of Drover?",
                {"", -1, std::string(name), -1, ""});
  return *entry;
}

const std::vector<double>& Checkpoint::reals(std::string_view name) const {
  return as<std::vector<double>>(at(name), "real numbers");
}

const std::vector<std::int64_t>& Checkpoint::integers(std::string_view name) const {
  return as<std::vector<std::int64_t>>(at(name), "whole numbers");
}

const std::string& Checkpoint::text(std::string_view name) const {
  return as<std::string>(at(name), "a text");
}

const std::vector<std::string>& Checkpoint::words(std::string_view name) const {
  return as<std::vector<std::string>>(at(name), "a list of texts");
}

double Checkpoint::real(std::string_view name) const {
  return single(at(name), reals(name));
}

std::int64_t Checkpoint::integer(std::string_view name) const {
  return single(at(name), integers(name));
}

std::uint64_t Checkpoint::bits(std::string_view name) const {
  return static_cast<std::uint64_t>(integer(name));
}

}  // namespace drover
