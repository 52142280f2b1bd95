// A Checkpoint as an HDF5 file: a data set per entry under its own name, its unit as the
// attribute "unit", its place in the order as "number".
//
// HDF5 never touches the disk here: the file is made in memory and written whole
// (whole_file.hpp), so that a full disk or a kill cannot leave half a file. Behind the
// HDF5 data, where its readers do not look, stand 32 bytes: the words "drover file hash",
// the length before them and a 64-bit hash of all that, little-endian. A file whose hash
// does not agree is refused before HDF5 sees it, so no damage can crash the reader or
// pass for data.
#pragma once

#include <string>

#include "drover/vmc/checkpoint.hpp"

namespace drover::app {

// Error(system) when it cannot be written; an earlier file is left as it was then.
void write_hdf5_file(const std::string& path, const Checkpoint& contents);

// Error(input) for a file that is missing, truncated, damaged or not written by Drover.
Checkpoint read_hdf5_file(const std::string& path);

}  // namespace drover::app
