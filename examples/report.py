"""What both examples share: options, a progress bar, a plot of the losses, a checkpoint."""

import argparse
import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np


def parser(title, dropout):
    """The options that both take."""
    made = argparse.ArgumentParser(description=title.split("\n")[0])
    made.add_argument("--steps", type=int, default=200)
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--dtype", choices=["float32", "float64"], default="float32")
    made.add_argument("--dropout", type=float, default=dropout)
    made.add_argument("--losses", help="write the losses to this file, as JSON")
    made.add_argument("--checkpoint", help="write the model to this file, a .npz")
    made.add_argument("--picture", help="plot the losses to this file")
    return made


def progress(steps, describe):
    """Counts to `steps`; on a terminal a bar says how far it is, and what `describe()` says."""
    for step in range(steps):
        yield step
        if sys.stderr.isatty():
            done = 30 * (step + 1) // steps
            bar = "#" * done + "." * (30 - done)
            print(f"\r[{bar}] {step + 1}/{steps} {describe()}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)


def plot(losses, width=60, height=12):
    """The losses as text: one column for the mean of a few steps."""
    width = min(width, len(losses))
    edges = [len(losses) * i // width for i in range(width + 1)]
    means = [sum(losses[a:b]) / (b - a) for a, b in pairwise(edges)]
    low, high = min(means), max(means)
    rows = [round((mean - low) / (high - low or 1) * (height - 1)) for mean in means]
    for row in reversed(range(height)):
        label = f"{low + (high - low) * row / (height - 1):8.3f} |"
        print(label + "".join("*" if at == row else " " for at in rows))
    print(" " * 9 + "+" + "-" * width + f" {len(losses)} steps")


def picture(losses, path):
    """The losses as a picture, where matplotlib is installed."""
    try:
        from matplotlib import pyplot
    except ImportError:
        print(f"no {path}: matplotlib is not installed")
        return
    pyplot.plot(losses)
    pyplot.xlabel("step")
    pyplot.ylabel("loss")
    pyplot.savefig(path)


def save(model, path):
    """The parameters and buffers of a model by name, as arrays in a .npz file."""
    np.savez(path, **{name: value.numpy() for name, value in model.state_dict().items()})


def load(torch, model, path):
    """Put back what `save` wrote."""
    with np.load(path) as arrays:
        model.load_state_dict({name: torch.from_numpy(arrays[name]) for name in arrays.files})


def write_losses(losses, path):
    """The losses as JSON, every digit, to compare runs by."""
    Path(path).write_text(json.dumps(losses))
