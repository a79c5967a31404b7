"""The exact error of one memory, embeddings included, by the straightforward NumPy program: one timed run for each line of input.

usage: memory_error.py N M D

Draws the embeddings, forms W and scores every pair. Lines: `run`, answered with seconds, and `error`, answered with the mean error of
the runs so far. NumPy uses as many cores as it chooses.
"""

import sys
import time

import numpy as np


def exact_error(rng, n, m, d, weights, labels, p):
    e = rng.standard_normal((n, d))
    u = rng.standard_normal((m, d))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    w = (weights[:, None] * u[labels]).T @ e
    scores = e @ w.T @ u.T
    right = scores[np.arange(n), labels].copy()
    scores[np.arange(n), labels] = -np.inf
    return p[right <= scores.max(axis=1)].sum()


def main():
    n, m, d = (int(a) for a in sys.argv[1:4])
    p = 1.0 / np.arange(1, n + 1) ** 2
    p /= p.sum()
    labels = np.arange(1, n + 1) % m
    rng = np.random.default_rng(1)
    errors = []
    print(f"ready {np.__version__}", flush=True)
    for line in sys.stdin:
        if line.strip() == "error":
            print(np.mean(errors), flush=True)
            continue
        started = time.perf_counter()
        errors.append(exact_error(rng, n, m, d, p, labels, p))
        print(time.perf_counter() - started, flush=True)


main()
