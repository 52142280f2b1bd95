// Reads numbers and texts from HDF5 files of other programs (see hdf5_file.hpp).
#include "drover/chem/hdf5_file.hpp"

#include <hdf5.h>

#include <cmath>
#include <fstream>
#include <utility>

#include "drover/chem/text.hpp"

namespace drover {

namespace {

constexpr std::uint64_t most_elements = std::uint64_t{1} << 28;
constexpr std::uint64_t most_characters = std::uint64_t{1} << 26;
// HDF5 takes memory by the size that a type claims, and no number is longer than a
// quadruple.
constexpr std::size_t most_number_bytes = 16;

// Keeps HDF5 from printing its error stack while it lives.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// An identifier with the function that closes it.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

Error bad(const std::string& path, const std::string& name, const std::string& expected,
          const std::string& found) {
  Error error =
      complain(path, -1,
               {"bad object '" + name + "' in the HDF5 file", expected, found,
                "The file is damaged, incomplete or of another kind; write it again."});
  return error;
}

// Number of elements of a data space; its extents in `shape`.
std::uint64_t elements(hid_t space, std::vector<std::size_t>* shape) {
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0 || rank > 8) return most_elements + 1;
  hsize_t extents[8] = {};
  H5Sget_simple_extent_dims(space, extents, nullptr);
  std::uint64_t product = 1;
  for (int d = 0; d < rank; ++d) {
    if (extents[d] > most_elements) return most_elements + 1;
    product *= extents[d];
    if (product > most_elements) return most_elements + 1;
  }
  if (shape) shape->assign(extents, extents + rank);
  return H5Sget_simple_extent_type(space) == H5S_NULL ? 0 : product;
}

std::uint64_t little_endian(const std::string& bytes, std::size_t at, int size) {
  std::uint64_t value = 0;
  for (int i = size - 1; i >= 0; --i)
    value =
        value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}

// Whether the objects of a global heap collection ("GCOL", version, size, then objects of
// index, count, size and data, index 0 being free space) fill it exactly, and `wanted` is
// there with `length` characters.
bool is_sound_heap(const std::string& heap, std::uint64_t wanted, std::uint64_t length) {
  constexpr std::size_t header = 16;
  bool found = false;
  for (std::size_t at = header; at + header <= heap.size();) {
    const std::uint64_t index = little_endian(heap, at, 2);
    const std::uint64_t size = little_endian(heap, at + 8, 8);
    if (size > heap.size()) return false;
    const std::uint64_t needed = index == 0 ? size : header + (size + 7) / 8 * 8;
    if (needed < header || needed > heap.size() - at) return false;
    found = found || (index == wanted && index != 0 && size >= length);
    at += static_cast<std::size_t>(needed);
  }
  return found;
}

// HDF5 1.10 keeps strings of variable length in global heaps and trusts what stands
// there: a damaged heap makes it crash or loop without end. So a string's reference
// (length, address of the heap, index in it) and its heap are looked at first.
void check_heap(const std::string& path, const std::string& name, haddr_t offset) {
  // Not in one piece in the file: nothing is known to write it so.
  if (offset == HADDR_UNDEF) return;
  std::ifstream stream(path, std::ios::binary);
  auto read = [&](std::uint64_t at, std::uint64_t size) {
    std::string bytes(static_cast<std::size_t>(size), '\0');
    stream.clear();
    stream.seekg(static_cast<std::streamoff>(at));
    stream.read(bytes.data(), static_cast<std::streamsize>(size));
    return stream.gcount() == static_cast<std::streamsize>(size) ? bytes : std::string();
  };
  constexpr std::uint64_t header = 16, most_offset = std::uint64_t{1} << 62;
  const std::string reference = read(offset, header);
  bool sound = reference.size() == header;
  const std::uint64_t address = sound ? little_endian(reference, 4, 8) : most_offset;
  std::string heap = address < most_offset ? read(address, header) : std::string();
  const std::uint64_t size = heap.size() == header ? little_endian(heap, 8, 8) : 0;
  sound = heap.compare(0, 5, "GCOL\1") == 0 && size >= header && size <= most_characters;
  if (sound) {
    heap = read(address, size);
    sound = heap.size() == size && is_sound_heap(heap, little_endian(reference, 12, 4),
                                                 little_endian(reference, 0, 4));
  }
  if (!sound) throw bad(path, name, "one string", "a reference to text that is damaged");
}

// One string out of a data set or an attribute.
template <class Read>
std::string read_string(const std::string& path, const std::string& name, hid_t type,
                        hid_t space, Read read) {
  if (H5Tget_class(type) != H5T_STRING || elements(space, nullptr) != 1)
    throw bad(path, name, "one string", "something else");
  if (H5Tis_variable_str(type) > 0) {
    // HDF5 multiplies the length by the size that the file claims for a character.
    const Handle character(H5Tget_super(type), H5Tclose);
    if (!character || H5Tget_size(character.get()) != 1)
      throw bad(path, name, "one string", "one with characters of more than a byte");
    char* text = nullptr;
    const Handle memory(H5Tcopy(type), H5Tclose);
    if (read(memory.get(), &text) < 0 || !text)
      throw bad(path, name, "one string", "a string that cannot be read");
    std::string out(text);
    H5Dvlen_reclaim(memory.get(), space, H5P_DEFAULT, &text);
    return out;
  }
  const std::size_t size = H5Tget_size(type);
  if (size == 0 || size > most_characters)
    throw bad(path, name, "one string", "one of bad length");
  std::string out(size, '\0');
  if (read(type, out.data()) < 0)
    throw bad(path, name, "one string", "a string that cannot be read");
  return out.substr(0, out.find('\0'));
}

template <class T>
std::vector<T> read_array(const std::string& path, hid_t file, const std::string& name,
                          bool integral, hid_t memory_type,
                          std::vector<std::size_t>* shape) {
  const Quiet quiet;
  const Handle set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set) throw bad(path, name, "a data set", "none");
  const Handle type(H5Dget_type(set.get()), H5Tclose);
  const Handle space(H5Dget_space(set.get()), H5Sclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_INTEGER && (integral || kind != H5T_FLOAT))
    throw bad(path, name, integral ? "integers" : "real numbers",
              kind == H5T_COMPOUND ? "compound values, perhaps complex numbers"
                                   : "values of another type");
  if (const std::size_t size = H5Tget_size(type.get()); size > most_number_bytes)
    throw bad(path, name, "numbers of at most 16 bytes", std::to_string(size) + " bytes");
  const std::uint64_t count = elements(space.get(), shape);
  if (count > most_elements) throw bad(path, name, "at most 2^28 numbers", "more");
  // No file is compressed a thousandfold: a damaged size must not take the machine's
  // memory.
  hsize_t bytes = 0;
  if (H5Fget_filesize(file, &bytes) < 0 || count > 128 * bytes)
    throw bad(path, name, "numbers that fit into the file",
              std::to_string(count) + " of them");
  std::vector<T> out(static_cast<std::size_t>(count));
  if (count > 0 &&
      H5Dread(set.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()) < 0)
    throw bad(path, name, "numbers", "data that cannot be read");
  return out;
}

}  // namespace

bool is_hdf5(const std::string& path) {
  const Quiet quiet;
  return H5Fis_hdf5(path.c_str()) > 0;
}

Hdf5File::Hdf5File(const std::string& path) : path_(path) {
  const Quiet quiet;
  file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file_ < 0)
    throw complain(
        path, -1,
        {"cannot open the HDF5 file", "a complete HDF5 file", "one that HDF5 refuses",
         "It is truncated, or another program is still writing to it."});
}

Hdf5File::~Hdf5File() {
  const Quiet quiet;
  H5Fclose(file_);
}

bool Hdf5File::has(const std::string& name) const {
  const Quiet quiet;
  // HDF5 wants every part of the path tested by itself.
  for (std::size_t at = 0; at != std::string::npos;) {
    at = name.find('/', at + 1);
    if (H5Lexists(file_, name.substr(0, at).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return H5Oexists_by_name(file_, name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Hdf5File::members(const std::string& group) const {
  const Quiet quiet;
  const Handle opened(H5Gopen2(file_, group.c_str(), H5P_DEFAULT), H5Gclose);
  if (!opened) throw bad(path_, group, "a group", "none");
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* to) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    return herr_t{0};
  };
  hsize_t at = 0;
  if (H5Literate(opened.get(), H5_INDEX_NAME, H5_ITER_INC, &at, collect, &names) < 0)
    throw bad(path_, group, "a group", "one that cannot be read");
  return names;
}

std::vector<double> Hdf5File::numbers(const std::string& name,
                                      std::vector<std::size_t>* shape) const {
  auto out = read_array<double>(path_, file_, name, false, H5T_NATIVE_DOUBLE, shape);
  for (double value : out)
    if (!std::isfinite(value)) throw bad(path_, name, "finite numbers", "nan or inf");
  return out;
}

std::vector<std::int64_t> Hdf5File::integers(const std::string& name,
                                             std::vector<std::size_t>* shape) const {
  return read_array<std::int64_t>(path_, file_, name, true, H5T_NATIVE_INT64, shape);
}

std::string Hdf5File::text(const std::string& name) const {
  const Quiet quiet;
  const Handle set(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set) throw bad(path_, name, "a data set", "none");
  const Handle type(H5Dget_type(set.get()), H5Tclose);
  const Handle space(H5Dget_space(set.get()), H5Sclose);
  if (H5Tis_variable_str(type.get()) > 0 && elements(space.get(), nullptr) == 1)
    check_heap(path_, name, H5Dget_offset(set.get()));
  return read_string(path_, name, type.get(), space.get(), [&](hid_t memory, void* to) {
    return H5Dread(set.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
  });
}

bool Hdf5File::has_attribute(const std::string& group, const std::string& name) const {
  const Quiet quiet;
  return has(group) &&
         H5Aexists_by_name(file_, group.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

double Hdf5File::number_attribute(const std::string& group,
                                  const std::string& name) const {
  const Quiet quiet;
  const std::string full = group + "@" + name;
  const Handle attribute(
      H5Aopen_by_name(file_, group.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (!attribute) throw bad(path_, full, "an attribute", "none");
  const Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const Handle space(H5Aget_space(attribute.get()), H5Sclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  double value = 0.0;
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) ||
      H5Tget_size(type.get()) > most_number_bytes ||
      elements(space.get(), nullptr) != 1 ||
      H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &value) < 0 || !std::isfinite(value))
    throw bad(path_, full, "one finite number", "something else");
  return value;
}

std::string Hdf5File::text_attribute(const std::string& group,
                                     const std::string& name) const {
  const Quiet quiet;
  const std::string full = group + "@" + name;
  const Handle attribute(
      H5Aopen_by_name(file_, group.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (!attribute) throw bad(path_, full, "an attribute", "none");
  const Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const Handle space(H5Aget_space(attribute.get()), H5Sclose);
  return read_string(path_, full, type.get(), space.get(), [&](hid_t memory, void* to) {
    return H5Aread(attribute.get(), memory, to);
  });
}

}  // namespace drover
