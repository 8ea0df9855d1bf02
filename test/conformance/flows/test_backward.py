"""Flow 6: a backward pass reaches its stages in order, each done or absent with a reason."""

from test.conformance.flows.flow_table import first_seen, stages, traced
from tools.runner import run_this_file

PROGRAM = "import cepheid; x = cepheid.ones(2, requires_grad=True); {}"
WHOLE = "(x * x).sum().backward()"
OF_INPUTS = "y = x * x; y.sum().backward(inputs=[x])"


def events_of(program, tmp_path, pytestconfig):
    python = pytestconfig.getoption("--candidate-python")
    return traced([python, "-c", PROGRAM.format(program)], 6, tmp_path / "trace")


def test_the_stages_in_order(tmp_path, pytestconfig):
    events = events_of(WHOLE, tmp_path, pytestconfig)
    assert first_seen(events) == stages(6)
    assert len(events) == len(stages(6))


def test_gradients_of_inputs_are_accumulated_last(tmp_path, pytestconfig):
    assert first_seen(events_of(OF_INPUTS, tmp_path, pytestconfig)) == stages(6)


def test_each_leaf_is_accumulated_once(tmp_path, pytestconfig):
    program = "(x * x + cepheid.ones(2, requires_grad=True) * x).sum().backward()"
    events = events_of(program, tmp_path, pytestconfig)
    assert [event["stage"] for event in events].count("accumulate") == 2


def test_a_wrong_gradient_stops_at_its_check(tmp_path, pytestconfig):
    program = (
        "edge = cepheid.autograd.graph.get_gradient_edge(x * x)\n"
        "try: cepheid.autograd.backward(edge, cepheid.ones(3))\n"
        "except RuntimeError as error: assert 'shape [2]; got [3]' in str(error), error\n"
        "else: raise SystemExit(1)"
    )
    events = events_of("\n" + program, tmp_path, pytestconfig)
    assert first_seen(events)[-1] == "execute"


if __name__ == "__main__":
    run_this_file()
