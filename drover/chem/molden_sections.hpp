// The sections of a Molden file, each read by its own function (used by molden.cpp only).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drover/chem/file_wavefunction.hpp"
#include "drover/chem/text.hpp"

namespace drover::molden {

// Walks through the lines of a text; lines count from 1 and end as Unix, Windows or an
// old Macintosh ends them.
class Cursor {
 public:
  Cursor(std::string path, std::string_view text) : path_(std::move(path)), text_(text) {}

  // Goes to the next line; false at the end.
  bool next();
  // The next line that is not blank, unless it begins a section or the file ends: then
  // false and nothing is consumed but blanks.
  bool next_in_section();
  std::string_view line() const { return line_; }  // without blanks at its ends
  int number() const { return number_; }
  Error complaint(const Complaint& complaint) const {
    return complain(path_, number_, complaint);
  }
  const std::string& path() const { return path_; }

 private:
  std::size_t line_end() const;

  std::string path_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view line_;
  int number_ = 0;
};

struct AtomLine {
  Atom atom;
  int index = 0;  // the file's own number, to which [GTO] refers
  int line = 0;
};

struct ShellLines {
  FileShell shell;  // atom still the file's number; spherical not yet known
  int line = 0;
};

struct Orbital {
  bool beta = false;
  std::optional<double> occupation;
  std::vector<std::pair<int, double>> coefficients;  // (index from 1, value), rising
  int largest_index = 0;
  int line = 0;
};

// `scale` is bohr per unit of the file.
std::vector<AtomLine> read_atoms(Cursor& cursor, double scale);
std::vector<ShellLines> read_shells(Cursor& cursor);
// Appends.
void read_orbitals(Cursor& cursor, std::vector<Orbital>& orbitals);

}  // namespace drover::molden
