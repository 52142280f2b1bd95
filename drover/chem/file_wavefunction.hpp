// A one-determinant wave function as a file tells it: the basis and the occupied orbitals
// in the file's own order and normalisation. Every reader fills one; import_molecule
// turns it into a Molecule after the proof.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "drover/chem/molecule.hpp"
#include "drover/core/error.hpp"

namespace drover {

// Order of the functions of a shell.
//            l = 1 (p)   spherical l >= 2       Cartesian l >= 2
//   molden   x, y, z     m = 0, +1, -1, +2, ..  xx, yy, zz, xy, xz, yz and its like for f
//   and g pyscf    x, y, z     m = -l, ..., l         alphabetical: xx, xy, xz, yy, yz,
//   zz trexio   m = 0,+1,-1 (spherical) or x,y,z   m = 0, +1, -1, ...; alphabetical
enum class FunctionOrder { molden, pyscf, trexio };

struct FileShell {
  int atom = 0;
  int l = 0;
  bool spherical = false;         // no meaning for l < 2, except in TREXIO's order of p
  std::vector<double> exponents;  // 1/bohr^2
  std::vector<double> coefficients;  // as the file means them

  int functions() const { return spherical ? 2 * l + 1 : (l + 1) * (l + 2) / 2; }
};

// As many empty orbitals of a spin, evenly from all, are enough for the import proof.
inline constexpr std::size_t most_proof_orbitals = 128;

// Which empty orbitals a reader keeps: all for excitations; some where only the proof
// wants them, for all may take a lot of memory.
enum class KeepEmpty { none, some, all };

// Orbitals of one spin, each [function in the file's order], counted from 1 as they stand
// in the file.
struct FileSpin {
  std::vector<std::vector<double>> occupied;
  std::vector<int> numbers;                  // of the occupied ones
  std::map<int, std::vector<double>> empty;  // number -> orbital
  KeepEmpty keep_empty = KeepEmpty::none;
  int stride = 1, seen = 0;  // every stride-th empty orbital is kept

  void add(int number, bool holds_electron, std::vector<double> orbital);
};

struct FileWavefunction {
  std::string path;
  std::string format;  // "Molden", "PySCF checkpoint", "TREXIO"
  FunctionOrder order = FunctionOrder::molden;
  std::vector<Atom> atoms;
  std::vector<FileShell> shells;
  FileSpin up, down;
  std::optional<double> energy;    // hartree
  std::optional<int> charge;       // of the molecule, where the file states it
  std::vector<std::string> notes;  // for the user
  std::string hint;                // what may be wrong should the proof fail

  int functions() const;
};

// Where the file has function `internal` of a shell (our order, see molecule.hpp),
// counted from the shell's first. Throws Error (logic) for Cartesian l > 4 in Molden,
// which names no order.
int file_position(FunctionOrder order, int l, bool spherical, int internal);

// 0, 1 or 2 electrons in an orbital; throws Error (input) for anything else, since a
// fractional occupation belongs to several determinants. `orbital` counts from 1.
int whole_occupation(const std::string& path, int line, int orbital, double occupation);

// The refusal of a periodic system; `found` is what in the file says so.
Error periodic_system(const std::string& path, int line, const std::string& found);

// Proves the import (conventions.hpp) and converts: checks the electrons against the
// nuclear charges and the `charge` given by the user, if any. Throws Error (input).
Molecule import_molecule(const FileWavefunction& file, std::optional<int> charge);

}  // namespace drover
