"""The exact error of one memory, embeddings included: the straightforward NumPy program beside the crate, in one run.

    python workbench/benches/memory_error.py PROGRAM [N [M [d [repeats]]]]

PROGRAM is the built example `bench_memory_error`. NumPy draws the embeddings, forms W and scores every pair. Both run
on all cores they choose to use. Repeats alternate in blocks, so that a busy machine slows both; medians are compared.
"""

import json
import statistics
import subprocess
import sys
import time

import numpy as np


def numpy_error(rng, n, m, d, weights, labels, p):
    e = rng.standard_normal((n, d))
    u = rng.standard_normal((m, d))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    w = (weights[:, None] * u[labels]).T @ e
    scores = e @ w.T @ u.T
    right = scores[np.arange(n), labels].copy()
    scores[np.arange(n), labels] = -np.inf
    return p[right <= scores.max(axis=1)].sum()


def main():
    program = sys.argv[1]
    given = [int(a) for a in sys.argv[2:6]]
    n, m, d, repeats = given + [1000, 5, 1024, 51][len(given):]
    p = 1.0 / np.arange(1, n + 1) ** 2
    p /= p.sum()
    labels = np.arange(1, n + 1) % m
    rng = np.random.default_rng(1)
    blocks, ours, theirs, errors = 5, {"single": [], "double": []}, [], {"numpy": [], "single": [], "double": []}
    for _ in range(blocks):
        for _ in range(max(repeats // blocks, 1)):
            started = time.perf_counter()
            errors["numpy"].append(numpy_error(rng, n, m, d, p, labels, p))
            theirs.append(time.perf_counter() - started)
        arguments = [str(a) for a in (n, m, d, repeats)]
        for line in subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout.split():
            name, *_, seconds, error = line.split(",")
            ours[name].append(float(seconds))
            errors[name].append(float(error))
    numpy_seconds = statistics.median(theirs)
    result = {
        "n": n, "m": m, "d": d, "repeats": repeats, "numpy": np.__version__,
        "numpy_median_seconds": numpy_seconds,
        "numpy_mean_error": statistics.fmean(errors["numpy"]),
    }
    for name, seconds in ours.items():
        median = statistics.median(seconds)
        result[f"{name}_median_seconds"] = median
        result[f"{name}_ratio"] = numpy_seconds / median
        result[f"{name}_mean_error"] = statistics.fmean(errors[name])
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
