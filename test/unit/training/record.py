"""Write recorded.json with the framework that is here: `python record.py` with PyTorch.

Run it again after a change of a program.
"""

import importlib
import json
from pathlib import Path

HERE = Path(__file__).parent
FILES = ("programs_layers", "programs_modules", "programs_optim", "programs_data")


def everything():
    """Every program by its name."""
    for name in FILES:
        importlib.import_module(name)
    return importlib.import_module("programs").PROGRAMS


def shorter(value):
    """Numbers of nine digits, which float32 needs."""
    if isinstance(value, dict):
        return {name: shorter(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [shorter(item) for item in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def main():
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    made = {name: shorter(run(torch)) for name, run in sorted(everything().items())}
    lines = [f"{json.dumps(name)}: {json.dumps(made[name])}" for name in made]
    (HERE / "recorded.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
