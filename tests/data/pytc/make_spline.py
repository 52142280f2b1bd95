#!/usr/bin/env python3
"""Makes spline.json of each system: knots and samples of the cubic splines that pytc 0.2.1 puts in
the place of its s orbitals (NuclearCusp), to the last bit. Needs NumPy and PySCF (PyPI).

The orbital is the first s function of the element's cc-pVDZ basis, as PySCF evaluates it at
(x, 0, 0). The 1000 knots between 1e-8 and 1.5 bohr are those of jax.numpy.linspace, which XLA turns
into first (1 - k w) + k (last w) with w = 1/999 rounded; where its optimisation was on (the numbers
of Be), with one fused multiply-add. NumPy's knots differ in their last bits, which the spline's
third derivatives magnify by 3e8.

  tests/data/pytc/make_spline.py
"""

import json
import pathlib
from fractions import Fraction

import numpy
from pyscf import gto

FOLDER = pathlib.Path(__file__).resolve().parent
FIRST, LAST, COUNT = 1e-8, 1.5, 1000
SYSTEMS = {"Be_cc-pvdz": ("Be", True), "LiH_cc-pvdz": ("H Li", False),
           "H2O_cc-pvdz": ("H O", False)}


def knot(k, fused):
    if k == COUNT - 1:
        return LAST
    w = 1.0 / (COUNT - 1)
    start, slope = FIRST * (1.0 - k * w), LAST * w
    return float(Fraction(k) * Fraction(slope) + Fraction(start)) if fused else start + k * slope


def samples(element, knots):
    atom = gto.M(atom=f"{element} 0 0 0", basis="cc-pvdz", spin=None, verbose=0)
    points = numpy.zeros((len(knots), 3))
    points[:, 0] = knots
    return atom.eval_gto("GTOval_sph", points)[:, 0].tolist()


def main():
    for system, (elements, fused) in SYSTEMS.items():
        knots = [knot(k, fused) for k in range(COUNT)]
        splines = {str(gto.charge(e)): samples(e, knots) for e in elements.split()}
        path = FOLDER / system / "spline.json"
        path.write_text(json.dumps({"knots": knots, "samples": splines}) + "\n")


if __name__ == "__main__":
    main()
