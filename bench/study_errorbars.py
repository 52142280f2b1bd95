#!/usr/bin/env python3
"""Do the error bars hold? Repeats one short run with many seeds and compares.

  bench/study_errorbars.py --program build/drover --input examples/water/water.molden

The wave function is optimised once, with the first seed. Every other run takes its
parameters as they are and measures for a fixed number of steps. With n energies E_i and
error bars s_i, their mean E and z_i = (E_i - E) / s_i sqrt(n / (n - 1)): if the bars are
right, the mean of z_i^2 is 1 within about sqrt(2 / n), more where the bars themselves are
noisy; a bar too small by a factor f gives f^2. The same is shown for the naive bars, which
take the energies of successive steps for independent. Exit status 1 when the bars fail at a
false-alarm rate of 1e-6 (two-sided, chi square with n - 1 degrees of freedom).
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

NORMAL_QUANTILE = 4.8916  # two-sided 1e-6


def chi_square_bounds(freedom):
    """The interval of chi^2 / freedom that holds all but 1e-6 (Wilson and Hilferty 1931)."""
    width = 2.0 / (9.0 * freedom)
    return [max(0.0, 1.0 - width + sign * NORMAL_QUANTILE * math.sqrt(width)) ** 3
            for sign in (-1.0, 1.0)]


def run(program, source, out, settings, parameters=None):
    command = [program, "run", source, "--json", "--out", str(out)]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    if parameters:
        command += ["--params", str(parameters)]
    answer = subprocess.run(command, capture_output=True, text=True)
    if answer.returncode != 0:
        sys.exit(f"study: {' '.join(command)} ended with {answer.returncode}:\n"
                 f"{answer.stderr[-2000:]}")
    return json.loads(answer.stdout)


def mean_square(energies, errors):
    n = len(energies)
    mean = sum(energies) / n
    scale = n / (n - 1)
    return sum(scale * ((e - mean) / s) ** 2 for e, s in zip(energies, errors)) / n


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--input", required=True)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--walkers", type=int, default=512)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--sweeps", type=int, default=1,
                        help="sweeps between energies; few make successive energies alike")
    options = parser.parse_args()
    if options.runs < 3:
        parser.error("--runs: at least 3 are needed to say anything")

    measuring = {"sampling.walkers": options.walkers, "sampling.sweeps": options.sweeps,
                 "measure.steps": options.steps, "optimise.steps": 0,
                 "optimise.reference_steps": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        first = run(options.program, options.input, folder / "optimised",
                    {"run.seed": 1, "measure.steps": options.steps})
        # What run --json prints is also a file of parameters.
        parameters = folder / "optimised.json"
        parameters.write_text(json.dumps(first))
        print(f"optimised: {first['energy']:.6f} +- {first['error']:.6f}, "
              f"{first['parameters']} parameters", flush=True)
        results = []
        for i in range(options.runs):
            results.append(run(options.program, options.input, folder / f"run-{i}",
                               {**measuring, "run.seed": 1001 + i}, parameters))
            print(f"seed {1001 + i}: {results[-1]['energy']:.6f} "
                  f"+- {results[-1]['error']:.6f}, naive {results[-1]['error_naive']:.6f}",
                  flush=True)

    energies = [result["energy"] for result in results]
    low, high = chi_square_bounds(options.runs - 1)
    full = mean_square(energies, [result["error"] for result in results])
    naive = mean_square(energies, [result["error_naive"] for result in results])
    mean_tau = sum(result["tau"] for result in results) / options.runs
    holds = low < full < high
    print(json.dumps({"runs": options.runs, "walkers": options.walkers,
                      "steps": options.steps, "sweeps": options.sweeps,
                      "mean_square_z": full, "mean_square_z_naive": naive,
                      "mean_tau": mean_tau, "allowed": [low, high], "holds": holds}, indent=2))
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
