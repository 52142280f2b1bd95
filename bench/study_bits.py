#!/usr/bin/env python3
"""Are the bits the same on every machine shape? The whole matrix, by the program itself.

Lithium hydride, 20 steps of optimisation and a measurement, once for every number of devices a
rank, of ranks (mpirun), of walkers at a time and of lanes. Everything that a run tells must be
equal to the last bit: energy, error, every optimisation step with its energy, error and step
norm, all parameters, the digest of all walkers and parameters. Then two runs are killed
and taken up on other devices. Prints a table; exit code 1 where anything differs.

  bench/study_bits.py build/drover            the whole matrix
  bench/study_bits.py build/drover --quick    its corners
"""

import argparse
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
MOLECULE = ROOT / "tests/data/molden/LiH_3.015_cc-pvdz.molden"
# 500 walkers are eight tiles, the last not full; so "3 tiles" leaves a remainder.
KEYS = {"sampling.walkers": 500, "sampling.sweeps": 2, "sampling.equilibration": 20,
        "optimise.steps": 20, "optimise.reference_steps": 4, "optimise.sweeps": 2,
        "optimise.samples": 2, "measure.steps": 20}
# What may differ: where the run was and how long it took.
OF_THE_MACHINE = {"devices", "ranks", "collectives_per_step", "bytes_per_step", "seconds",
                  "seconds_to_first_step", "microseconds_per_walker_step", "folder",
                  "warnings"}
SECONDS_ALLOWED = 300


def settings(**more):
    words = []
    for key, value in {**KEYS, **more}.items():
        words += ["--set", f"{key}={value}"]
    return words


def launcher(ranks):
    if ranks == 1:
        return []
    return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]


def environment(lanes):
    return {**os.environ, "DROVER_LANES": str(lanes), "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_btl_base_warn_component_unused": "0"}


def without_machine(node):
    if isinstance(node, dict):
        return {key: without_machine(value) for key, value in node.items()
                if key not in OF_THE_MACHINE}
    if isinstance(node, list):
        return [without_machine(value) for value in node]
    return node


def result_of(words, lanes):
    answer = subprocess.run([str(word) for word in words], env=environment(lanes),
                            stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            timeout=SECONDS_ALLOWED)
    if answer.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))} ended with {answer.returncode}:\n"
                 f"{answer.stdout}{answer.stderr}")
    # Doubles are printed so that they read back exactly: equal texts are equal bits.
    return without_machine(json.loads(answer.stdout.strip().splitlines()[-1]))


def run(program, folder, devices, ranks, microbatch, lanes):
    out = folder / "run"
    shutil.rmtree(out, ignore_errors=True)
    more = {} if microbatch is None else {"run.microbatch": microbatch}
    return result_of([*launcher(ranks), program, "run", MOLECULE, "--json", "--out", out,
                      "--devices", devices, *settings(**more)], lanes)


def interrupted(words, out, lanes):
    """Whether a run could be killed in the middle of its optimisation; it may be too fast."""
    process = subprocess.Popen(words, env=environment(lanes), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    log = out / "log.txt"
    while not (log.is_file() and "objective=energy" in log.read_text()):
        if process.poll() is not None:
            return False
        time.sleep(0.002)
    # All ranks at once: mpirun would give them time to finish.
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str(out).encode() in (entry / "cmdline").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)
        except (OSError, ProcessLookupError):
            pass  # it has ended by itself
    process.wait(timeout=SECONDS_ALLOWED)
    return "finished" not in log.read_text()


def restarted(program, folder, before, after, lanes):
    """A run with `before` (devices, ranks), interrupted in the optimisation, then resumed."""
    out = folder / f"restart-{before[0]}-{before[1]}"
    words = [*launcher(before[1]), program, "run", MOLECULE, "--out", out, "--devices",
             before[0], *settings(**{"run.checkpoint": "0 s"})]
    for _ in range(20):
        if interrupted([str(word) for word in words], out, lanes):
            break
        shutil.rmtree(out)
    else:
        sys.exit("the run was always finished before it could be interrupted")
    return result_of([*launcher(after[1]), program, "resume", out, "--json", "--devices",
                      after[0]], lanes)


def lanes_here(program):
    answer = subprocess.run([program, "devices"], capture_output=True, text=True, check=True)
    return [4, 8] if "x86-64-v4" in answer.stdout else [2, 4]


def first_difference(expected, found, where=""):
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in expected:
            if expected[key] != found.get(key):
                return first_difference(expected[key], found.get(key), f"{where}.{key}")
    if isinstance(expected, list) and isinstance(found, list):
        for i, (a, b) in enumerate(zip(expected, found)):
            if a != b:
                return first_difference(a, b, f"{where}[{i}]")
    return f"{where.lstrip('.')}: {expected} and {found}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--quick", action="store_true", help="the corners of the matrix")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    devices = [1, 3] if arguments.quick else [1, 2, 3, 4, 7]
    ranks = [1, 3] if arguments.quick else [1, 2, 3, 4]
    batches = {"all": None, "1 tile": 64, "3 tiles": 192}
    if not shutil.which("mpirun"):
        print("no mpirun: one rank only")
        ranks = [1]
    began = time.monotonic()
    expected, wrong, runs = None, 0, 0

    def compare(label, found):
        nonlocal expected, wrong, runs
        runs += 1
        expected = expected or found
        same = found == expected
        wrong += not same
        print(f"{label}  {found['energy_bits']:>24}  {found['state_digest'][:16]}  "
              f"{'same' if same else 'DIFFERENT: ' + first_difference(expected, found)}",
              flush=True)

    print(f"{'devices':>7} {'ranks':>5} {'at a time':>9} {'lanes':>5}  "
          f"{'energy':>24}  {'walkers':<16}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for d, r, (batch, walkers), lanes in itertools.product(
                devices, ranks, batches.items(), lanes_here(program)):
            compare(f"{d:7} {r:5} {batch:>9} {lanes:5}",
                    run(program, folder, d, r, walkers, lanes))
        lanes = lanes_here(program)[-1]
        compare("     4, then 3 devices     ",
                restarted(program, folder, (4, 1), (3, 1), lanes))
        if len(ranks) > 1:
            compare("     2 ranks, then one     ",
                    restarted(program, folder, (1, 2), (1, 1), lanes))
    steps = sum(step["objective"] == "energy" for step in expected["optimisation"])
    print(f"{runs} runs of {steps} energy steps and {len(expected['parameter_values'])} "
          f"parameters in {time.monotonic() - began:.0f} s: "
          f"{'all the same bits' if wrong == 0 else f'{wrong} DIFFER'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
