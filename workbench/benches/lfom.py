"""Training a linear transformer on in-context regression: PyTorch beside the crate, in one run.

    python workbench/benches/lfom.py PROGRAM [--public FILE] [--batch B]... [--kind gd|upper]... [--seconds S] [--steps K]

PROGRAM is the built example `bench_lfom`. FILE is `linear_transformer.py` of the public code of preconditioned gradient descent
(github.com/chengxiang/LinearTransformer); without it only the program below is timed. Three layers, d = 5, n = 20, one rotated
covariance. Both sides take the same K steps on the same prompts from the same start, with Adam and each matrix's gradient clipped to
0.01, and the losses along the way are compared; then blocks of timed steps alternate. A step is loss, gradient, clipping and Adam.
"""

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
import types

import torch

LAYERS, N, D = 3, 20, 5
RATE, CLIP, BETAS, START = 0.02, 0.01, (0.99, 0.9), 0.05


def load_public(path):
    """The module of the public code. It imports numpy for one law of data that is not used here: an empty module does where it is missing."""
    missing = importlib.util.find_spec("numpy") is None
    if missing:
        sys.modules["numpy"] = types.ModuleType("numpy")
    spec = importlib.util.spec_from_file_location("linear_transformer", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if missing:
        del sys.modules["numpy"]
    return module


def draw(batch):
    """Tokens as rows (B, n + 1, d + 1) with a zero for the query's response, the answers, and covariates, queries and truths."""
    rotation = torch.linalg.qr(torch.randn(D, D))[0]
    deviations = torch.tensor([1.0, 1.0, 0.5, 0.25, 1.0])
    x = torch.randn(batch, N + 1, D) * deviations @ rotation.T
    truth = torch.randn(batch, D) / deviations @ rotation.T
    y = torch.einsum("bnd,bd->bn", x, truth)
    answers = y[:, N].clone()
    y[:, N] = 0
    return torch.cat([x, y.unsqueeze(2)], 2), answers, x, truth


def forward(tokens, p, q):
    """One linear attention layer after the other: z + P Z M (Z' Q Z) / n, tokens as rows."""
    for layer in range(LAYERS):
        keys = tokens[:, :N]
        scores = tokens[:, :, :D] @ q[layer] @ keys[:, :, :D].transpose(1, 2)
        values = torch.cat([keys[:, :, :D] @ p[layer].T, keys[:, :, D:]], 2)
        tokens = tokens + scores @ values / N
    return tokens


class Plain:
    """The same loop, written for this comparison."""

    def __init__(self, start, upper):
        self.upper = upper
        # [layer, 0] is P's upper block, [layer, 1] is Q.
        self.blocks = [[torch.nn.Parameter(m.clone()) for m in layer] for layer in start]

    def parameters(self):
        return [layer[i] for layer in self.blocks for i in ((0, 1) if self.upper else (1,))]

    def loss(self, tokens, answers):
        p, q = zip(*self.blocks)
        return (forward(tokens, p, q)[:, N, D] + answers).square().mean()

    def clip(self):
        for parameter in self.parameters():
            if parameter.grad is not None:
                norm = parameter.grad.norm().item()
                if norm > CLIP:
                    parameter.grad.mul_(CLIP / norm)

    def hold(self):
        pass


class Public:
    """The public code: its model and loss, and the clipping and zeroing of its notebooks written out."""

    def __init__(self, module, start, upper):
        self.module, self.upper = module, upper
        self.model = module.Transformer_F(LAYERS, 1, D, 0.0)
        with torch.no_grad():
            for layer, blocks in enumerate(start):
                for i, block in enumerate(blocks):
                    self.model.allparam[layer, 0, i] = block

    def parameters(self):
        return list(self.model.parameters())

    def loss(self, tokens, answers):
        return self.module.in_context_loss(self.model, tokens, answers)

    def clip(self):
        gradient = self.model.allparam.grad
        for layer in range(LAYERS):
            for i in range(2):
                norm = gradient[layer, 0, i].norm().item()
                if norm > CLIP:
                    gradient[layer, 0, i].mul_(CLIP / norm)

    def hold(self):
        if not self.upper:
            self.model.zero_p()


class Run:
    def __init__(self, model, tokens, answers):
        self.model, self.tokens, self.answers = model, tokens, answers
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=BETAS, weight_decay=0)

    def step(self):
        loss = self.model.loss(self.tokens, self.answers)
        loss.backward()
        self.model.clip()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.model.hold()
        return loss


def timed(run, seconds):
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or not times:
        started = time.perf_counter()
        run.step()
        times.append(time.perf_counter() - started)
    return times


def start_values(upper):
    start = START * torch.randn(LAYERS, 2, D, D)
    if not upper:
        start[:, 0] = 0
    return start


def compare(program, module, kind, batch, steps, seconds):
    torch.manual_seed(batch)
    upper = kind == "upper"
    tokens, answers, x, truth = draw(batch)
    start = start_values(upper)
    runs = {"plain": Run(Plain(start, upper), tokens, answers)}
    if module is not None:
        runs["public"] = Run(Public(module, start, upper), tokens, answers)
    with tempfile.TemporaryDirectory() as folder:
        for name, value in [("x", x[:, :N]), ("query", x[:, N]), ("truth", truth), ("start", start)]:
            with open(f"{folder}/{name}.f32", "wb") as file:
                file.write(bytes(value.contiguous().view(-1).untyped_storage()[: 4 * value.numel()]))
        ours = subprocess.Popen(
            [program, folder, kind, str(batch), str(steps)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        losses = {name: [float(run.step().detach()) for _ in range(steps)] for name, run in runs.items()}
        losses["crate"] = [float(v) for v in ours.stdout.readline().split(",")]
        times = {name: [] for name in [*runs, "single", "double", "floor"]}
        for _ in range(5):
            for name, run in runs.items():
                times[name] += timed(run, seconds)
            for name in ("single", "double"):
                ours.stdin.write(f"{name} {seconds}\n")
                ours.stdin.flush()
                times[name] += [float(v) for v in ours.stdout.readline().split(",")]
            ours.stdin.write("floor 0.1\n")
            ours.stdin.flush()
            times["floor"].append(float(ours.stdout.readline()))
        ours.stdin.close()
        ours.wait()
    result = {"kind": kind, "batch": batch, "steps": steps, "torch": torch.__version__, "threads": torch.get_num_threads()}
    for name, values in times.items():
        result[f"{name}_median_ms"] = 1e3 * statistics.median(values)
        result[f"{name}_least_ms"] = 1e3 * min(values)
    for name in runs:
        result[f"{name}_over_single_median"] = result[f"{name}_median_ms"] / result["single_median_ms"]
        result[f"{name}_over_single_least"] = result[f"{name}_least_ms"] / result["single_least_ms"]
        gaps = [abs(a / b - 1) for a, b in zip(losses[name], losses["crate"])]
        result[f"{name}_largest_relative_loss_gap"] = max(gaps)
    result["first_loss"], result["last_loss"] = losses["crate"][0], losses["crate"][-1]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--public")
    parser.add_argument("--batch", type=int, action="append")
    parser.add_argument("--kind", choices=["gd", "upper"], action="append")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--steps", type=int, default=50)
    given = parser.parse_args()
    module = load_public(given.public) if given.public else None
    for kind in given.kind or ["gd", "upper"]:
        for batch in given.batch or [1000, 20_000]:
            print(json.dumps(compare(given.program, module, kind, batch, given.steps, given.seconds), indent=2), flush=True)


if __name__ == "__main__":
    sys.exit(main())
