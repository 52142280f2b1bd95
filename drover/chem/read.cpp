// Reads a wave function from a file of another program (see read.hpp).
#include "drover/chem/read.hpp"

#include <filesystem>

#include "drover/chem/excitations.hpp"
#include "drover/chem/hdf5_file.hpp"
#include "drover/chem/molden.hpp"
#include "drover/chem/pyscf_checkpoint.hpp"
#include "drover/chem/text.hpp"
#include "drover/chem/trexio.hpp"

namespace drover {

namespace {

FileWavefunction read_hdf5(const std::string& path, KeepEmpty keep_empty) {
  const Hdf5File file(path);
  if (file.has("mol")) return read_pyscf_checkpoint(file, keep_empty);
  if (file.has("nucleus")) return read_trexio(load_trexio(file), keep_empty);
  throw complain(
      path, -1,
      {"unknown kind of HDF5 file",
       "'mol' (a PySCF checkpoint) or 'nucleus' (TREXIO) in it", "neither",
       "Give a file with a wave function; a run's own files are for drover resume."});
}

Molecule finish(FileWavefunction file, const ReadOptions& options) {
  excite(file, options.excite);
  return import_molecule(file, options.charge);
}

}  // namespace

Molecule read_wavefunction(const std::string& path, const ReadOptions& options) {
  std::error_code code;
  const KeepEmpty empty = options.excite.empty() ? KeepEmpty::none : KeepEmpty::all;
  if (is_trexio_directory(path))
    return finish(read_trexio(load_trexio_directory(path), empty), options);
  // Only a regular file is opened: a pipe could block.
  if (std::filesystem::is_regular_file(path, code) && is_hdf5(path))
    return finish(read_hdf5(path, empty), options);
  const std::string text = read_text_file(path);
  if (looks_like_molden(text))
    return finish(read_molden(path, text,
                              options.excite.empty() ? KeepEmpty::some : KeepEmpty::all),
                  options);
  throw complain(
      path, -1,
      {"unknown kind of file", "a Molden file, a TREXIO file or a PySCF checkpoint",
       "a file that begins with " + shown(text),
       "Write one of these from your program (psi4.molden, "
       "pyscf.tools.molden.from_scf, mf.chkfile, trexio)."});
}

}  // namespace drover
