"""Identity, indexing, conversion, copying: a tensor as a Python object."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import cepheid as torch


def test_gradient_is_one_object():
    p, g = torch.ones(2), torch.zeros(2)
    g.note = "kept"
    p.grad = g
    key = id(g)
    del g
    gc.collect()
    assert p.grad is p.grad and id(p.grad) == key and p.grad.note == "kept"


def test_cycle_through_attributes_is_collected():
    x = torch.ones(1)
    x.me = x
    x.grad = torch.ones(1)
    x.grad.owner = x
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


def test_indexing():
    x = torch.arange(24).reshape(2, 3, 4)
    n = x.numpy()
    for key in (
        1,
        (0, 2),
        slice(None, None, 2),
        (..., 1),
        (None, 0),
        ([0, 1], [1, 2]),
        (slice(None), [2, 0]),
        -1,
    ):
        assert np.array_equal(x[key].numpy(), n[key]), key
    assert np.array_equal(x[x > 5].numpy(), n[n > 5])
    with pytest.raises(IndexError):
        x[2]
    with pytest.raises(IndexError):
        x[0, 0, 0, 0]


def test_assignment():
    x = torch.zeros(3, 3)
    x[1] = torch.arange(3.0)
    x[:, 0] = 5
    x[[0, 2], [1, 1]] = -1.0
    assert x.tolist() == [[5.0, -1.0, 0.0], [5.0, 1.0, 2.0], [5.0, -1.0, 0.0]]


def test_numpy_shares_memory_both_ways():
    a = np.arange(4.0)
    t = torch.from_numpy(a)
    t += 1
    assert a.tolist() == [1.0, 2.0, 3.0, 4.0]
    t.numpy()[0] = 9
    assert t[0].item() == 9.0
    assert torch.from_dlpack(np.arange(3)).tolist() == [0, 1, 2]
    assert np.from_dlpack(torch.arange(3)).tolist() == [0, 1, 2]


def test_pickle_and_copy_keep_sharing_and_values():
    x = torch.arange(4.0)
    a, b = pickle.loads(pickle.dumps((x, x.view(2, 2))))
    assert torch.equal(a, x) and b.shape == (2, 2)
    y = copy.deepcopy(x)
    y.fill_(0)
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_overload_error_lists_the_signatures():
    with pytest.raises(TypeError, match=r"(?s)sum.*dim"):
        torch.sum(torch.ones(2), "no")
    with pytest.raises(TypeError, match="add"):
        torch.add(torch.ones(2))


def test_construction_from_python():
    assert torch.tensor([[1, 2], [3, 4]]).dtype == torch.int64
    assert torch.tensor([1, 2.5]).dtype == torch.float32
    assert torch.tensor([True]).dtype == torch.bool
    with pytest.raises(ValueError):
        torch.tensor([[1], [2, 3]])


if __name__ == "__main__":
    from tools.runner import run_this_file

    run_this_file()
