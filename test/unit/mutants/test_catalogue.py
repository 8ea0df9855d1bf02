"""What the catalogue of mutants promises: enough of them, stable names, reasons, sources."""

import collections
import re

from cepheid_conformance.checks import KINDS
from cepheid_conformance.dtypes import DTYPES


def test_every_op_has_ten_mutants_that_can_show(schemas, mutants):
    counts = collections.Counter(m.op for m in mutants if not m.equivalent and not m.source)
    keys = [
        f"{op['name']}.{op['overload']}" if op["overload"] else op["name"] for op in schemas["ops"]
    ]
    assert [key for key in keys if counts[key] < 10] == []


def test_names_are_unique_and_say_op_class_and_rule(mutants):
    names = [mutant.id for mutant in mutants]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[\w.]+/[a-z]+/[\w.-]+", name) for name in names)
    assert {"add.Tensor/accuracy/ulp4", "sum/size/folds_whole_32", "sqrt/complex/jax-39110"} <= set(
        names
    )


def test_hints_name_what_exists(mutants):
    assert {dtype for mutant in mutants for dtype in mutant.dtypes} <= set(DTYPES)
    assert {check for mutant in mutants for check in mutant.checks} <= set(KINDS)


def test_fifty_real_bugs_name_their_source_and_half_are_held_out(mutants):
    bugs = [mutant for mutant in mutants if mutant.source]
    assert len(bugs) >= 50
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", bug.source) for bug in bugs)
    assert 2 * sum(bug.held_out for bug in bugs) >= len(bugs)
    assert len({bug.source for bug in bugs}) == len(bugs)
