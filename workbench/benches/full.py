"""Training a linear transformer with free P and Q on in-context regression: PyTorch beside the crate, in one run.

    python workbench/benches/full.py PROGRAM [--public FILE] [--shape d,n,L,B]... [--seconds S] [--steps K] [--threads T]

PROGRAM is the built example `bench_full`. All P and Q are (d + 1) x (d + 1) matrices. PyTorch runs the model in three forms: `scores`
forms the attention of all pairs of tokens, as the definition is written; `moments` uses that attention is linear, which costs n d^2 instead
of n^2 d; `folded` is the crate's own form, in which the moments of a layer follow from those before it, and costs d^3. All take the same K steps as the crate on the same prompts from the same start, with Adam and each matrix's gradient clipped to 0.01, and
the losses along the way are compared; then blocks of timed steps alternate. A step is loss, gradient, clipping and Adam.

FILE is `linear_transformer.py` of the public code of preconditioned gradient descent (github.com/chengxiang/LinearTransformer), which
trains the d x d blocks only: with it, the crate is timed in that form too.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch

from lfom import load_public

CLIP, BETAS = 0.01, (0.99, 0.9)


def rate(d):
    """A learning rate at which wide models do not diverge: Adam moves all (d + 1)^2 entries of a matrix at once."""
    return 0.002 * (6 / (d + 1)) ** 2


def draw(d, n, batch):
    """Tokens as rows (B, n + 1, d + 1) with a zero for the query's response, the answers, and covariates, queries and truths."""
    x, truth = torch.randn(batch, n + 1, d), torch.randn(batch, d)
    y = torch.einsum("bnd,bd->bn", x, truth)
    answers = y[:, n].clone()
    y[:, n] = 0
    return torch.cat([x, y.unsqueeze(2)], 2), answers, x, truth


def scores(tokens, p, q):
    """Z + P Z M (Z' Q Z) / n, tokens as rows."""
    keys = tokens[:, :-1]
    return tokens + (tokens @ q.T @ keys.transpose(1, 2)) @ (keys @ p.T) / keys.shape[1]


def moments(tokens, p, q):
    """The same as Z + (P (Z M Z') Q) Z / n."""
    keys = tokens[:, :-1]
    return tokens + tokens @ (q.T @ (keys.transpose(1, 2) @ keys) @ p.T) / keys.shape[1]


class Free:
    """The model with free matrices in one of the two forms."""

    def __init__(self, start, layer):
        self.layer = layer
        self.matrices = [[torch.nn.Parameter(m.clone()) for m in pair] for pair in start]

    def parameters(self):
        return [m for pair in self.matrices for m in pair]

    def loss(self, tokens, answers):
        for p, q in self.matrices:
            tokens = self.layer(tokens, p, q)
        return (tokens[:, -1, -1] + answers).square().mean()

    def clip(self):
        for m in self.parameters():
            norm = m.grad.norm().item()
            if norm > CLIP:
                m.grad.mul_(CLIP / norm)


class Folded(Free):
    """The same with S' = (I + C)' S (I + C) and z' = (I + C)' z for C = Q' S P'; the first moments are formed once for all steps."""

    def __init__(self, start, tokens):
        super().__init__(start, None)
        keys = tokens[:, :-1]
        self.moments, self.query = keys.transpose(1, 2) @ keys / keys.shape[1], tokens[:, -1:]

    def loss(self, tokens, answers):
        moments, query = self.moments, self.query
        for p, q in self.matrices[:-1]:
            change = q.T @ (moments @ p.T)
            query = query + query @ change
            moved = moments + moments @ change
            moments = moved + change.transpose(1, 2) @ moved
        p, q = self.matrices[-1]
        query = query[:, 0]
        response = query[:, -1] + (query * ((moments @ p[-1]) @ q)).sum(1)
        return (response + answers).square().mean()


class Public:
    """The public code: its model and loss, and the clipping of its notebooks written out."""

    def __init__(self, module, start):
        self.module = module
        layers, d = start.shape[0], start.shape[2] - 1
        self.model = module.Transformer_F(layers, 1, d, 0.0)
        with torch.no_grad():
            self.model.allparam[:, 0, 0] = start[:, 0, :d, :d]
            # The public code pairs Q's rows with the token that moves, its columns with the examples.
            self.model.allparam[:, 0, 1] = start[:, 1, :d, :d].transpose(1, 2)

    def parameters(self):
        return list(self.model.parameters())

    def loss(self, tokens, answers):
        return self.module.in_context_loss(self.model, tokens, answers)

    def clip(self):
        for layer in self.model.allparam.grad:
            for block in layer[0]:
                norm = block.norm().item()
                if norm > CLIP:
                    block.mul_(CLIP / norm)


class Run:
    def __init__(self, model, tokens, answers):
        self.model, self.tokens, self.answers = model, tokens, answers
        step = rate(tokens.shape[2] - 1)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=step, betas=BETAS, weight_decay=0)

    def step(self):
        loss = self.model.loss(self.tokens, self.answers)
        loss.backward()
        self.model.clip()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss


def timed(step, seconds):
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or not times:
        started = time.perf_counter()
        step()
        times.append(time.perf_counter() - started)
    return times


class Ours:
    """The program: `KIND PRECISION STEPS` is answered with losses, `KIND PRECISION time SECONDS` with seconds per step."""

    def __init__(self, program, folder, shape, threads):
        environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
        command = [program, folder, *map(str, shape), str(rate(shape[0]))]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def ask(self, line):
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()
        return [float(v) for v in self.child.stdout.readline().split(",")]

    def end(self):
        self.child.stdin.close()
        self.child.wait()


def start_values(d, layers):
    """P with a one in the corner, all other entries so small that eight cubic layers stay finite at any dimension."""
    start = 0.5 * (d + 1) ** -1.5 * torch.randn(layers, 2, d + 1, d + 1)
    start[:, 0, d, d] += 1
    return start


def blocks(start):
    """The same with everything outside the d x d blocks as the public code has it."""
    d = start.shape[2] - 1
    start = start.clone()
    start[:, :, d, :] = 0
    start[:, :, :, d] = 0
    start[:, 0, d, d] = 1
    return start


def compare(program, module, shape, steps, seconds, threads):
    d, n, layers, batch = shape
    torch.manual_seed(batch)
    tokens, answers, x, truth = draw(d, n, batch)
    start = start_values(d, layers)
    runs = {name: Run(Free(start, layer), tokens, answers) for name, layer in [("scores", scores), ("moments", moments)]}
    runs["folded"] = Run(Folded(start, tokens), tokens, answers)
    if module is not None:
        runs["public"] = Run(Public(module, blocks(start)), tokens, answers)
    with tempfile.TemporaryDirectory() as folder:
        arrays = [("x", x[:, :n]), ("query", x[:, n]), ("truth", truth), ("full", start), ("block", blocks(start))]
        for name, value in arrays:
            with open(f"{folder}/{name}.f32", "wb") as file:
                file.write(bytes(value.contiguous().view(-1).untyped_storage()[: 4 * value.numel()]))
        ours = Ours(program, folder, shape, threads)
        losses = {name: [float(run.step().detach()) for _ in range(steps)] for name, run in runs.items()}
        kinds = {"scores": "full", "moments": "full", "folded": "full", "public": "block"}
        own = {kind: ours.ask(f"{kind} single {steps}") for kind in sorted({kinds[name] for name in runs})}
        names = [(kind, precision) for kind in own for precision in ("single", "double")]
        times = {name: [] for name in [*runs, "full_floor", *(f"{kind}_{precision}" for kind, precision in names)]}
        for _ in range(5):
            for name, run in runs.items():
                times[name] += timed(run.step, seconds)
            for kind, precision in names:
                times[f"{kind}_{precision}"] += ours.ask(f"{kind} {precision} time {seconds}")
            times["full_floor"] += ours.ask("floor 0.1")
        ours.end()
    result = {"d": d, "n": n, "layers": layers, "batch": batch, "steps": steps}
    result.update(torch=torch.__version__, threads=torch.get_num_threads())
    for name, values in times.items():
        result[f"{name}_median_ms"] = 1e3 * statistics.median(values)
        result[f"{name}_least_ms"] = 1e3 * min(values)
    for name in runs:
        kind = kinds[name]
        for which in ("median", "least"):
            ratio = result[f"{name}_{which}_ms"] / result[f"{kind}_single_{which}_ms"]
            result[f"{name}_over_crate_{which}"] = ratio
        gaps = [abs(a / b - 1) for a, b in zip(losses[name], own[kind])]
        result[f"{name}_largest_relative_loss_gap"] = max(gaps)
    result["first_loss"], result["last_loss"] = own["full"][0], own["full"][-1]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--public")
    parser.add_argument("--shape", action="append", metavar="d,n,L,B")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--threads", type=int, default=int(os.environ.get("OMP_NUM_THREADS", 2)))
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    module = load_public(given.public) if given.public else None
    for shape in given.shape or ["5,20,3,1000", "5,20,3,20000", "64,256,8,16", "32,256,8,16", "20,256,8,16"]:
        sizes = [int(v) for v in shape.split(",")]
        result = compare(given.program, module, sizes, given.steps, given.seconds, given.threads)
        print(json.dumps(result, indent=2), flush=True)


if __name__ == "__main__":
    sys.exit(main())
