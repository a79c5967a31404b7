"""The learned optimizer's cell with explicit attention over the whole history, in double precision.

Run:  python3 torch_cell.py   (writes cell.in beside it)
An independent form of the cell: no state, every step looks at all keys and values so far, discounted by age.
Weights are 0.5 sin(0.37 i + 0.1) by their place i in the order of Mnemosyne::weights (gains: 1 + that), projections and offsets too.
Made with PyTorch 2.15 on the CPU.
"""
import math
import os
import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
HERE = os.path.dirname(os.path.abspath(__file__))
D, E, FF, R, TAU, SCALE, P = 6, 2, 7, 4, 0.1, 0.3, 10.0
place = 0


def take(*shape):
    global place
    count = math.prod(shape)
    values = 0.5 * torch.sin(0.37 * torch.arange(place, place + count) + 0.1)
    place += count
    return values.reshape(shape)


def norm():
    return 1 + take(D), take(D)


inp = take(D, 2), take(D)
encoders = []
for _ in range(E):
    encoders.append(dict(n1=norm(), q=take(D, D), k=take(D, D), v=take(D, D), o=take(D, D),
                         n2=norm(), up=(take(FF, D), take(FF)), down=(take(D, FF), take(D))))
head = take(1, D), take(1)
for e in encoders:
    e["w"], e["offset"] = take(R // 2, D), take(R // 2)


def phi(e, z):
    along, base = z @ e["w"].T, e["offset"] - 0.5 * (z * z).sum(-1, keepdim=True)
    return torch.cat([torch.exp(base + along), torch.exp(base - along)], -1)


def run(g):
    large = g.abs() >= math.exp(-P)
    x = torch.stack([torch.where(large, g.abs().log() / P, torch.tensor(-1.0)),
                     torch.where(large, g.sign(), math.exp(P) * g)], 1)
    h = F.linear(x, *inp)
    age = torch.arange(len(g))[:, None] - torch.arange(len(g))[None, :]
    weight = torch.where(age >= 0, torch.exp(-TAU * age), torch.tensor(0.0))
    for e in encoders:
        a = F.layer_norm(h, (D,), *e["n1"])
        q, k, v = a @ e["q"].T / D ** 0.25, a @ e["k"].T / D ** 0.25, a @ e["v"].T
        scores = (phi(e, q) @ phi(e, k).T) * weight
        h = h + (scores / scores.sum(1, keepdim=True)) @ v @ e["o"].T
        h = h + F.linear(F.relu(F.linear(F.layer_norm(h, (D,), *e["n2"]), *e["up"])), *e["down"])
    return SCALE * F.linear(h, *head).squeeze(1)


g = torch.tensor([0.5, -2e-3, 3e-6, -1e-9, 4.0, -0.3, 1e-4, 0.2, -7.0, 1e-2, -1e-2, 0.0])
values = lambda t: ", ".join(repr(v) for v in t.tolist())
with open(os.path.join(HERE, "cell.in"), "w") as file:
    file.write("// Written by torch_cell.py; do not edit.\n#[rustfmt::skip]\n"
               f"const GRADIENTS: [f64; {len(g)}] = [{values(g)}];\n#[rustfmt::skip]\n"
               f"const UPDATES: [f64; {len(g)}] = [{values(run(g))}];\n")
print("PyTorch", torch.__version__)
