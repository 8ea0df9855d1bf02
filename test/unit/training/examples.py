"""The examples' losses: `python examples.py` with PyTorch (and scikit-learn) records them."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE.parents[2] / "examples"
RECORDED = HERE / "recorded_losses.json"
RUNS = [
    (name, dtype, steps)
    for name in ("char_gpt", "digits")
    for dtype in ("float64", "float32")
    for steps in (20, 200)
]


def losses_of(name, dtype, steps, launcher=()):
    """What an example gives in a process of its own, and what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "losses.json"
        command = [sys.executable, *launcher, str(FOLDER / f"{name}.py"), "--steps", str(steps)]
        command += ["--dtype", dtype, "--losses", str(path)]
        command += ["--checkpoint", str(Path(folder) / "model.npz")]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
        return json.loads(path.read_text()), done.stdout


if __name__ == "__main__":
    made = {" ".join(map(str, run)): losses_of(*run)[0] for run in RUNS}
    lines = ",\n".join(f"{json.dumps(run)}: {json.dumps(made[run])}" for run in made)
    RECORDED.write_text("{\n" + lines + "\n}\n")
