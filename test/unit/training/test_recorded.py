"""Programs that train: what cepheid gives is what PyTorch gave when they were recorded."""

import json
import math
from pathlib import Path

import pytest
from record import everything

import cepheid

RECORDED = json.loads((Path(__file__).parent / "recorded.json").read_text())
RELATIVE, ABSOLUTE = 2e-5, 5e-6  # float32 through a few layers, sums in another order


def differences(got, wanted, where=""):
    """What is different, by place."""
    if type(got) in (int, float) and type(wanted) in (int, float):
        same = got == wanted or (math.isnan(got) and math.isnan(wanted))
        if not same and not math.isclose(got, wanted, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
            yield f"{where}: {got!r}, recorded {wanted!r}"
    elif type(got) is not type(wanted):
        yield f"{where}: {got!r}, recorded {wanted!r}"
    elif isinstance(wanted, dict):
        if list(got) != list(wanted):
            yield f"{where}: names {list(got)}, recorded {list(wanted)}"
        for name in wanted.keys() & got.keys():
            yield from differences(got[name], wanted[name], f"{where}.{name}")
    elif isinstance(wanted, list):
        if len(got) != len(wanted):
            yield f"{where}: {len(got)} parts, recorded {len(wanted)}"
        for place, pair in enumerate(zip(got, wanted, strict=False)):
            yield from differences(*pair, f"{where}[{place}]")
    elif got != wanted:
        yield f"{where}: {got!r}, recorded {wanted!r}"


@pytest.mark.parametrize("name", sorted(everything()))
def test_a_program_gives_what_pytorch_gave(name):
    made = json.loads(json.dumps(everything()[name](cepheid)))
    assert not list(differences(made, RECORDED[name]))[:10]


def test_every_recorded_program_exists():
    assert sorted(RECORDED) == sorted(everything())
