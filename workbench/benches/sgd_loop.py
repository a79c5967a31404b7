"""The computation of examples/bench_sgd.rs in PyTorch, one timed run for each line of standard input.

usage: sgd_loop.py PROCESSES

Stochastic gradient descent with batch one on the cross-entropy loss of an associative memory: N = 100 inputs, M = 5 classes, d = 100,
Zipf law with alpha = 2, rate 1, embeddings fixed, only W learned. The loop is the usual one: scores, loss, backward, optimizer step.
PROCESSES of them run side by side, one on each core, with one thread each: operations as small as these gain nothing from more.

Lines: `steps N` runs N steps in each process and answers with the seconds of the slowest; `error` answers with the mean
generalization error after the last request.
"""

import multiprocessing
import sys
import time

N, M, D, ALPHA, RATE = 100, 5, 100, 2.0, 1.0


def worker(seed, pipe):
    import torch

    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(seed)
    p = torch.arange(1, N + 1, dtype=torch.float64) ** -ALPHA
    p /= p.sum()
    labels = torch.arange(1, N + 1) % M
    pipe.send(torch.__version__)
    error = float("nan")
    while True:
        steps = pipe.recv()
        if steps == 0:
            pipe.send(error)
            continue
        e = torch.randn(N, D, dtype=torch.float64, generator=generator)
        u = torch.randn(M, D, dtype=torch.float64, generator=generator)
        u /= u.norm(dim=1, keepdim=True)
        w = torch.zeros(D, D, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=RATE)
        loss_of = torch.nn.CrossEntropyLoss()
        samples = torch.multinomial(p, steps, replacement=True, generator=generator).tolist()
        started = time.perf_counter()
        for x in samples:
            optimizer.zero_grad()
            loss_of(u @ (w @ e[x]), labels[x]).backward()
            optimizer.step()
        seconds = time.perf_counter() - started
        with torch.no_grad():
            scores = e @ w.T @ u.T
            right = scores[torch.arange(N), labels].clone()
            scores[torch.arange(N), labels] = -torch.inf
            error = float(p[right <= scores.max(dim=1).values].sum())
        pipe.send(seconds)


def main():
    processes = int(sys.argv[1])
    context = multiprocessing.get_context("spawn")
    pipes = []
    for seed in range(processes):
        ours, theirs = context.Pipe()
        context.Process(target=worker, args=(seed, theirs), daemon=True).start()
        pipes.append(ours)
    version = [pipe.recv() for pipe in pipes][0]
    print(f"ready {version}", flush=True)
    for line in sys.stdin:
        what, *steps = line.split()
        for pipe in pipes:
            pipe.send(int(steps[0]) if what == "steps" else 0)
        answers = [pipe.recv() for pipe in pipes]
        print(max(answers) if what == "steps" else sum(answers) / len(answers), flush=True)


if __name__ == "__main__":
    main()
