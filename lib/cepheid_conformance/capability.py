"""Capability files: what an implementation claims, and its known deviations."""

from __future__ import annotations

import datetime
import os
import re
import tomllib
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from .candidate import PATH_VARIABLE
from .dtypes import DTYPES
from .op_spec import OpSpec
from .tensors import Tensor

LEVELS = ("must", "should", "may")
"""What a requirement rests on: documentation or mathematics, what users rely on, convenience."""
VARIANTS = ("function", "method", "inplace", "out")
FOLDER = Path(__file__).with_name("capabilities")
# What an implementation may have beyond the ops, and what checks then hold it to.
FEATURES = {
    "conj": "conj() returns a view that conjugates when it is read",
    "neg": "the imaginary part of such a view negates when it is read",
    "threads": "set_num_threads(n)",
    "gradients": "requires_grad_(), autograd.grad() and backward()",
    "transforms": "func.vmap(), and autograd.grad() of several cotangents at once",
    "guarded_dtypes": "an op refuses dtypes beyond its own, or its result is right all the same",
    "bits_by_place": "the result of an element doesn't depend on its place in a tensor",
    "bits_by_threads": "every op gives the same bits for every number of threads",
}

_REASON = 20  # characters that one takes at least
_FIELDS = {"implementation", "wording", "devices", "dtypes", "features", "variants"}
_FIELDS |= {"version_counters", "built_on", "level"}
# Of each kind of entry: what it needs, and what it may have.
_ENTRIES: dict[str, tuple[set[str], set[str]]] = {
    "missing": ({"op", "reason"}, set()),
    "tolerance": ({"op", "ulp", "reason"}, {"dtypes", "device"}),
    "deviation": ({"cells", "finding", "kind", "reason", "reference"}, {"issue", "expires"}),
}


@dataclass(frozen=True)
class Deviation:
    """A known deviation: cells by pattern, and which of their findings it explains."""

    cells: str
    finding: str
    kind: str  # peer_bug, or gap (declared, to be closed)
    reason: str
    reference: str
    issue: str = ""  # where it is followed
    expires: datetime.date | None = None  # the last day on which it explains anything

    @property
    def is_expired(self) -> bool:
        """Whether its time is over: its cells then fail as if it weren't there."""
        return self.expires is not None and self.expires < datetime.date.today()

    def covers(self, cell_id: str) -> bool:
        """Whether the deviation speaks of this cell."""
        return any(self.covers_by(pattern, cell_id) for pattern in self.cells.split())

    @staticmethod
    def covers_by(pattern: str, cell_id: str) -> bool:
        """Whether one pattern matches a cell."""
        return fnmatchcase(cell_id, pattern)

    def explains(self, finding: str) -> bool:
        """Whether it explains this finding."""
        return re.search(self.finding, finding) is not None


@dataclass(frozen=True)
class Capability:
    """One implementation's file."""

    implementation: str
    wording: bool
    devices: tuple[str, ...]
    dtypes: tuple[str, ...]
    missing_ops: dict[str, str]
    tolerances: tuple[dict[str, Any], ...]
    deviations: tuple[Deviation, ...]
    features: tuple[str, ...] = ()  # see FEATURES
    variants: tuple[str, ...] = VARIANTS  # a functional library has no in-place and out= forms
    version_counters: bool = True  # whether tensors count the writes to them
    built_on: tuple[str, ...] = ()  # tensor libraries that do its work, as it says openly
    level: str = LEVELS[-1]  # the last of LEVELS that it claims; those before are claimed too

    def offered(self, spec: OpSpec) -> OpSpec:
        """The op with the variants that the implementation has."""
        return _offered(spec, self.variants)

    def claims(self, values: dict[str, Any]) -> bool:
        """Whether every argument of a call is of a declared dtype; the others say nothing about
        the implementation."""
        flat = [x for value in values.values() for x in (value if _is_list(value) else [value])]
        needed = {x.dtype for x in flat if isinstance(x, Tensor)}
        needed |= {x for x in flat if isinstance(x, str) and x in DTYPES}
        if any(isinstance(x, complex) for x in flat):
            needed.add("complex64")
        return needed <= set(self.dtypes)

    def unsupported(self, spec: OpSpec, dtype: str, device: str) -> str | None:
        """The declared reason why this op, dtype or device is absent, or None."""
        if device not in self.devices:
            return f"{self.implementation} declares no device {device}"
        if dtype not in self.dtypes:
            return f"{self.implementation} declares no dtype {dtype}"
        for pattern in (spec.key, f"{spec.key}-{device}-{dtype}"):
            if pattern in self.missing_ops:
                return self.missing_ops[pattern]
        return None

    def deviations_of(self, cell_id: str) -> list[Deviation]:
        """The deviations in force that speak of a cell."""
        return [d for d in self.deviations if d.covers(cell_id) and not d.is_expired]


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


@cache  # samples are kept for each spec as an object
def _offered(spec: OpSpec, variants: tuple[str, ...]) -> OpSpec:
    if set(spec.variants) <= set(variants):
        return spec
    return replace(spec, variants=tuple(v for v in spec.variants if v in variants))


def find(implementation: str, path: str | None = None) -> Path:
    """The capability file: `path`, or the one named after the implementation's package, beside it
    in a folder of CEPHEID_CANDIDATE_PATH or among those of this package."""
    if path:
        return Path(path)
    named = os.environ.get(PATH_VARIABLE, "").split(os.pathsep)
    folders = [*(Path(folder) for folder in named if folder), FOLDER]
    files = [folder / f"{implementation.partition(':')[0]}.toml" for folder in folders]
    found = next((file for file in files if file.exists()), None)
    if found is None:
        raise FileNotFoundError(
            f"capability: {implementation} must have a capability file; looked at "
            f"{', '.join(map(str, files))}; name its folder in {PATH_VARIABLE}, or the file by "
            "pytest's --capabilities"
        )
    return found


def load(path: Path) -> Capability:
    """Read and check a capability file."""
    content = tomllib.loads(path.read_text())
    _check_names(path, content)
    unknown = [name for name in content["dtypes"] if name not in DTYPES]
    if unknown:
        raise ValueError(f"{path.name}: dtypes must be known; got {unknown}; see dtypes.py")
    features = tuple(content.get("features", ()))
    if not set(features) <= set(FEATURES):
        raise ValueError(f"{path.name}: features must be among {list(FEATURES)}; got {features}")
    variants = tuple(content.get("variants", VARIANTS))
    if not set(variants) <= set(VARIANTS):
        raise ValueError(f"{path.name}: variants must be among {VARIANTS}; got {variants}")
    level = content.get("level", LEVELS[-1])
    if level not in LEVELS:
        raise ValueError(f"{path.name}: level must be one of {LEVELS}; got {level!r}")
    for entry in (*content.get("tolerance", ()), *content.get("missing", ())):
        if len(entry["reason"]) < _REASON:
            raise ValueError(f"{path.name}: every entry needs a reason; got {entry}")
    return Capability(
        content["implementation"],
        content.get("wording", False),
        tuple(content["devices"]),
        tuple(content["dtypes"]),
        {op: entry["reason"] for entry in content.get("missing", ()) for op in entry["op"].split()},
        tuple(content.get("tolerance", ())),
        tuple(_deviation(path, entry) for entry in content.get("deviation", ())),
        features,
        variants,
        content.get("version_counters", True),
        tuple(content.get("built_on", ())),
        level,
    )


def within(level: str, limit: str) -> bool:
    """Whether a requirement of this level counts where those up to `limit` do."""
    return LEVELS.index(level) <= LEVELS.index(limit)


def _check_names(path: Path, content: dict[str, Any]) -> None:
    """Refuse a name that would be overlooked, and an entry that lacks one."""
    unknown = sorted(set(content) - {*_FIELDS, *_ENTRIES})
    if unknown:
        raise ValueError(f"{path.name}: fields must be known; got {unknown}")
    for table, (needed, optional) in _ENTRIES.items():
        for entry in content.get(table, ()):
            if not needed <= set(entry) <= needed | optional:
                raise ValueError(f"{path.name}: [[{table}]] needs {sorted(needed)}; got {entry}")


def _deviation(path: Path, entry: dict[str, Any]) -> Deviation:
    deviation = Deviation(**entry)
    if deviation.kind not in ("peer_bug", "gap") or len(deviation.reason) < _REASON:
        raise ValueError(f"{path.name}: a deviation needs a kind and a reason; got {entry}")
    if deviation.expires is not None and type(deviation.expires) is not datetime.date:
        raise ValueError(f"{path.name}: expires must be a date, as 2027-01-31; got {entry}")
    re.compile(deviation.finding)
    return deviation
