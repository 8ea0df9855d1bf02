"""Inputs of attention: ranks, blocks of queries and keys, masks, shared heads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import round_to
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor

# batch, queries, keys, depth, width
_Sizes = tuple[tuple[int, ...], int, int, int, int]
_SIZES: dict[str, tuple[_Sizes, ...]] = {
    "small": (((), 3, 5, 4, 4), ((2,), 4, 3, 2, 2), ((1, 2), 3, 5, 4, 6), ((2, 1, 2), 2, 3, 4, 4)),
    "sizes": (
        ((), 1, 1, 1, 1), ((1, 2), 65, 33, 16, 16), ((1, 1), 130, 513, 8, 5),
        ((3,), 1, 1030, 17, 9), ((1, 2), 70, 600, 3, 33), ((), 520, 521, 2, 1),
    ),
    "shapes": (((0,), 2, 3, 4, 4), ((2, 1), 0, 3, 4, 4), ((1,), 2, 3, 1, 0)),
}  # fmt: skip


def _operands(draw: Draw, sizes: _Sizes) -> dict[str, Tensor]:
    batch, queries, keys, depth, width = sizes
    return {
        "query": draw.tensor((*batch, queries, depth)),
        "key": draw.tensor((*batch, keys, depth)),
        "value": draw.tensor((*batch, keys, width)),
    }


def _masks(draw: Draw, sizes: _Sizes) -> Iterator[tuple[Tensor, str]]:
    batch, queries, keys, _, _ = sizes
    seen = draw.rng.random((queries, keys)) < 0.6
    yield Tensor("bool", seen), "a mask of bools"
    yield draw.tensor((*batch, queries, keys)), "a mask for each place"
    yield draw.tensor((queries, 1)), "a mask for each query"
    blind = draw.tensor((queries, keys)).data.copy()
    blind[: (queries + 1) // 2] = -np.inf
    blind[-1, :1] = -np.inf
    yield Tensor(draw.dtype, blind), "queries that see nothing"


def attention(draw: Draw) -> Iterator[Sample]:
    """Plain, causal, masked, scaled."""
    for sizes in _SIZES.get(draw.kind, ()):
        values: dict[str, Any] = dict(_operands(draw, sizes))
        yield Sample(values, f"{sizes}")
        yield Sample({**values, "is_causal": True}, f"{sizes}, causal")
        if draw.kind != "shapes":
            for mask, note in _masks(draw, sizes):
                yield Sample({**values, "attn_mask": mask}, f"{sizes}, {note}")
    if draw.kind == "arguments":
        values = dict(_operands(draw, ((2, 3), 4, 5, 6, 6)))
        for scale in (0.5, -0.25, 0.0):
            yield Sample({**values, "scale": scale}, f"{scale=}")
        yield from _shared_heads(draw)
        if draw.spec.argument("dropout_p") is not None:
            yield Sample({**values, "dropout_p": 1.0}, "every weight dropped")
        if draw.info.itemsize == 2:
            mask = draw.tensor((4, 5), dtype="float32")
            yield Sample({**values, "attn_mask": mask}, "a mask of float32")
    if draw.kind == "broadcast":
        shared = _operands(draw, ((1,), 3, 5, 4, 4))
        yield Sample({**shared, "query": draw.tensor((2, 3, 4))}, "keys for all of a batch")
        yield Sample({**shared, "key": draw.tensor((2, 5, 4))}, "queries for all of a batch")
    if draw.kind == "accuracy":
        values = dict(_operands(draw, ((2,), 20, 40, 8, 8)))
        large = round_to(values["query"].data.astype(np.float64) * 8, draw.info)
        yield Sample({**values, "query": Tensor(draw.dtype, large)}, "large scores")
    yield from _special(draw)


def _special(draw: Draw) -> Iterator[Sample]:
    if draw.kind != "special":
        return
    for name, value in (
        ("query", np.nan), ("value", np.nan), ("value", np.inf), ("value", -np.inf),
    ):  # fmt: skip
        values = dict(_operands(draw, ((2,), 3, 5, 4, 4)))
        data = values[name].data.copy()
        data[0, 1, 2] = value
        yield Sample({**values, name: Tensor(draw.dtype, data)}, f"{value} in {name}")


def _shared_heads(draw: Draw) -> Iterator[Sample]:
    for heads in (1, 2, 4):
        values = {
            "query": draw.tensor((2, 4, 3, 5)),
            "key": draw.tensor((2, heads, 6, 5)),
            "value": draw.tensor((2, heads, 6, 5)),
            "enable_gqa": True,
        }
        yield Sample(values, f"{heads} heads for 4")


# Errors.


def _plain(draw: Draw) -> dict[str, Any]:
    return dict(_operands(draw, ((2,), 3, 5, 4, 4)))


def attention_ranks(draw: Draw) -> Iterator[ErrorSample]:
    """Vectors."""
    values = {**_plain(draw), "query": draw.tensor((4,))}
    yield ErrorSample(values, "RuntimeError", r".*query .*2 dimensions.*\[4\]")


def attention_sizes(draw: Draw) -> Iterator[ErrorSample]:
    """Depths, keys and batches that don't belong together."""
    for name, shape in (("key", (2, 5, 3)), ("value", (2, 4, 4)), ("key", (3, 5, 4))):
        values = {**_plain(draw), name: draw.tensor(shape)}
        yield ErrorSample(values, "RuntimeError", r".*\[", note=f"{name} {list(shape)}")


def attention_dtypes(draw: Draw) -> Iterator[ErrorSample]:
    """Operands of two dtypes."""
    other = "float32" if draw.dtype != "float32" else "float64"
    for name in ("key", "value"):
        values = {**_plain(draw), name: draw.tensor((2, 5, 4), dtype=other)}
        yield ErrorSample(values, "RuntimeError", rf".*one dtype.*{other}", note=name)


def attention_mask(draw: Draw) -> Iterator[ErrorSample]:
    """Masks of another shape or dtype, or beside is_causal."""
    plain = _plain(draw)
    mask = draw.tensor((4, 5))
    yield ErrorSample({**plain, "attn_mask": mask}, "RuntimeError", r".*\[4, 5\]", note="shape")
    mask = draw.tensor((3, 5), dtype="int64")
    yield ErrorSample({**plain, "attn_mask": mask}, "RuntimeError", r".*int64", note="dtype")
    values = {**plain, "attn_mask": draw.tensor((3, 5)), "is_causal": True}
    yield ErrorSample(values, "RuntimeError", r".*is_causal", note="causal")


def attention_groups(draw: Draw) -> Iterator[ErrorSample]:
    """Heads that can't be shared."""
    heads = {"query": 4, "key": 3, "value": 3}
    values: dict[str, Any] = {"enable_gqa": True}
    values |= {name: draw.tensor((2, count, 3, 5)) for name, count in heads.items()}
    yield ErrorSample(values, "RuntimeError", r".*heads.*4 and 3", note="4 for 3")
    values = {**values, "query": draw.tensor((3, 5))}
    yield ErrorSample(values, "RuntimeError", r".*dimension of heads", note="no heads")


def attention_dropout(draw: Draw) -> Iterator[ErrorSample]:
    """A share that is none."""
    yield ErrorSample({**_plain(draw), "dropout_p": 1.5}, "RuntimeError", r"{op}: dropout_p .*1.5")
