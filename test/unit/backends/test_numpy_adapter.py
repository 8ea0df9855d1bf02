"""The NumPy adapter is small, declares what it lacks, and is right in what it has.

The whole suite judges it in a stage of ci/run; here a few checks do, in one dtype.
"""

from pathlib import Path

import pytest

from cepheid_conformance import capability, checks, tolerances
from cepheid_conformance.candidate import Candidate
from cepheid_conformance.cells import Bench, StaticVerdict, enumerate_cells
from cepheid_conformance.op_spec import load_specs
from cepheid_conformance.verdict import judge_cell
from tools.runner import run_this_file

BACKENDS = Path(__file__).resolve().parents[2] / "backends"
CLAIMS = capability.load(BACKENDS / "numpy_adapter.toml")
FAMILIES = {"pointwise", "reduce", "view", "index"}


@pytest.fixture(scope="module")
def bench():
    with Candidate("numpy_adapter", environment={"PYTHONPATH": str(BACKENDS)}) as candidate:
        table = tolerances.load().with_overrides(CLAIMS.tolerances)
        yield Bench(candidate, CLAIMS, table)


def cells_of(kind):
    return list(enumerate_cells(checks.load(kind), load_specs().values(), CLAIMS))


def test_it_has_at_most_100_lines():
    assert len((BACKENDS / "numpy_adapter.py").read_text().splitlines()) <= 100


def test_it_takes_part_with_several_families():
    judged = [cell for cell in cells_of("values") if not isinstance(cell, StaticVerdict)]
    assert {cell.spec.family for cell in judged} >= FAMILIES
    assert len({cell.spec.key for cell in judged}) >= 30


@pytest.mark.parametrize("kind", ["values", "special", "shapes", "variants"])
def test_it_passes(kind, bench):
    check = checks.load(kind)
    failed = {
        cell.id: verdict.reason
        for cell in cells_of(kind)
        if not isinstance(cell, StaticVerdict) and cell.dtype in ("uint8", "float32")
        for verdict in [judge_cell(check, cell, bench)]
        if verdict.verdict != "pass"
    }
    assert failed == {}


def test_what_it_has_no_variant_for_is_unsupported_and_says_so():
    overlap = {cell.reason for cell in cells_of("overlap") if isinstance(cell, StaticVerdict)}
    assert "numpy_adapter declares no variant inplace or out" in overlap


def test_versions_are_not_asked_of_it(bench):
    assert not bench.capability.version_counters


@pytest.mark.parametrize(
    ("line", "message"),
    [('variants = ["functional"]', "variants"), ('features = ["magic"]', "features")],
)
def test_a_capability_file_with_an_unknown_word_is_refused(line, message, tmp_path):
    file = tmp_path / "x.toml"
    file.write_text(f'implementation = "x"\ndevices = ["cpu"]\ndtypes = ["bool"]\n{line}\n')
    with pytest.raises(ValueError, match=message):
        capability.load(file)


def test_a_capability_file_beside_the_candidate_is_found(monkeypatch):
    monkeypatch.setenv("CEPHEID_CANDIDATE_PATH", str(BACKENDS))
    assert capability.find("numpy_adapter:factory") == BACKENDS / "numpy_adapter.toml"
    assert capability.find("cepheid").parent == capability.FOLDER


if __name__ == "__main__":
    run_this_file()
