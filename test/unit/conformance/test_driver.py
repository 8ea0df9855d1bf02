"""The protocol: frames, refusals, versions, what a driver does with what it doesn't know."""

import io

import numpy as np
import pytest

from cepheid_conformance.candidate import Candidate, CandidateRefused
from cepheid_conformance.driver import wire
from cepheid_conformance.script import Ref, Script
from cepheid_conformance.tensors import Tensor


def test_a_frame_survives_the_stream():
    stream = io.BytesIO()
    wire.send(stream, {"version": wire.VERSION, "a": [1, None]}, [b"12", b"345"])
    stream.seek(0)
    header, payload = wire.receive(stream)
    assert header["a"] == [1, None]
    assert bytes(payload) == b"12345"
    with pytest.raises(wire.WireClosed):
        wire.receive(stream)


def test_another_version_is_refused():
    stream = io.BytesIO()
    wire.send(stream, {"version": wire.VERSION + 1})
    stream.seek(0)
    with pytest.raises(ValueError, match="version"):
        wire.receive(stream)


def test_a_candidate_that_does_not_import_is_refused():
    with (
        Candidate("no_such_implementation") as candidate,
        pytest.raises(CandidateRefused, match="ModuleNotFoundError"),
    ):
        candidate.run([Script()])


def tensor(**facts):
    return Tensor("float32", np.arange(6, dtype=np.float32).reshape(2, 3), **facts)


def test_any_layout_arrives(fake_bench):
    script = Script()
    given = tensor(strides=(1, 4), offset=3, extra=2)
    key = script.tensor(given)
    script.read(key)
    (outcome,) = fake_bench().candidate.run([script])
    (value,) = outcome.reports[0].values
    assert value.strides == (1, 4)
    assert value.offset == 3
    assert np.array_equal(value.array(), given.data)
    assert not outcome.inputs[key].changed


def test_an_exception_is_a_fact_and_ends_the_script(fake_bench):
    script = Script()
    x = script.encode(tensor())
    y = script.encode(Tensor("float32", np.zeros(4, np.float32)))
    script.call("function", "add", [x, y])
    script.read(0)
    (outcome,) = fake_bench().candidate.run([script])
    (report,) = outcome.reports
    assert report.error is not None
    assert report.error.name == "RuntimeError"
    assert "Exception" in report.error.bases
    assert "sizes must agree" in report.error.message


def test_an_unknown_step_is_trouble_not_silence(fake_bench):
    script = Script()
    script.steps.append({"do": "backward"})
    (outcome,) = fake_bench().candidate.run([script])
    assert "no step 'backward'" in str(outcome.trouble)


def test_a_rewritten_storage_is_the_new_reference(fake_bench):
    script = Script()
    first = tensor()
    key = script.tensor(first)
    script.write(key, first.replaced(first.data + 1))
    result = script.call("method", "add", [{"t": key}, {"t": key}])
    script.read(Ref(result))
    (outcome,) = fake_bench().candidate.run([script])
    assert np.array_equal(outcome.reports[-1].values[0].array(), 2 * (first.data + 1))
    assert not outcome.inputs[key].changed


def test_the_same_object_is_recognised(fake_bench):
    script = Script()
    key = script.tensor(tensor())
    script.call("method", "fill_", [{"t": key}, 2])
    (outcome,) = fake_bench().candidate.run([script])
    assert outcome.reports[0].same_as == (key,)
    assert outcome.inputs[key].changed
    assert outcome.inputs[key].version == 1
