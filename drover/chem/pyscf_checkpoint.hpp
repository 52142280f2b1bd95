// Reader of PySCF checkpoints (mf.chkfile): `mol`, a JSON string with libcint's tables,
// and scf/mo_coeff [ao][mo], scf/mo_occ, scf/e_tot; UHF has a leading axis of 2.
//
// A function is  Y_lm(r) sum_k c_k exp(-a_k r^2)  with c_k as in `_env` and Y_lm
// normalised on the sphere (sqrt((2l+1)/4pi) times Racah's); a Cartesian one of l >= 2 is
// x^i y^j z^k with factor 1 and has no unit norm.
#pragma once

#include "drover/chem/file_wavefunction.hpp"
#include "drover/chem/hdf5_file.hpp"

namespace drover {

// Throws Error (input): damaged content, effective core potentials, finite nuclei,
// fractional occupations, complex or k-point orbitals, no scf group.
FileWavefunction read_pyscf_checkpoint(const Hdf5File& file,
                                       KeepEmpty keep_empty = KeepEmpty::none);

}  // namespace drover
