"""Optimisations by the program: the same bits for every instruction set and lane count,
and input that no optimisation can follow ends with exit code 2 and the key's name."""

import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["DROVER_PROGRAM"]
WAVE_FUNCTION = os.path.join(
    os.environ["DROVER_SOURCE_DIR"], "tests", "data", "molden", "LiH_3.015_cc-pvdz.molden"
)
SMALL = [
    "sampling.sweeps=1", "sampling.equilibration=5",
    "optimise.steps=2", "optimise.reference_steps=1", "optimise.sweeps=1",
    "optimise.samples=1", "measure.steps=2",
]


def run(settings, **environment):
    with tempfile.TemporaryDirectory() as folder:
        command = [PROGRAM, "run", WAVE_FUNCTION, "--json", "--devices", "2",
                   "--out", os.path.join(folder, "run")]
        if not any(setting.startswith("sampling.walkers") for setting in settings):
            settings = ["sampling.walkers=100"] + settings
        for setting in SMALL + settings:
            command += ["--set", setting]
        return subprocess.run(command, capture_output=True, text=True, timeout=100,
                              env={**os.environ, **environment})


def forced_kernels():
    """Instruction sets and lanes that this CPU has."""
    found = []
    for isa, lanes in (("v3", "2"), ("v3", "4"), ("v4", "4"), ("v4", "8")):
        forced = {"DROVER_ISA": isa, "DROVER_LANES": lanes}
        devices = subprocess.run([PROGRAM, "devices"], capture_output=True, text=True,
                                 timeout=60, env={**os.environ, **forced})
        if devices.returncode == 0:
            found.append(forced)
    return found


class Optimisation(unittest.TestCase):
    def test_every_lane_count_gives_the_same_bits(self):
        kernels = forced_kernels()
        self.assertGreaterEqual(len(kernels), 2)
        for method in ("sr-cg", "min-sr", "adam", "linear"):
            bits = set()
            for forced in kernels:
                done = run([f"optimise.method={method}", "optimise.updates=2"], **forced)
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads(done.stdout)
                bits.add((result["energy_bits"], result["state_digest"]))
            self.assertEqual(len(bits), 1, method)

    def test_what_cannot_be_followed_is_refused_by_name(self):
        cases = {
            "optimise.objective=variance": (
                ["optimise.method=linear"],
                ["optimise.method", 'those are "auto", "adam", "gauss-newton"'],
            ),
            "optimise.beta2=0.5": ([], ["--set optimise.beta2=0.5", "does not use it"]),
            'optimise.freeze=["boys-handi.*"]': (
                [], ["optimise.freeze", 'the nearest is "boys-handy.'],
            ),
            "sampling.walkers=20000": (
                ["optimise.method=min-sr"], ["N = 20000, above 16384"],
            ),
            "optimise.freeze=all": ([], ['write a list: ["all"]']),
            "optimise.momentum=1": ([], ["optimise.momentum", "from 0 and below 1"]),
            "optimise.method=adan": ([], ['did you mean "adam"?']),
        }
        for setting, (more, words) in cases.items():
            done = run([setting] + more)
            self.assertEqual(done.returncode, 2, setting)
            message = json.loads(done.stdout)["message"]
            for word in words:
                self.assertIn(word, message)


if __name__ == "__main__":
    unittest.main()
