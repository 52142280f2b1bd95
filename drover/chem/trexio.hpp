// Reader of TREXIO files, HDF5 or text back end. trex-coe.github.io/trexio/trex.html
//
// A function is  N'_i P(r) N_s r^n sum_k f_ks a_ks exp(-gamma_ks r^2)  with P a real
// solid harmonic (m = 0, +1, -1, ...; p is z, x, y) or a monomial (alphabetical): the
// product of all four factors is kept and nothing renormalised. The determinant follows
// from occupations and spins, or from a determinant group that holds a single one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "drover/chem/file_wavefunction.hpp"
#include "drover/chem/hdf5_file.hpp"

namespace drover {

// What the reader needs of a file, by TREXIO's own names ("mo_coefficient"); absent if
// not there.
struct TrexioFields {
  std::string path;
  std::map<std::string, double> scalars;
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<double>> arrays;
  std::vector<std::int64_t> determinant_list;  // only where there is one determinant
};

TrexioFields load_trexio(const Hdf5File& file);
// Whether the directory is one of the text back end.
bool is_trexio_directory(const std::string& path);
TrexioFields load_trexio_directory(const std::string& path);

// Throws Error (input): missing or inconsistent fields, effective core potentials,
// several determinants, complex or periodic wave functions, a radial power r^n, other
// than Gaussians.
FileWavefunction read_trexio(const TrexioFields& fields,
                             KeepEmpty keep_empty = KeepEmpty::none);

}  // namespace drover
