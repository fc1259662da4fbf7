"""Initial values without chance, next to PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from torch_support import torch

import xtensor as xp
from xtensor import nn


@pytest.mark.parametrize(
    ("name", "param"),
    [(name, None) for name in ("linear", "conv2d", "conv_transpose3d", "sigmoid", "tanh", "relu", "selu", "leaky_relu")]
    + [("leaky_relu", 0.2)],
)
def test_gain_is_that_of_pytorch(name: str, param: Any) -> None:
    assert nn.init.calculate_gain(name, param) == pytest.approx(torch.nn.init.calculate_gain(name, param), rel=1e-15)


@pytest.mark.parametrize(("shape", "groups"), [((6, 2, 3), 1), ((6, 2, 4, 5), 3), ((2, 5, 1, 2, 3), 2)])
def test_weight_of_dirac_is_that_of_pytorch(shape: Any, groups: int) -> None:
    expected = torch.nn.init.dirac_(torch.ones(shape), groups).numpy()
    np.testing.assert_array_equal(xp.to_numpy(nn.init.dirac_(xp.ones(shape), groups)), expected)


def test_every_initializer_of_pytorch_is_here() -> None:
    theirs = {name for name in dir(torch.nn.init) if name.endswith("_") and not name.startswith("_")}
    assert theirs <= set(dir(nn.init))
