"""Trajectories of torch.optim in double precision, for the tests of the classical rules.

Run:  python3 torch_optim.py   (writes trajectories.in beside it)
Made with PyTorch 2.15 on the CPU.
"""
import os
import torch

torch.set_default_dtype(torch.float64)
HERE = os.path.dirname(os.path.abspath(__file__))


def quadratic(x):
    """A bowl with curvatures 1, 4, 25 and a centre off the origin."""
    scale = torch.tensor([1.0, 4.0, 25.0])
    return (0.5 * scale * (x - torch.tensor([0.5, -1.0, 0.25])) ** 2).sum()


def rosenbrock(x):
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


O = torch.optim
RULES = {
    "SGD": lambda p: O.SGD(p, lr=1e-3),
    "SGD_DECAY": lambda p: O.SGD(p, lr=1e-3, weight_decay=0.1),
    "MOMENTUM": lambda p: O.SGD(p, lr=5e-4, momentum=0.9),
    "DAMPENED": lambda p: O.SGD(p, lr=5e-4, momentum=0.9, dampening=0.3, weight_decay=0.01),
    "NESTEROV": lambda p: O.SGD(p, lr=5e-4, momentum=0.9, nesterov=True),
    "RMSPROP": lambda p: O.RMSprop(p, lr=1e-2),
    "RMSPROP_ALL": lambda p: O.RMSprop(p, lr=1e-3, alpha=0.95, eps=1e-6, momentum=0.8, centered=True, weight_decay=0.02),
    "ADAM": lambda p: O.Adam(p, lr=3e-2),
    "ADAM_ALL": lambda p: O.Adam(p, lr=1e-2, betas=(0.8, 0.95), eps=1e-4, weight_decay=0.05),
    "ADAMW": lambda p: O.AdamW(p, lr=1e-2, weight_decay=0.01),
}
KEPT = [1, 2, 10, 50]


def trajectory(rule, start, loss):
    x = torch.tensor(start, requires_grad=True)
    optimizer = rule([x])
    kept = []
    for step in range(1, KEPT[-1] + 1):
        optimizer.zero_grad()
        loss(x).backward()
        optimizer.step()
        if step in KEPT:
            kept += x.tolist()
    return kept


out = "// Written by torch_optim.py; do not edit.\n"
for name, rule in RULES.items():
    for label, start, loss in [("QUADRATIC", [1.0, 1.0, 1.0], quadratic), ("ROSENBROCK", [-0.5, 0.7], rosenbrock)]:
        values = trajectory(rule, start, loss)
        body = ", ".join(repr(v) for v in values)
        out += f"#[rustfmt::skip]\nconst {name}_{label}: [f64; {len(values)}] = [{body}];\n"
with open(os.path.join(HERE, "trajectories.in"), "w") as file:
    file.write(out)
print("PyTorch", torch.__version__)
