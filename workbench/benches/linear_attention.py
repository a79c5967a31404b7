"""The computation of examples/bench_linear_attention.rs in PyTorch, one timed run for each line of standard input.

usage: linear_attention.py FOLDER THREADS

FOLDER holds q.f32, k.f32, v.f32 (tokens x 64) and w.f32 (256 x 64). Lines: `forward`, `causal`, or `save NAME`, which writes the
last result to NAME.f32.
"""

import sys
import time

import torch

DIM, FEATURES, CHUNK = 64, 256, 128


def load(folder, name):
    with open(f"{folder}/{name}.f32", "rb") as file:
        return torch.frombuffer(bytearray(file.read()), dtype=torch.float32).view(-1, DIM)


def exponents(x, w):
    """w.x - |x|^2 / 2; the constants of the map cancel in the quotient."""
    return torch.addmm((x * x).sum(-1, keepdim=True).mul_(-0.5), x, w.t())


def features(q, k, w):
    """Positive features, stabilised as in the Performer code: row maxima for queries, one maximum for keys."""
    phi_q, phi_k = exponents(q, w), exponents(k, w)
    phi_q.sub_(phi_q.amax(-1, keepdim=True)).exp_()
    phi_k.sub_(phi_k.amax()).exp_()
    return phi_q, phi_k


def forward(q, k, v, w):
    phi_q, phi_k = features(q, k, w)
    numerator = phi_q @ (phi_k.t() @ v)
    return numerator.div_((phi_q @ phi_k.sum(0)).unsqueeze(-1))


def causal(q, k, v, w):
    """Chunked, as is usual: all earlier chunks through their sums, the own chunk through masked products."""
    phi_q, phi_k = features(q, k, w)
    phi_q, phi_k = phi_q.view(-1, CHUNK, FEATURES), phi_k.view(-1, CHUNK, FEATURES)
    values = v.view(-1, CHUNK, DIM)
    sums = phi_k.transpose(1, 2) @ values
    norms = phi_k.sum(1)
    before, norm_before = sums.cumsum(0).sub_(sums), norms.cumsum(0).sub_(norms)
    pairs = (phi_q @ phi_k.transpose(1, 2)).tril_()
    numerator = torch.baddbmm(phi_q @ before, pairs, values)
    normaliser = pairs.sum(-1) + (phi_q @ norm_before.unsqueeze(-1)).squeeze(-1)
    return numerator.div_(normaliser.unsqueeze(-1)).view(-1, DIM)


def main():
    folder, threads = sys.argv[1], int(sys.argv[2])
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    q, k, v, w = (load(folder, name) for name in "qkvw")
    print(f"ready {torch.__version__}", flush=True)
    last = None
    for line in sys.stdin:
        what = line.strip()
        if what.startswith("save "):
            with open(f"{folder}/{what[5:]}.f32", "wb") as file:
                file.write(bytes(last.contiguous().untyped_storage()))
            print("saved", flush=True)
            continue
        run = {"forward": forward, "causal": causal}[what]
        started = time.perf_counter()
        last = run(q, k, v, w)
        print(time.perf_counter() - started, flush=True)


main()
