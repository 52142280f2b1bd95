#!/usr/bin/env python3
"""A vector-Jacobian product beside JAX: a tanh network 64-64-64-64 over 10,000 samples, float64,
one core; value and the weights' gradient.

Runs `sharding_bench network` and JAX's compiled vjp in turn, each in a process of its own on one
core with one thread, and prints both medians and their ratio. Needs jax, which Drover itself does
not: for instance

  python3 -m venv ~/jax && ~/jax/bin/pip install jax
  ~/jax/bin/python bench/jax_vjp.py build/bench/sharding_bench
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

SAMPLES, WIDTH, LAYERS, CALLS = 10_000, 64, 3, 7


def time_jax():
    """Median milliseconds of a compiled call, after two to warm up."""
    import jax
    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    def network(params, x):
        for weights, bias in params:
            x = jnp.tanh(x @ weights + bias)
        return x.sum(axis=1)

    @jax.jit
    def value_and_gradient(params, x, cotangents):
        value, pullback = jax.vjp(lambda p: network(p, x), params)
        return value, pullback(cotangents)[0]

    keys = jax.random.split(jax.random.PRNGKey(5), 2 * LAYERS + 2)
    params = [(jax.random.normal(keys[2 * i], (WIDTH, WIDTH)) / WIDTH ** 0.5,
               0.1 * jax.random.normal(keys[2 * i + 1], (WIDTH,))) for i in range(LAYERS)]
    x = jax.random.normal(keys[-2], (SAMPLES, WIDTH))
    cotangents = jax.random.normal(keys[-1], (SAMPLES,))
    times = []
    for call in range(CALLS + 2):
        start = time.process_time()
        jax.block_until_ready(value_and_gradient(params, x, cotangents))
        if call >= 2:
            times.append(time.process_time() - start)
    assert x.dtype == jnp.float64
    print(json.dumps({"jax_ms": 1e3 * statistics.median(times), "version": jax.__version__}))


def on_one_core(core, words):
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
           "JAX_PLATFORMS": "cpu",
           "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"}
    answer = subprocess.run(["taskset", "-c", str(core), *words], text=True, check=True,
                            stdout=subprocess.PIPE, env={**os.environ, **one})
    return json.loads(answer.stdout.strip().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bench", nargs="?", help="build/bench/sharding_bench")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--time-jax", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.time_jax:
        return time_jax()
    if not arguments.bench:
        parser.error("the path of sharding_bench is missing")
    core = max(os.sched_getaffinity(0))
    jax, ours = [], []
    for _ in range(arguments.rounds):
        jax.append(on_one_core(core, [sys.executable, __file__, "--time-jax"]))
        ours.append(on_one_core(core, [arguments.bench, "network"]))
    middle = statistics.median
    jax_ms = middle(run["jax_ms"] for run in jax)
    print(f"tanh network 64-64-64-64, {SAMPLES} samples, float64, core {core}; medians of "
          f"{arguments.rounds} runs in turn")
    print(f"  JAX {jax[0]['version']:8}         {jax_ms:7.2f} ms")
    for key, what in [("plain_ms", "plain sums"), ("order_free_ms", "order-free")]:
        ms = middle(run[key] for run in ours)
        share = middle(run["peak_ms"] / run[key] for run in ours)
        ratio = middle(o[key] / j["jax_ms"] for o, j in zip(ours, jax))
        print(f"  Drover, {what:10}   {ms:7.2f} ms  {ratio:5.2f} times JAX's, "
              f"{100 * share:.0f} % of the multiply-add peak")
    return None


if __name__ == "__main__":
    sys.exit(main())
