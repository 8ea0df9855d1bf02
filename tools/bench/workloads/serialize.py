"""Serialize: 512 MB in 200 tensors. The reference is a plain write or read of as many bytes, from
or into memory that the process already holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tools.bench.workloads.case import Case, Context, bench

COUNT, TOTAL = 200, 512_000_000


def state_and_paths(torch: Any, ctx: Context) -> tuple[Any, Path, Path]:
    state = {f"layer.{i}.weight": torch.ones(TOTAL // 4 // COUNT) for i in range(COUNT)}
    return state, Path(ctx.folder, "state.pt"), Path(ctx.folder, "plain")


@bench("serialize/save_512MB")
def save(torch: Any, ctx: Context) -> Case:
    state, path, plain_path = state_and_paths(torch, ctx)
    plain = b"x" * TOTAL

    def write() -> None:
        with plain_path.open("wb") as f:
            f.write(plain)

    return Case(lambda: torch.save(state, path), bytes=2 * TOTAL, ref=write)


@bench("serialize/load_512MB", options={})
@bench("serialize/load_512MB_not_weights_only", options={"weights_only": False})
@bench("serialize/load_512MB_mmap", options={"mmap": True})
def load(torch: Any, ctx: Context, options: dict[str, Any]) -> Case:
    state, path, _ = state_and_paths(torch, ctx)
    torch.save(state, path)

    into = bytearray(b"x" * path.stat().st_size)

    def read() -> None:
        with path.open("rb", buffering=0) as f:
            f.readinto(into)

    lazy = "mmap" in options  # moves nothing, so has no limit by bytes
    return Case(lambda: torch.load(path, **options), bytes=0 if lazy else 2 * TOTAL, ref=read)
