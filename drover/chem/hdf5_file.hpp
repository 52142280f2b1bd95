// Reads numbers and texts from HDF5 files of other programs (HDF5's C library behind it).
//
// Every failure is an Error (input) that names the file and the object; sizes are checked
// before memory is taken. Names are paths such as "scf/mo_coeff".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drover {

class Hdf5File {
 public:
  // Opens for reading; throws when the file is no HDF5 file or damaged.
  explicit Hdf5File(const std::string& path);
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;
  ~Hdf5File();

  const std::string& path() const { return path_; }
  // Whether a group or a data set of that name is there.
  bool has(const std::string& name) const;
  // Names of what lies in a group, in alphabetical order.
  std::vector<std::string> members(const std::string& group) const;

  // A data set of integers or reals, row-major, every number finite; its extents in
  // `shape` where asked. Throws when it is missing or of another type (complex numbers,
  // say).
  std::vector<double> numbers(const std::string& name,
                              std::vector<std::size_t>* shape = nullptr) const;
  std::vector<std::int64_t> integers(const std::string& name,
                                     std::vector<std::size_t>* shape = nullptr) const;
  std::string text(const std::string& name) const;  // of one string

  bool has_attribute(const std::string& group, const std::string& name) const;
  double number_attribute(const std::string& group, const std::string& name) const;
  std::string text_attribute(const std::string& group, const std::string& name) const;

 private:
  std::string path_;
  std::int64_t file_ = -1;  // an hid_t; the header of HDF5 stays out of this one
};

// Whether the file begins as HDF5 files do.
bool is_hdf5(const std::string& path);

}  // namespace drover
