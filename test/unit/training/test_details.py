"""What no recording shows: lists against loops, padding against NumPy, refusals, texts."""

import numpy
import pytest

import cepheid as torch
from cepheid.nn import functional

OPTIMISERS = {
    "SGD": {"momentum": 0.9, "weight_decay": 0.1, "nesterov": True},
    "Adam": {"amsgrad": True, "weight_decay": 0.1},
    "AdamW": {},
    "RMSprop": {"centered": True, "momentum": 0.5},
    "Adagrad": {"lr_decay": 0.1},
}


def stepped(name, groups, options):
    """Parameters of odd sizes after three steps, optimised together or each alone."""
    torch.manual_seed(0)
    params = [torch.nn.Parameter(torch.randn(size)) for size in (1, 7, 33, 257)]
    make = getattr(torch.optim, name)
    optimisers = [make(part, lr=0.01, **options) for part in groups(params)]
    for step in range(3):
        for number, param in enumerate(params):
            param.grad = (param.detach() * (step + 1) + number).sin()
        for optimiser in optimisers:
            optimiser.step()
    return [param.tolist() for param in params]


PASSES = [
    (name, options)
    for name in OPTIMISERS
    for options in ({}, {"foreach": True}, {"fused": True})
    if not (name == "RMSprop" and "fused" in options)  # which has no such option
]


@pytest.mark.parametrize(("name", "pass_"), PASSES, ids=str)
def test_all_at_once_gives_the_bits_of_one_by_one(name, pass_):
    together = stepped(name, lambda params: [params], {**OPTIMISERS[name], **pass_})
    assert together == stepped(name, lambda ps: [[p] for p in ps], OPTIMISERS[name])


@pytest.mark.parametrize("option", ["differentiable", "capturable"])
def test_options_of_later_versions_are_refused(option):
    with pytest.raises(NotImplementedError, match=rf"^Adam: {option}=True is not part"):
        torch.optim.Adam([torch.ones(1)], **{option: True})


def test_workers_are_refused_with_what_to_do():
    with pytest.raises(NotImplementedError, match=r"set num_workers=0"):
        torch.utils.data.DataLoader([1, 2], num_workers=2)


@pytest.mark.parametrize(
    ("mode", "of_numpy"),
    [("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap"), ("constant", "constant")],
)
def test_padding_is_that_of_numpy(mode, of_numpy):
    values = numpy.arange(24.0).reshape(1, 2, 3, 4)
    made = functional.pad(torch.tensor(values), (1, 3, 2, 0), mode)
    assert made.tolist() == numpy.pad(values, ((0, 0), (0, 0), (2, 0), (1, 3)), of_numpy).tolist()


def test_padding_cuts_and_takes_a_value():
    x = torch.arange(4.0)
    assert functional.pad(x, (-1, 2), value=7.0).tolist() == [1.0, 2.0, 3.0, 7.0, 7.0]
    assert functional.pad(x, (-2, -2)).shape == (0,)
    for pad, mode in (((1,), "constant"), ((-3, -2), "constant"), ((4, 0), "reflect")):
        with pytest.raises(RuntimeError, match=r"^pad: "):
            functional.pad(x, pad, mode)
    with pytest.raises(NotImplementedError, match=r"^pad: mode must be"):
        functional.pad(x, (1, 1), "other")


def test_small_functions():
    x = torch.tensor([[3.0, 4.0], [0.0, 1.0]])
    assert functional.one_hot(torch.tensor([1, 0])).tolist() == [[0, 1], [1, 0]]
    assert functional.one_hot(torch.tensor([1]), 3).tolist() == [[0, 1, 0]]
    sliced = torch.func.vmap(lambda i: functional.one_hot(i, 3))(torch.tensor([2, 0]))
    assert sliced.tolist() == [[0, 0, 1], [1, 0, 0]]
    for value, count in ((3, 3), (-1, 3), (-2, -1)):
        with pytest.raises(RuntimeError, match=r"^one_hot: class values must be >= 0 and below"):
            functional.one_hot(torch.tensor([value]), count)
    assert functional.cosine_similarity(x, x).tolist() == pytest.approx([1.0, 1.0])
    assert functional.prelu(-x, torch.tensor([0.5, 0.25])).tolist() == [[-1.5, -1.0], [-0.0, -0.25]]


@pytest.mark.parametrize(("a", "b"), [(-0.05, 0.0), (3.0, 3.2), (-2.0, 2.0)])
def test_truncated_normal_values_stay_within_their_bounds(a, b):
    torch.manual_seed(0)
    values = torch.nn.init.trunc_normal_(torch.empty(2000), 0.5, 1.0, a, b)
    assert a <= float(values.min()) and float(values.max()) <= b
    assert float(values.max()) - float(values.min()) > (b - a) * 0.95


def test_tensors_say_what_records_them():
    x = torch.ones(1, requires_grad=True)
    assert repr(x) == "tensor([1.], requires_grad=True)"
    assert repr(x * 2) == "tensor([2.], grad_fn=<MulBackward0>)"
    assert repr(x.detach()) == "tensor([1.])"
    assert repr(torch.nn.Buffer(torch.ones(1))) == "tensor([1.])"


def table():
    return torch.arange(12.0).reshape(4, 3).requires_grad_()


def test_rows_beyond_the_norm_are_scaled_apart_from_the_gradient():
    weight, places = table(), torch.tensor([1, 3, 3])
    functional.embedding(places, weight, max_norm=1.0).sum().backward()
    norms = weight.detach().square().sum(1).sqrt().tolist()
    assert norms[1] == pytest.approx(1.0) and norms[3] == pytest.approx(1.0)
    assert norms[2] == pytest.approx(149**0.5)  # not named, not scaled
    assert weight.grad.tolist() == [[0.0] * 3, [1.0] * 3, [0.0] * 3, [2.0] * 3]


def test_padding_is_counted_from_the_end_too():
    weight, places = table(), torch.tensor([1, 3, 3])
    functional.embedding(places, weight, padding_idx=-1).sum().backward()
    assert weight.grad.tolist() == [[0.0] * 3, [1.0] * 3, [0.0] * 3, [0.0] * 3]
    with pytest.raises(ValueError, match="padding_idx must be within the 4 rows"):
        functional.embedding(places, weight, padding_idx=4)


def test_sparse_gradients_are_refused():
    with pytest.raises(NotImplementedError, match="sparse=True"):
        torch.nn.Embedding(4, 3, sparse=True)(torch.tensor([0]))
