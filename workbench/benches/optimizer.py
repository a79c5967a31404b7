"""The computations of examples/bench_optimizer.rs in PyTorch, one timed run for each line of standard input.

usage: optimizer.py FOLDER THREADS

FOLDER holds what the other program wrote: names, shapes and numbers of the weights of each cell, gradients of a few steps, and what came
of them there. Lines, with FORM one of `eager`, `compiled` (torch.compile; the first request compiles), `lstm` and `meta`:

    check FORM N          the largest difference from the other program, over the largest number; or why FORM cannot be had
    step FORM N SECONDS   the median seconds of a step of the cell on N coordinates
    meta N SECONDS        the median seconds of a window of five steps and the gradient of its loss for the weights
"""

import math
import statistics
import sys
import time

import torch
from torch.nn.functional import layer_norm, linear

LOG_RANGE, DISCOUNT, OUTPUT_SCALE = 10.0, math.exp(-0.1), 0.01
WINDOW, IMITATION = 5, 100.0
RATE, BETA1, BETA2, EPSILON = 0.03, 0.9, 0.999, 1e-8


def numbers(folder, name):
    with open(f"{folder}/{name}.f32", "rb") as file:
        return torch.frombuffer(bytearray(file.read()), dtype=torch.float32)


def weights_of(folder, name):
    """The tensors of a cell by name."""
    tensors, rest = {}, numbers(folder, name)
    with open(f"{folder}/{name}.names") as file:
        for line in file:
            tensor, *shape = line.split()
            shape = [int(size) for size in shape]
            tensors[tensor] = rest[: math.prod(shape)].view(shape).clone()
            rest = rest[math.prod(shape) :]
    return tensors


def preprocess(g):
    """(ln|g| / p, sgn g) where |g| is at least e^-p, and (-1, e^p g) below."""
    size, bound = g.abs(), math.exp(-LOG_RANGE)
    logarithm = size.clamp_min(bound).log() / LOG_RANGE
    return torch.stack([logarithm, torch.where(size >= bound, g.sign(), g * math.exp(LOG_RANGE))], 1)


def features(w, encoder, z):
    """Hyperbolic features of each row."""
    base = w[f"{encoder}.offsets"] - 0.5 * (z * z).sum(1, keepdim=True)
    along = linear(z, w[f"{encoder}.projections"])
    return torch.cat([base + along, base - along], 1).exp()


def encode(w, encoder, h, sums, psi):
    """One temporal encoder. What PyTorch is slow at, batches of small matrix products, is written as sums of products, which are many
    times faster; the state is decayed in place where autograd does not go through it."""
    d = h.shape[1]
    a = layer_norm(h, (d,), w[f"{encoder}.attention.norm.gain"], w[f"{encoder}.attention.norm.bias"])
    query, key, value = (linear(a, w[f"{encoder}.{part}.weight"]) for part in ("query", "key", "value"))
    asked, kept = features(w, encoder, query * d**-0.25), features(w, encoder, key * d**-0.25)
    decayed = sums * DISCOUNT if torch.is_grad_enabled() else sums.mul_(DISCOUNT)
    sums = decayed.addcmul_(kept.unsqueeze(2), value.unsqueeze(1))
    psi = torch.add(kept, psi, alpha=DISCOUNT)
    read = (asked.unsqueeze(2) * sums).sum(1) / (asked * psi).sum(1, keepdim=True)
    h = h + linear(read, w[f"{encoder}.output.weight"])
    b = layer_norm(h, (d,), w[f"{encoder}.feed_forward.norm.gain"], w[f"{encoder}.feed_forward.norm.bias"])
    up = linear(b, w[f"{encoder}.up.weight"], w[f"{encoder}.up.bias"]).relu()
    return h + linear(up, w[f"{encoder}.down.weight"], w[f"{encoder}.down.bias"]), sums, psi


def cell(w, g, state):
    """The update for each gradient, and the state that follows: two tensors for each encoder."""
    h, after = linear(preprocess(g), w["input.weight"], w["input.bias"]), []
    for e in range(len(state) // 2):
        h, *own = encode(w, f"encoders.{e}", h, state[2 * e], state[2 * e + 1])
        after += own
    return OUTPUT_SCALE * linear(h, w["head.weight"], w["head.bias"]).squeeze(1), after


def fresh(w, n):
    state = []
    while f"encoders.{len(state) // 2}.projections" in w:
        m, d = w[f"encoders.{len(state) // 2}.projections"].shape
        state += [torch.zeros(n, 2 * m, d), torch.zeros(n, 2 * m)]
    return state


class Memory:
    """Steps of the cell on N coordinates."""

    def __init__(self, w, n, step):
        self.w, self.state, self.theta, self.of = w, fresh(w, n), torch.zeros(n), step

    def step(self, g):
        update, self.state = self.of(self.w, g, self.state)
        self.theta.add_(update)
        return update


class Lstm:
    """Steps of the LSTM rival, made of PyTorch's own cells."""

    def __init__(self, w, n):
        hidden = w["head.weight"].shape[1]
        self.cells, self.state, self.theta = [], [], torch.zeros(n)
        while f"layers.{len(self.cells)}.input.weight" in w:
            layer = f"layers.{len(self.cells)}"
            made = torch.nn.LSTMCell(w[f"{layer}.input.weight"].shape[1], hidden)
            made.weight_ih.copy_(w[f"{layer}.input.weight"])
            made.bias_ih.copy_(w[f"{layer}.input.bias"])
            made.weight_hh.copy_(w[f"{layer}.hidden.weight"])
            made.bias_hh.zero_()
            self.cells.append(made)
            self.state.append((torch.zeros(n, hidden), torch.zeros(n, hidden)))
        self.head = w["head.weight"], w["head.bias"]

    def step(self, g):
        x = preprocess(g)
        for layer, made in enumerate(self.cells):
            self.state[layer] = made(x, self.state[layer])
            x = self.state[layer][0]
        update = OUTPUT_SCALE * linear(x, *self.head).squeeze(1)
        self.theta.add_(update)
        return update


class Rollout:
    """Windows on a bowl of curvature 1, whose gradient is the parameters; the expert is Adam."""

    def __init__(self, w, theta):
        self.fixed = {name: x for name, x in w.items() if name.endswith((".projections", ".offsets"))}
        self.trained = {name: x.clone().requires_grad_() for name, x in w.items() if name not in self.fixed}
        self.theta, self.state, self.time = theta.clone(), fresh(w, len(theta)), 0
        self.mean, self.square = torch.zeros_like(theta), torch.zeros_like(theta)

    def expert(self, g):
        self.time += 1
        self.mean.lerp_(g, 1 - BETA1)
        self.square.mul_(BETA2).addcmul_(g, g, value=1 - BETA2)
        below = self.square.sqrt().div_(math.sqrt(1 - BETA2**self.time)).add_(EPSILON)
        return (self.mean / below).mul_(-RATE / (1 - BETA1**self.time))

    def window(self):
        w, theta, state, loss = {**self.trained, **self.fixed}, self.theta, self.state, 0.0
        for at in range(WINDOW):
            update, state = cell(w, theta, state)
            apart = update - self.expert(theta.detach())
            theta = theta + update
            loss = loss + 0.5 * (theta * theta).sum() + IMITATION * (apart * apart).mean()
        gradient = torch.autograd.grad(loss, list(self.trained.values()))
        self.theta, self.state = theta.detach(), [x.detach() for x in state]
        return loss.detach(), torch.cat([x.reshape(-1) for x in gradient])


class Bench:
    def __init__(self, folder):
        self.folder = folder
        self.w = {name: weights_of(folder, name) for name in ("default", "lstm")}
        self.gradients = numbers(folder, "gradients")
        self.start = numbers(folder, "start")
        self.gradients = self.gradients.view(-1, len(self.start))
        self.compiled = torch.compile(cell, fullgraph=True, dynamic=False)

    def subject(self, form, n):
        if form == "lstm":
            return Lstm(self.w["lstm"], n)
        return Memory(self.w["default"], n, self.compiled if form == "compiled" else cell)

    def check(self, form, n):
        """Coordinates do not see each other: the first N of what came of all of them are what comes of N."""
        if form == "meta":
            rollout = Rollout(self.w["default"], self.start[:n])
            ours = [torch.cat([loss.view(1), gradient]) for loss, gradient in (rollout.window() for _ in range(2))]
            theirs = numbers(self.folder, f"windows-{n}").view(len(ours), -1)
            # The loss and the gradient each by its own size.
            return max(difference(a[part], b[part]) for a, b in zip(ours, theirs) for part in (slice(1), slice(1, None)))
        with torch.no_grad():
            subject = self.subject(form, n)
            ours = torch.stack([subject.step(g[:n]) for g in self.gradients])
        name = "lstm" if form == "lstm" else "default"
        theirs = numbers(self.folder, f"{name}-updates").view(self.gradients.shape)
        return difference(ours, theirs[:, :n])

    def step(self, form, n, seconds):
        with torch.no_grad():
            subject, g = self.subject(form, n), self.gradients[0, :n].clone()
            return median(lambda: subject.step(g), seconds)

    def meta(self, n, seconds):
        return median(Rollout(self.w["default"], self.start[:n]).window, seconds)


def difference(a, b):
    return float((a - b).abs().max() / b.abs().max())


def median(run, seconds):
    times, end = [], time.perf_counter() + seconds
    run()
    while time.perf_counter() < end or not times:
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main():
    folder, threads = sys.argv[1], int(sys.argv[2])
    torch.set_num_threads(threads)
    bench = None
    print(f"ready {torch.__version__}", flush=True)
    for line in sys.stdin:
        bench = bench or Bench(folder)
        match line.split():
            case ["check", form, n]:
                try:
                    print(bench.check(form, int(n)), flush=True)
                except Exception as error:
                    print("no: " + " ".join(str(error).split())[:200], flush=True)
            case ["step", form, n, seconds]:
                print(bench.step(form, int(n), float(seconds)), flush=True)
            case ["meta", n, seconds]:
                print(bench.meta(int(n), float(seconds)), flush=True)
            case _:
                print(f"no such request: {line.strip()}", flush=True)


main()
