"""Storage, views, versions, layouts: the tensor core through its public face."""

import pytest

import cepheid as torch


def test_views_share_storage_and_version():
    x = torch.arange(6)
    y = x.view(2, 3).t()
    before = y._version
    x.fill_(7)
    assert y.tolist() == [[7, 7], [7, 7], [7, 7]]
    assert y._version == x._version == before + 1
    assert y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()


def test_strides_of_views():
    x = torch.zeros(2, 3, 4)
    assert x.stride() == (12, 4, 1)
    assert x.permute(2, 0, 1).stride() == (1, 12, 4)
    assert x[:, 1:, ::2].stride() == (12, 4, 2) and x[:, 1:, ::2].storage_offset() == 4
    assert x[0].unsqueeze(1).expand(3, 5, 4).stride() == (4, 0, 1)


def test_result_keeps_a_permuted_layout():
    x = torch.ones(2, 3, 4).permute(2, 0, 1)
    assert (x + x).stride() == x.stride()


def test_zero_dim_and_empty():
    scalar = torch.tensor(3.0)
    assert scalar.shape == () and scalar.item() == 3.0
    empty = torch.empty(0, 3)
    assert empty.sum().item() == 0.0 and empty.sum(0).tolist() == [0.0, 0.0, 0.0]


def test_an_output_that_overlaps_is_refused_and_unchanged():
    x = torch.arange(5.0)
    with pytest.raises(RuntimeError):
        torch.add(x[:4], 1, out=x[1:])
    with pytest.raises(RuntimeError):
        torch.zeros(1).expand(3).add_(1)
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_size_overflow_is_an_error():
    with pytest.raises(RuntimeError):
        torch.empty(2**40, 2**40)
    with pytest.raises(RuntimeError):
        torch.empty(-1)


def test_meta_tensors_have_shapes_and_no_data():
    x = torch.empty(4, 5, device="meta")
    y = (x @ torch.empty(5, 6, device="meta")).sum(0)
    assert y.shape == (6,) and y.device.type == "meta"


def test_large_result_is_split_and_whole():
    x = torch.ones(300_001)
    assert (x + x).sum().item() == 600_002.0


if __name__ == "__main__":
    from tools.runner import run_this_file

    run_this_file()
