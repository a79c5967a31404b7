"""Training steps of a linear transformer with free P and Q on a GPU: PyTorch at the sizes that `gpu_agreement` has timed.

    python workbench/benches/full_gpu.py TABLES [--device cuda:0] [--seconds S] [--compile]

TABLES is the folder with `timings.csv` that `gpu_agreement 0 --out TABLES` wrote on the same machine. PyTorch takes loss and gradient of the
model, with linear attention in the form that uses that it is linear (`moments` in `full.py`), in single precision without TF32, and with `--compile` compiled
as well. Writes `TABLES/pytorch.csv`: milliseconds of a step beside ours, and their ratio, for each of our ways to multiply matrices that
`gpu_agreement` has timed in turns; PyTorch takes each size once.

Before that it takes the small batches of `TABLES/same_linear.csv` and `TABLES/same_softmax.csv` in double precision, and ends with status 1
where loss or gradient differ.
"""

import argparse
import csv
import pathlib
import statistics
import sys
import time

import torch

from full import Free, draw, moments, start_values

SAME = 1e-10
"""What loss and gradient of one small batch may differ by, in double precision."""


def softened(tokens, p, q):
    """Z + P Z M smax(Z' Q Z) / n, tokens as rows."""
    weights = (tokens @ q.T @ tokens.transpose(1, 2)).softmax(-1)[..., :-1]
    return tokens + weights @ (tokens[:, :-1] @ p.T) / (tokens.shape[1] - 1)


LAYERS = {"linear": moments, "softmax": softened}


def milliseconds(step, wait, seconds):
    """Median and least of single steps, each waited for, after three that are not counted."""
    for _ in range(3):
        step()
    wait()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        started = time.perf_counter()
        step()
        wait()
        times.append(1e3 * (time.perf_counter() - started))
    return statistics.median(times), min(times)


def read(path):
    """The arrays of a file with a name in front of each line."""
    with open(path, newline="") as file:
        return {name: torch.tensor([float(v) for v in numbers], dtype=torch.float64) for name, *numbers in csv.reader(file)}


def apart(path, device, layer):
    """Largest difference in loss and in gradient from what the file says, as parts of the largest number."""
    case = {name: numbers.to(device) for name, numbers in read(path).items()}
    d, n, layers, batch = (int(v) for v in case["sizes"])
    matrices = case["values"].reshape(2, layers, d + 1, d + 1)
    model = Free([[matrices[0, l], matrices[1, l]] for l in range(layers)], layer)
    loss = model.loss(case["tokens"].reshape(batch, n + 1, d + 1), case["answers"])
    loss.backward()
    gradient = torch.stack([torch.stack([pair[which].grad for pair in model.matrices]) for which in range(2)]).flatten()
    gap = (gradient - case["gradient"]).abs().max() / case["gradient"].abs().max()
    return abs(loss.item() / case["loss"].item() - 1), gap.item()


def run(row, device, seconds, compiled):
    d, n, layers, batch = (int(row[name]) for name in ("d", "n", "layers", "prompts"))
    torch.manual_seed(batch)
    tokens, answers, _, _ = (x.to(device) for x in draw(d, n, batch))
    model = Free([[m.to(device) for m in pair] for pair in start_values(d, layers)], LAYERS[row["attention"]])
    loss = torch.compile(model.loss) if compiled else model.loss

    def step():
        for m in model.parameters():
            m.grad = None
        loss(tokens, answers).backward()

    wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    return milliseconds(step, wait, seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=pathlib.Path)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--compile", action="store_true")
    given = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    device = torch.device(given.device)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "the machine's own cores"
    holds = True
    for attention, layer in LAYERS.items():
        gaps = apart(given.tables / f"same_{attention}.csv", device, layer)
        same = max(gaps) <= SAME
        print(f"{attention}: PyTorch's loss and gradient differ by {gaps[0]:.1e} and {gaps[1]:.1e}: {'the same' if same else 'NOT THE SAME'}")
        holds = holds and same
    with open(given.tables / "timings.csv", newline="") as file:
        ours = list(csv.DictReader(file))
    columns = ["on", "torch", "form", "attention", "d", "n", "layers", "prompts", "median_ms", "least_ms", "multiplication", "ours_median_ms", "over_ours"]
    timed = {}
    with open(given.tables / "pytorch.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(columns)
        for row in ours:
            for compiled in [False, True] if given.compile else [False]:
                form = "compiled" if compiled else "eager"
                sizes = [row[column] for column in ("attention", "d", "n", "layers", "prompts")]
                own = [row["multiplication"], row["median_ms"]]
                if (form, *sizes) not in timed:
                    try:
                        timed[form, *sizes] = run(row, device, given.seconds, compiled)
                    except torch.OutOfMemoryError:
                        print(f"{form}, {', '.join(sizes)}: PyTorch runs out of memory")
                        timed[form, *sizes] = None
                if timed[form, *sizes] is None:
                    out.writerow([name, torch.__version__, form, *sizes, "", "", *own, ""])
                    continue
                median, least = timed[form, *sizes]
                ratio = median / float(row["median_ms"])
                out.writerow([name, torch.__version__, form, *sizes, median, least, *own, ratio])
                print(f"{form}, {sizes[0]}, (d, n, L, B) = ({', '.join(sizes[1:])}): {median:.3f} ms, {ratio:.2f} times ours ({own[0]})")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
