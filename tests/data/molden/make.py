#!/usr/bin/env python3
"""Makes the Molden files of this folder that PySCF wrote, and their lines of reference.json.

The chain of ten hydrogen atoms is the many-electron benchmark of Motta and others, Phys. Rev. X 7,
031059 (2017), at 1.8 bohr; triplet H2 has no electron of one spin. Needs PySCF (PyPI); the other
files come from Psi4.

  tests/data/molden/make.py
"""

import json
import pathlib

from pyscf import gto, scf
from pyscf.tools import molden

FOLDER = pathlib.Path(__file__).resolve().parent
SYSTEMS = {
    "H10_1.8_sto-6g.molden": ([("H", (0, 0, 1.8 * (k - 4.5))) for k in range(10)], "sto-6g", 0),
    "H2_triplet_cc-pvdz.molden": ([("H", (0, 0, -1)), ("H", (0, 0, 1))], "cc-pvdz", 2),
}


def main():
    path = FOLDER / "reference.json"
    reference = json.loads(path.read_text())
    for name, (atoms, basis, spin) in SYSTEMS.items():
        molecule = gto.M(atom=atoms, basis=basis, spin=spin, unit="bohr", verbose=0)
        field = scf.UHF(molecule) if spin else scf.RHF(molecule)
        field.conv_tol = 1e-13
        energy = field.kernel()
        density = field.make_rdm1()
        if spin:
            density = density[0] + density[1]
        kinetic = float((molecule.intor("int1e_kin") * density).sum())
        nuclear = float((molecule.intor("int1e_nuc") * density).sum())
        repulsion = float(molecule.energy_nuc())
        up, down = molecule.nelec
        molden.from_scf(field, FOLDER / name)
        reference[name] = {"ref": "uhf" if spin else "rhf", "nalpha": up, "nbeta": down,
                           "nbf": molecule.nao, "E": float(energy), "T": kinetic, "Vne": nuclear,
                           "Vee": float(energy) - kinetic - nuclear - repulsion,
                           "Vnn": repulsion, "note": f"PySCF, {pathlib.Path(__file__).name}"}
    path.write_text(json.dumps(reference, indent=1) + "\n")


if __name__ == "__main__":
    main()
