"""Losses, gradients and Hessian-vector products of the tasks' models by PyTorch's autograd, in double precision.

Run:  python3 outside.py   (writes models.in beside it)
Made with Python 3 and PyTorch; the versions are printed at the end.

Parameters are theta_i = 0.5 sin(1.7 i + 0.3), inputs 0.5 + 0.5 sin(0.37 i), symbols and classes count up; the Rust test writes the
same formulas. Each line: loss, |gradient|, gradient . w, |Hw|, Hw . u with w_i = cos(0.9 i) and u_i = sin(0.6 i + 1).
"""
import os
import sys

import torch
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)
HERE = os.path.dirname(os.path.abspath(__file__))


class Reader:
    """Takes tensors off a flat vector, in order."""

    def __init__(self, theta):
        self.theta, self.at = theta, 0

    def take(self, *shape):
        size = torch.Size(shape).numel()
        self.at += size
        return self.theta[self.at - size:self.at].reshape(shape)

    def linear(self, inputs, outputs):
        weight, bias = self.take(outputs, inputs), self.take(outputs)
        return lambda x: F.linear(x, weight, bias)

    def norm(self, width):
        weight, bias = self.take(width), self.take(width)
        return lambda x: F.layer_norm(x, (width,), weight, bias)

    def blocks(self, layers, heads, width, head, mlp):
        steps = []
        for _ in range(layers):
            steps.append((self.norm(width), self.linear(width, 3 * heads * head), self.linear(heads * head, width),
                          self.norm(width), self.linear(width, mlp), self.linear(mlp, width)))
        last = self.norm(width)

        def run(x):
            count, length, _ = x.shape
            for norm1, inner, outer, norm2, up, down in steps:
                q, k, v = inner(norm1(x)).reshape(count, length, 3, heads, head).permute(2, 0, 3, 1, 4)
                mixed = torch.softmax(q @ k.transpose(-1, -2) / head ** 0.5, -1) @ v
                mixed = mixed.transpose(1, 2).reshape(count, length, heads * head)
                x = x + outer(mixed)
                x = x + down(F.gelu(up(norm2(x)), approximate="tanh"))
            return last(x)
        return run


def mlp(widths, activation):
    def loss(theta):
        reader = Reader(theta)
        x = inputs(5, widths[0])
        for i, (a, b) in enumerate(zip(widths, widths[1:])):
            x = reader.linear(a, b)(x)
            x = activation(x) if i + 2 < len(widths) else x
        return F.cross_entropy(x, classes(5, widths[-1]))
    return loss


def convolution(height, width, channels, count):
    def loss(theta):
        reader = Reader(theta)
        x, depth = inputs(5, height * width).reshape(5, 1, height, width), 1
        for c in channels:
            weight, bias = reader.take(c, 3, 3, depth).permute(0, 3, 1, 2), reader.take(c)
            x, depth = F.avg_pool2d(torch.relu(F.conv2d(x, weight, bias, padding=1)), 2), c
        x = x.permute(0, 2, 3, 1).flatten(1)
        return F.cross_entropy(reader.linear(x.shape[1], count)(x), classes(5, count))
    return loss


def vit(side, patch, sizes, count):
    width = sizes[2]

    def loss(theta):
        reader = Reader(theta)
        across = -(-side // patch)
        images = F.pad(inputs(5, side * side).reshape(5, side, side), (0, across * patch - side, 0, across * patch - side))
        patches = images.unfold(1, patch, patch).unfold(2, patch, patch).reshape(5, across * across, patch * patch)
        embed, first = reader.linear(patch * patch, width), reader.take(width)
        places = reader.take(across * across + 1, width)
        run, head = reader.blocks(*sizes), reader.linear(width, count)
        x = torch.cat([first.expand(5, 1, width), embed(patches)], 1) + places
        return F.cross_entropy(head(run(x)[:, 0]), classes(5, count))
    return loss


def language(vocabulary, length, sizes):
    width = sizes[2]

    def loss(theta):
        reader = Reader(theta)
        symbols, places = reader.take(vocabulary, width), reader.take(length, width)
        run, head = reader.blocks(*sizes), reader.linear(width, vocabulary)
        texts = classes(5 * length, vocabulary).reshape(5, length)
        y = run(symbols[texts] + places).reshape(5 * length, width)
        # Every third place is asked for.
        rows = torch.arange(0, 5 * length, 3)
        return F.cross_entropy(head(y[rows]), classes(len(rows), vocabulary))
    return loss


def inputs(count, width):
    return (0.5 + 0.5 * torch.sin(0.37 * torch.arange(count * width))).reshape(count, width)


def classes(count, below):
    return torch.arange(count) % below


SIZES = (2, 3, 6, 4, 5)
CASES = [
    ("mlp-20-7-sigmoid", mlp([49, 20, 7, 10], torch.sigmoid), 20 * 50 + 7 * 21 + 10 * 8),
    ("mlp-20-7-tanh", mlp([49, 20, 7, 10], torch.tanh), 20 * 50 + 7 * 21 + 10 * 8),
    ("mlp-20-7-relu", mlp([49, 20, 7, 10], torch.relu), 20 * 50 + 7 * 21 + 10 * 8),
    ("conv-3-4", convolution(7, 7, [3, 4], 10), 3 * 10 + 4 * 28 + 10 * 5),
    ("vit-l2-h3-d6-k4-m5-p3", vit(7, 3, SIZES, 10), None),
    ("text-l2-h3-d6-k4-m5", language(11, 8, SIZES), None),
]


def count_of(loss):
    """A vector that is too long tells by what it takes how long it has to be."""
    counted = []
    take = Reader.take

    def spy(self, *shape):
        out = take(self, *shape)
        counted.append(self.at)
        return out
    Reader.take = spy
    loss(torch.zeros(100_000))
    Reader.take = take
    return max(counted)


lines = []
for name, loss, expected in CASES:
    count = count_of(loss)
    assert expected in (None, count), (name, count)
    i = torch.arange(count)
    theta, w, u = 0.5 * torch.sin(1.7 * i + 0.3), torch.cos(0.9 * i), torch.sin(0.6 * i + 1.0)
    theta.requires_grad_()
    value = loss(theta)
    (gradient,) = torch.autograd.grad(value, theta, create_graph=True)
    (product,) = torch.autograd.grad(gradient @ w, theta)
    numbers = [value.detach(), gradient.norm(), gradient @ w, product.norm(), product @ u]
    lines.append(f'    ("{name}", {count}, [{", ".join(repr(x.item()) for x in numbers)}]),\n')
with open(os.path.join(HERE, "models.in"), "w") as out:
    out.write("// Written by outside.py; do not edit.\n#[rustfmt::skip]\n")
    out.write(f"const OUTSIDE: [(&str, usize, [f64; 5]); {len(lines)}] = [\n{''.join(lines)}];\n")
print(f"Python {sys.version.split()[0]}, PyTorch {torch.__version__}")
