"""torch, unmodified: memory shared with Arrays, and a DataLoader over Arrays."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: environment consumers-torch")

from torch.utils.data import DataLoader, Dataset, TensorDataset, default_collate  # noqa: E402 - after importorskip

import xtensor as xp  # noqa: E402

VALUES = np.arange(12.0).reshape(6, 2)


class Rows(Dataset):
    """The rows of an Array, each with its number."""

    def __init__(self, x):
        self.x = x

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i, :], i


def as_tensors(samples):
    return torch.stack([torch.from_dlpack(row) for row, _ in samples]), torch.as_tensor([i for _, i in samples])


@pytest.fixture
def host_array(host_device):
    return xp.asarray(VALUES, copy=True)


@pytest.mark.parametrize("convert", [torch.from_dlpack, torch.asarray, torch.as_tensor])
def test_tensor_shares_the_memory_of_an_array(host_array, convert):
    tensor = convert(host_array)
    assert (tensor.dtype, tuple(tensor.shape)) == (torch.float64, (6, 2))
    tensor[0, 0] = 42.0
    assert host_array[0, 0] == 42.0


def test_array_shares_the_memory_of_a_tensor(host_device):
    tensor = torch.arange(6.0)
    x = xp.from_dlpack(tensor, device=host_device)
    assert (x.dtype, x.tolist()) == (xp.float32, tensor.tolist())
    assert xp.asarray(tensor).tolist() == tensor.tolist()


def test_tensor_is_a_copy_by_torch_tensor(host_array):
    tensor = torch.tensor(host_array)
    tensor[0, 0] = 42.0
    assert host_array[0, 0] == 0.0


@pytest.mark.parametrize("workers", [0, 1])
def test_data_loader_batches_arrays(host_array, workers):
    loader = DataLoader(Rows(host_array), batch_size=4, collate_fn=as_tensors, num_workers=workers)
    batches = [(rows.tolist(), numbers.tolist()) for rows, numbers in loader]
    assert batches == [(VALUES[:4].tolist(), [0, 1, 2, 3]), (VALUES[4:].tolist(), [4, 5])]


def test_data_loader_over_tensors_of_arrays(host_array):
    dataset = TensorDataset(torch.from_dlpack(host_array), torch.from_dlpack(host_array[:, 0]))
    assert [x.tolist() for x, _ in DataLoader(dataset, batch_size=3)] == [VALUES[:3].tolist(), VALUES[3:].tolist()]


def test_default_collate_takes_tensors_and_numpy_arrays_only(host_array):
    with pytest.raises(TypeError, match="default_collate"):
        default_collate([host_array[0, :], host_array[1, :]])
    assert default_collate([host_array[0, :].numpy(), host_array[1, :].numpy()]).tolist() == VALUES[:2].tolist()
