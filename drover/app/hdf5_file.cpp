#include "drover/app/hdf5_file.hpp"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "drover/app/whole_file.hpp"
#include "drover/core/error.hpp"

namespace drover::app {
namespace {

constexpr std::string_view hash_words = "drover file hash";
constexpr std::size_t trailer_bytes = 32;

std::uint64_t mix(std::uint64_t x) {  // splitmix64's finaliser
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t word_at(const char* bytes, std::size_t count) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i)
    word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return word;
}

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = mix(bytes.size() + 0x9e3779b97f4a7c15u);
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    if constexpr (std::endian::native == std::endian::little)
      std::memcpy(&word, bytes.data() + i, 8);
    else
      word = word_at(bytes.data() + i, 8);
    hash = mix(hash ^ word) + 0x9e3779b97f4a7c15u;
  }
  return mix(hash ^ word_at(bytes.data() + i, bytes.size() - i));
}

std::string little_endian(std::uint64_t word) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>((word >> (8 * i)) & 0xff);
  return bytes;
}

// The library keeps global state and is not built for threads.
std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

// An identifier of HDF5, released by the function that its kind needs.
class Handle {
 public:
  Handle(hid_t id, herr_t (*release)(hid_t), const std::string& doing)
      : id_(id), release_(release) {
    if (id_ < 0)
      throw Error(ErrorKind::system, "HDF5 failed while " + doing + " (out of memory?)");
  }
  ~Handle() { release_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*release_)(hid_t);
};

void check(herr_t code, const std::string& doing) {
  if (code < 0)
    throw Error(ErrorKind::system, "HDF5 failed while " + doing + " (out of memory?)");
}

// File access in memory alone: nothing named so ever appears on the disk.
constexpr const char* memory_name = "drover, in memory";
constexpr std::size_t memory_growth = 1 << 20;

void write_attribute(hid_t dataset, const char* name, const std::string& text) {
  const std::string doing = "writing an attribute";
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, doing);
  check(H5Tset_size(type, text.size()), doing);
  check(H5Tset_cset(type, H5T_CSET_UTF8), doing);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, doing);
  const Handle attribute(H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose, doing);
  check(H5Awrite(attribute, type, text.data()), doing);
}

void write_number(hid_t dataset, std::int64_t number) {
  const std::string doing = "writing an attribute";
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, doing);
  const Handle attribute(
      H5Acreate2(dataset, "number", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose, doing);
  check(H5Awrite(attribute, H5T_NATIVE_INT64, &number), doing);
}

// The texts side by side, each filled up with NUL to the longest.
struct FixedTexts {
  std::size_t width = 1;
  std::string bytes;
};

FixedTexts fixed_texts(const std::vector<std::string>& texts) {
  FixedTexts fixed;
  for (const std::string& text : texts) fixed.width = std::max(fixed.width, text.size());
  for (const std::string& text : texts) {
    fixed.bytes += text;
    fixed.bytes.append(fixed.width - text.size(), '\0');
  }
  return fixed;
}

void write_entry(hid_t file, const CheckpointEntry& entry, std::int64_t number) {
  const std::string doing = "writing '" + entry.name + "'";
  std::vector<hsize_t> extents;
  for (const std::int64_t extent : entry.shape)
    extents.push_back(static_cast<hsize_t>(extent));
  const Handle space(extents.empty() ? H5Screate(H5S_SCALAR)
                                     : H5Screate_simple(static_cast<int>(extents.size()),
                                                        extents.data(), nullptr),
                     H5Sclose, doing);
  const Handle link(H5Pcreate(H5P_LINK_CREATE), H5Pclose, doing);
  check(H5Pset_create_intermediate_group(link, 1), doing);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, doing);
  check(H5Pset_obj_track_times(creation, false), doing);  // the same bytes every time

  const auto write = [&](hid_t stored, hid_t given, const void* data, bool empty) {
    const Handle dataset(
        H5Dcreate2(file, entry.name.c_str(), stored, space, link, creation, H5P_DEFAULT),
        H5Dclose, doing);
    if (!empty)
      check(H5Dwrite(dataset, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), doing);
    write_number(dataset, number);
    if (!entry.unit.empty()) write_attribute(dataset, "unit", entry.unit);
  };
  if (const auto* reals = std::get_if<std::vector<double>>(&entry.value)) {
    write(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, reals->data(), reals->empty());
  } else if (const auto* integers =
                 std::get_if<std::vector<std::int64_t>>(&entry.value)) {
    write(H5T_STD_I64LE, H5T_NATIVE_INT64, integers->data(), integers->empty());
  } else {
    const auto* words = std::get_if<std::vector<std::string>>(&entry.value);
    const FixedTexts fixed = fixed_texts(
        words != nullptr ? *words
                         : std::vector<std::string>{std::get<std::string>(entry.value)});
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, doing);
    check(H5Tset_size(type, fixed.width), doing);
    check(H5Tset_cset(type, H5T_CSET_UTF8), doing);
    check(H5Tset_strpad(type, H5T_STR_NULLPAD), doing);
    write(type, type, fixed.bytes.data(), fixed.bytes.empty());
  }
}

std::string file_image(const Checkpoint& contents) {
  const std::string doing = "making a file in memory";
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, doing);
  check(H5Pset_fapl_core(access, memory_growth, false), doing);
  const Handle file(H5Fcreate(memory_name, H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose,
                    doing);
  std::int64_t number = 0;
  for (const CheckpointEntry& entry : contents.entries())
    write_entry(file, entry, number++);
  check(H5Fflush(file, H5F_SCOPE_GLOBAL), doing);
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  if (size <= 0) check(-1, doing);
  std::string image(static_cast<std::size_t>(size), '\0');
  if (H5Fget_file_image(file, image.data(), image.size()) != size) check(-1, doing);
  return image;
}

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::input, path + ": " + what, {path, -1, "", -1, ""});
}

extern "C" herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  // No exception may pass through the library; running out of memory ends the visit.
  try {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
  } catch (...) {
    return -1;
  }
}

std::string read_unit(hid_t dataset) {
  const std::string doing = "reading an attribute";
  const htri_t exists = H5Aexists(dataset, "unit");
  check(exists < 0 ? -1 : 0, doing);
  if (exists == 0) return "";
  const Handle attribute(H5Aopen(dataset, "unit", H5P_DEFAULT), H5Aclose, doing);
  const Handle type(H5Aget_type(attribute), H5Tclose, doing);
  std::string text(H5Tget_size(type), '\0');
  check(H5Aread(attribute, type, text.data()), doing);
  return text;
}

std::int64_t read_number(hid_t dataset) {
  const std::string doing = "reading an attribute";
  std::int64_t number = 0;
  const Handle attribute(H5Aopen(dataset, "number", H5P_DEFAULT), H5Aclose, doing);
  check(H5Aread(attribute, H5T_NATIVE_INT64, &number), doing);
  return number;
}

CheckpointEntry::Value read_texts(hid_t dataset, hid_t type, std::size_t count, bool one,
                                  const std::string& doing) {
  const std::size_t width = H5Tget_size(type);
  std::string bytes(width * count, '\0');
  if (count > 0)
    check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), doing);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text = bytes.substr(i * width, width);
    text.erase(text.find_last_not_of('\0') + 1);
    texts.push_back(std::move(text));
  }
  if (one) return texts.front();
  return texts;
}

CheckpointEntry read_entry(hid_t dataset, const std::string& name) {
  const std::string doing = "reading '" + name + "'";
  CheckpointEntry entry;
  entry.name = name;
  const Handle space(H5Dget_space(dataset), H5Sclose, doing);
  const int rank = H5Sget_simple_extent_ndims(space);
  check(rank < 0 ? -1 : 0, doing);
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  if (rank > 0)
    check(H5Sget_simple_extent_dims(space, extents.data(), nullptr) < 0 ? -1 : 0, doing);
  std::size_t count = 1;
  for (const hsize_t extent : extents) {
    entry.shape.push_back(static_cast<std::int64_t>(extent));
    count *= static_cast<std::size_t>(extent);
  }
  const Handle type(H5Dget_type(dataset), H5Tclose, doing);
  const auto read = [&](hid_t wanted, void* data) {
    if (count > 0)
      check(H5Dread(dataset, wanted, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), doing);
  };
  switch (H5Tget_class(type)) {
    case H5T_FLOAT: {
      std::vector<double> values(count);
      read(H5T_NATIVE_DOUBLE, values.data());
      entry.value = std::move(values);
      break;
    }
    case H5T_INTEGER: {
      std::vector<std::int64_t> values(count);
      read(H5T_NATIVE_INT64, values.data());
      entry.value = std::move(values);
      break;
    }
    case H5T_STRING:
      entry.value = read_texts(dataset, type, count, rank == 0, doing);
      break;
    default:
      check(-1, doing);
  }
  entry.unit = read_unit(dataset);
  return entry;
}

Checkpoint contents_of(std::vector<char>& image) {
  const std::string doing = "opening it";
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, doing);
  check(H5Pset_fapl_core(access, memory_growth, false), doing);
  check(H5Pset_file_image(access, image.data(), image.size()), doing);
  const Handle file(H5Fopen(memory_name, H5F_ACC_RDONLY, access), H5Fclose, doing);
  std::vector<std::string> names;
  check(H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, collect_name, &names), doing);
  std::vector<std::pair<std::int64_t, CheckpointEntry>> entries;
  for (const std::string& name : names) {
    const Handle object(H5Oopen(file, name.c_str(), H5P_DEFAULT), H5Oclose, doing);
    if (H5Iget_type(object) != H5I_DATASET) continue;
    entries.emplace_back(read_number(object), read_entry(object, name));
  }
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  Checkpoint contents;
  for (auto& [number, entry] : entries) contents.add(std::move(entry));
  return contents;
}

}  // namespace

void write_hdf5_file(const std::string& path, const Checkpoint& contents) {
  std::string image;
  {
    const std::lock_guard<std::mutex> lock(library_mutex());
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // what fails is told by our own errors
    image = file_image(contents);
  }
  const std::uint64_t length = image.size();
  image += hash_words;
  image += little_endian(length);
  image += little_endian(hash_of(std::string_view(image).substr(0, length)));
  write_whole_file(path, image);
}

Checkpoint read_hdf5_file(const std::string& path) {
  std::vector<char> bytes = read_whole_file(path);
  const std::string_view whole(bytes.data(), bytes.size());
  if (whole.size() < trailer_bytes ||
      whole.substr(whole.size() - trailer_bytes, hash_words.size()) != hash_words)
    refuse(path,
           "is not a file of Drover, or its end is missing or was changed by another "
           "program; restore it from a copy, or start the run again in another folder");
  const std::size_t length = whole.size() - trailer_bytes;
  const char* numbers = whole.data() + length + hash_words.size();
  if (word_at(numbers, 8) != length ||
      word_at(numbers + 8, 8) != hash_of(whole.substr(0, length)))
    refuse(
        path,
        "is damaged: its content does not agree with its hash; restore it from a copy, "
        "or start the run again in another folder");
  bytes.resize(length);
  const std::lock_guard<std::mutex> lock(library_mutex());
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  try {
    return contents_of(bytes);
  } catch (const Error& error) {
    refuse(path, std::string("cannot be read: ") + error.what());
  }
}

}  // namespace drover::app
