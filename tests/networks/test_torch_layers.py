"""Outputs and gradients of layers, next to those of PyTorch with the same weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from torch_support import TOLERANCES, arrays, assert_like_torch, state_of, torch

import xtensor as xp
from xtensor import autograd, nn, optim

T = torch.nn

X = (4, 6)
"""Shape of a batch of vectors."""


def case(name: str, arguments: str, *shapes: Any) -> Any:
    """A layer by its name and constructor's arguments, and the shapes of its inputs."""
    return pytest.param(name, arguments, shapes, id=f"{name}({arguments})")


SIMPLE = [
    *[case("Linear", a, s) for a, s in (("6, 3", X), ("6, 3, bias=False", (6,)), ("6, 3", (2, 4, 6)))],
    *[case("Flatten", a, (2, 3, 4, 5)) for a in ("", "0", "1, 2")],
    case("Unflatten", "1, (2, -1)", X),
    case("Identity", "", X),
    *[case(n, "", X) for n in ("ReLU", "ReLU6", "SiLU", "Mish", "Sigmoid", "LogSigmoid", "Tanh", "SELU", "Softplus")],
    case("LeakyReLU", "0.2", X),
    case("ELU", "0.7", X),
    case("Hardtanh", "-0.5, 0.7", X),
    *[case("GELU", a, X) for a in ("", "approximate='tanh'")],
    case("Softplus", "2.0, 1.0", X),
    *[case(n, f"dim={d}", (3, 4, 6)) for n in ("Softmax", "LogSoftmax", "GLU") for d in (1, -1)],
    *[case("PReLU", a, s) for a, s in (("", X), ("6", X), ("4", (2, 4, 3)))],
]

CONVOLUTIONS = [
    case("Conv1d", "4, 6, 3", (2, 4, 9)),
    case("Conv1d", "4, 6, 3", (4, 9)),
    case("Conv1d", "4, 6, 3, stride=2, padding=2, dilation=2, groups=2, bias=False", (2, 4, 9)),
    case("Conv2d", "3, 5, 3", (2, 3, 7, 8)),
    case("Conv2d", "4, 6, (3, 2), stride=(2, 1), padding=(1, 2), dilation=(1, 2), groups=2", (2, 4, 7, 8)),
    case("Conv2d", "3, 5, 1", (2, 3, 4, 4)),
    case("Conv2d", "4, 8, 3, padding=1", (16, 4, 8, 8)),  # more examples than columns, at distances that conflict
    case("Conv2d", "8, 16, 3, padding=1", (32, 8, 8, 8)),  # of so many examples, by kernels without windows
    case("Conv2d", "4, 4, 3, padding='same', groups=4", (2, 4, 5, 6)),
    case("Conv2d", "4, 4, (2, 4), padding='same', dilation=(3, 1)", (2, 4, 5, 6)),
    *[
        case("Conv2d", f"2, 3, 3, padding=2, padding_mode='{m}'", (2, 2, 5, 6))
        for m in ("reflect", "replicate", "circular")
    ],
    case("Conv3d", "2, 3, 2, stride=2, padding=1", (2, 2, 4, 5, 4)),
    case("ConvTranspose1d", "4, 6, 3, stride=3, padding=1, output_padding=1, groups=2", (2, 4, 5)),
    case("ConvTranspose1d", "4, 6, 2, padding=1", (4, 5)),
    case("ConvTranspose2d", "4, 6, 3", (2, 4, 4, 5)),
    case("ConvTranspose2d", "4, 6, (3, 4), stride=(2, 3), padding=(1, 0), output_padding=(1, 2)", (2, 4, 4, 3)),
    case("ConvTranspose2d", "4, 4, 3, stride=2, groups=2, dilation=2, padding=3, bias=False", (2, 4, 4, 3)),
    case("ConvTranspose2d", "3, 2, 1, stride=2, padding=1, output_padding=1", (2, 3, 4, 4)),
    case("ConvTranspose3d", "2, 3, 2, stride=2", (1, 2, 3, 2, 3)),
]

POOLS = [
    case("MaxPool1d", "3", (2, 3, 10)),
    case("MaxPool1d", "3, stride=2, padding=1, dilation=2, ceil_mode=True", (2, 3, 10)),
    case("MaxPool2d", "2", (2, 3, 6, 7)),
    case("MaxPool2d", "(3, 2), stride=(2, 1), padding=(1, 1), ceil_mode=True", (2, 3, 6, 7)),
    case("MaxPool3d", "2, padding=1", (2, 2, 4, 5, 4)),
    case("AvgPool1d", "3, stride=2, padding=1", (2, 3, 10)),
    case("AvgPool2d", "2", (3, 6, 6)),
    case("AvgPool2d", "3, stride=2, padding=1, ceil_mode=True", (2, 3, 6, 7)),
    case("AvgPool2d", "3, stride=2, padding=1, ceil_mode=True, count_include_pad=False", (2, 3, 6, 7)),
    case("AvgPool2d", "(3, 2), divisor_override=5", (2, 3, 6, 7)),
    case("AvgPool3d", "2, stride=3, padding=1, ceil_mode=True", (2, 2, 5, 6, 5)),
    *[
        case(f"Adaptive{k}Pool{n}d", a, (2, 3, *(7, 6, 5)[:n]))
        for k in ("Avg", "Max")
        for n in (1, 2, 3)
        for a in ("1", "3")
    ],
    case("AdaptiveAvgPool2d", "(None, 4)", (2, 3, 7, 6)),
    *[case("Upsample", f"scale_factor={f}", (2, 3, 4, 5)) for f in (2, 3, 1.5, (0.5, 2.0))],
    *[
        case("Upsample", f"size=7, mode='{m}', align_corners={a}", (2, 3, *(4, 5, 3)[:n]))
        for m, n in (("linear", 1), ("bilinear", 2), ("trilinear", 3))
        for a in (True, False)
    ],
    case("Upsample", "scale_factor=2, mode='bilinear'", (2, 3, 4, 5)),
    case("Upsample", "scale_factor=1.7, mode='bilinear'", (2, 3, 4, 5)),
    *[
        case("Upsample", f"{target}, mode='bicubic', align_corners={aligned}", (2, 3, 4, 5))
        for target in ("(9, 3)", "(2, 11)", "scale_factor=2", "scale_factor=(1.7, 0.5)", "1")
        for aligned in (True, False)
    ],
    case("Upsample", "size=(3, 9)", (2, 3, 4, 5)),
]

NORMALIZATIONS = [
    case("BatchNorm1d", "6", X),
    case("BatchNorm1d", "3", (4, 3, 5)),
    *[
        case("BatchNorm2d", f"3, {a}", (4, 3, 5, 2))
        for a in ("momentum=0.3", "momentum=None", "eps=0.1, affine=False", "track_running_stats=False", "bias=False")
    ],
    case("BatchNorm3d", "2", (3, 2, 2, 3, 2)),
    *[case("GroupNorm", a, (3, 6, 4)) for a in ("2, 6", "6, 6, affine=False", "1, 6, eps=0.1", "2, 6, bias=False")],
    case("GroupNorm", "3, 6", X),
    *[
        case(f"InstanceNorm{n}d", "3, 1e-3, 0.3, affine=True, track_running_stats=True", (2, 3, *(4, 5, 3)[:n]))
        for n in (1, 2, 3)
    ],
    case("InstanceNorm2d", "3, affine=True, bias=False", (2, 3, 4, 5)),
    *[case(f"InstanceNorm{n}d", f"3, affine={a}", (2, 3, *(4, 5, 3)[:n])) for n in (1, 2, 3) for a in (True, False)],
    *[
        case("LayerNorm", a, (3, 4, 6))
        for a in ("6", "(4, 6), eps=0.1", "6, bias=False", "6, elementwise_affine=False")
    ],
    *[case("RMSNorm", a, (3, 4, 6)) for a in ("6", "(4, 6), eps=0.1", "6, elementwise_affine=False")],
]

RECURRENT = [
    *[
        case(n, a, (5, 3, 4))
        for n in ("RNN", "GRU", "LSTM")
        for a in ("4, 3", "4, 3, 2, bidirectional=True", "4, 3, bias=False")
    ],
    case("LSTM", "4, 5, proj_size=2", (5, 3, 4)),
    case("LSTM", "4, 5, 2, bias=False, bidirectional=True, proj_size=3", (5, 3, 4)),
    *[case(n, "4, 3, batch_first=True", (3, 5, 4)) for n in ("RNN", "GRU", "LSTM")],
    *[case(n, "4, 3, 2", (5, 4), (2, 3)) for n in ("RNN", "GRU")],
    case("RNN", "4, 3, nonlinearity='relu'", (5, 3, 4), (1, 3, 3)),
]


def pair(name: str, arguments: str) -> tuple[Any, Any]:
    """The layer of this package and that of PyTorch."""
    return eval(f"nn.{name}({arguments})", {"nn": nn}), eval(f"T.{name}({arguments})", {"T": T})


@pytest.mark.filterwarnings("ignore:LSTM with projections is not supported with oneDNN")
@pytest.mark.filterwarnings("ignore:Using padding='same':UserWarning")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "arguments", "shapes"), [*SIMPLE, *CONVOLUTIONS, *POOLS, *NORMALIZATIONS, *RECURRENT])
def test_layer_has_outputs_and_gradients_of_pytorch(name: str, arguments: str, shapes: Any, dtype: str) -> None:
    ours, theirs = pair(name, arguments)
    assert_like_torch(ours, theirs, arrays(0, *shapes, dtype=dtype), dtype)


@pytest.mark.parametrize(("name", "arguments", "shapes"), NORMALIZATIONS)
def test_normalization_in_evaluation_is_that_of_pytorch(name: str, arguments: str, shapes: Any) -> None:
    ours, theirs = pair(name, arguments)
    for module in (ours, theirs):
        module.eval()
    assert_like_torch(ours, theirs, arrays(0, *shapes), "float64")


@pytest.mark.parametrize("momentum", [0.1, None])
def test_running_statistics_of_several_batches_are_those_of_pytorch(momentum: float | None) -> None:
    ours, theirs = nn.BatchNorm2d(3, momentum=momentum, dtype=xp.float64), T.BatchNorm2d(3, momentum=momentum).double()
    for seed in range(4):
        (x,) = arrays(seed, (2 + seed, 3, 2, 2))
        ours(xp.asarray(x + seed))
        theirs(torch.from_numpy(x + seed))
    for name, buffer in theirs.named_buffers():
        np.testing.assert_allclose(xp.to_numpy(dict(ours.named_buffers())[name]), buffer.numpy(), rtol=1e-13)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_lstm_with_initial_states_is_that_of_pytorch(dtype: str) -> None:
    ours, theirs = pair("LSTM", "4, 3, 2, bidirectional=True")
    call = lambda module, x, h, c: module(x, (h, c))  # noqa: E731
    assert_like_torch(ours, theirs, arrays(0, (5, 2, 4), (4, 2, 3), (4, 2, 3), dtype=dtype), dtype, call)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    "arguments",
    [
        "10, 4",
        "10, 4, padding_idx=3",
        "10, 4, scale_grad_by_freq=True",
        "10, 4, None, 1.5",
        "10, 4, 3, 1.0, 1.0, True",
        "10, 4, max_norm=0.5, norm_type=float('inf')",
        "10, 4, max_norm=2.0, norm_type=3.5",
    ],
)
def test_embedding_is_that_of_pytorch(arguments: str, dtype: str) -> None:
    ours, theirs = pair("Embedding", arguments)
    assert_like_torch(ours, theirs, [np.asarray([[1, 3, 3], [9, 1, 0]])], dtype)
    assert repr(ours) == repr(theirs)
    np.testing.assert_allclose(xp.to_numpy(ours.weight), theirs.weight.detach().numpy(), rtol=TOLERANCES[dtype])


@pytest.mark.parametrize("fused", [False, True], ids=["plain", "fused"])
def test_training_with_a_bound_of_norms_is_that_of_pytorch(fused: bool) -> None:
    """The table also maps the vectors back, so that its gradient has two parts."""
    ours, theirs = pair("Embedding", "12, 4, max_norm=1.0")
    theirs = theirs.double()
    ours = ours.astype("float64")
    ours.load_state_dict(state_of(theirs))
    optimizer, reference = optim.SGD(ours, lr=0.5), torch.optim.SGD(theirs.parameters(), lr=0.5)

    def step(model: Any, optimizer: Any, indices: Any) -> Any:
        def loss(model: Any) -> Any:
            rows = model(indices)
            return xp.sum((rows @ model.weight.T) ** 2)

        gradient = autograd.grad(loss)(model)
        return optimizer.update(model, gradient)

    step = xp.fuse(step) if fused else step
    for seed in range(4):
        indices = np.random.default_rng(seed).integers(0, 12, 5)
        step(ours, optimizer, xp.asarray(indices))
        reference.zero_grad()
        rows = theirs(torch.from_numpy(indices))
        ((rows @ theirs.weight.T) ** 2).sum().backward()
        reference.step()
        np.testing.assert_allclose(xp.to_numpy(ours.weight), theirs.weight.detach().numpy(), rtol=1e-10)


def test_gradient_of_a_sparse_embedding_has_the_numbers_of_pytorch() -> None:
    ours, theirs = pair("Embedding", "10, 4, sparse=True")
    ours.load_state_dict(state_of(theirs))
    indices = np.asarray([1, 3, 3])
    gradient = autograd.grad(lambda m: xp.sum(m(xp.asarray(indices)) ** 2))(ours).weight
    (theirs(torch.from_numpy(indices)) ** 2).sum().backward()
    np.testing.assert_allclose(xp.to_numpy(gradient), theirs.weight.grad.to_dense().numpy(), rtol=1e-6)


@pytest.mark.parametrize("alone", [False, True], ids=["examples", "example"])
@pytest.mark.parametrize(
    ("name", "arguments", "shape"),
    [
        ("MaxPool1d", "3", (2, 3, 10)),
        ("MaxPool1d", "3, stride=2, padding=1, dilation=2, ceil_mode=True", (2, 3, 10)),
        ("MaxPool2d", "3, 2, 1, 1, True, True", (2, 3, 6, 7)),
        ("MaxPool2d", "(3, 2), stride=(2, 1), padding=(1, 1), dilation=(1, 2)", (2, 3, 6, 7)),
        ("MaxPool3d", "2, padding=1", (2, 2, 4, 5, 4)),
        ("AdaptiveMaxPool1d", "4", (2, 3, 10)),
        ("AdaptiveMaxPool2d", "(2, 3)", (2, 3, 6, 7)),
        ("AdaptiveMaxPool2d", "(None, 3)", (2, 3, 6, 7)),
        ("AdaptiveMaxPool3d", "2", (2, 2, 4, 5, 4)),
    ],
)
def test_indices_of_maxima_are_those_of_pytorch(name: str, arguments: str, shape: Any, alone: bool) -> None:
    """Among few values, many are equal; some windows have nothing but -infinity, or a NaN."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, shape).astype(np.float64)
    x[..., :3] = -np.inf
    x[0, 0, ..., -1] = np.nan
    x = x[0] if alone else x
    ours, theirs = pair(name, f"{arguments}, return_indices=True" if "True, True" not in arguments else arguments)
    (found, index), (expected, places) = ours(xp.asarray(x)), theirs(torch.from_numpy(x))
    np.testing.assert_array_equal(xp.to_numpy(found), expected.numpy())
    several = np.isnan(expected.numpy())  # of several NaN, ours is the first and theirs the last
    assert index.shape == places.shape
    assert index.dtype == xp.int64
    np.testing.assert_array_equal(xp.to_numpy(index)[~several], places.numpy()[~several])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    ("name", "arguments", "shape", "size"),
    [
        ("1d", "3", (2, 3, 9), None),
        ("1d", "2, stride=3, padding=1", (2, 3, 9), None),
        ("1d", "3", (3, 10), (10,)),
        ("2d", "2", (2, 3, 6, 7), (6, 7)),
        ("2d", "(3, 2), (3, 2), padding=(1, 0)", (2, 3, 7, 7), (2, 3, 7, 7)),
        ("3d", "2", (2, 2, 4, 5, 4), (4, 5, 4)),
    ],
)
def test_unpooling_is_that_of_pytorch(name: str, arguments: str, shape: Any, size: Any, dtype: str) -> None:
    x = arrays(0, shape, dtype=dtype)[0]
    pooled, places = pair(f"MaxPool{name}", f"{arguments}, return_indices=True")[1](torch.from_numpy(x))
    ours, theirs = pair(f"MaxUnpool{name}", arguments)
    call = lambda module, x, index: module(x, index, output_size=size)  # noqa: E731
    assert_like_torch(ours, theirs, [pooled.numpy(), places.numpy()], dtype, call)


@pytest.mark.parametrize(
    ("name", "arguments", "shape", "size"),
    [
        ("1d", "3, stride=2, padding=1", (2, 3, 9), None),
        ("2d", "(3, 2), (3, 1), padding=(1, 0)", (2, 3, 7, 7), (2, 3, 7, 7)),
    ],
)
def test_unpooling_of_windows_that_overlap_is_that_of_pytorch(name: str, arguments: str, shape: Any, size: Any) -> None:
    """The derivative differs: ours is that of the maximum that is written, theirs of each with its index."""
    x = arrays(0, shape)[0]
    pooled, places = pair(f"MaxPool{name}", f"{arguments}, return_indices=True")[1](torch.from_numpy(x))
    ours, theirs = pair(f"MaxUnpool{name}", arguments)
    found = ours(xp.asarray(pooled.numpy()), xp.asarray(places.numpy()), size)
    np.testing.assert_array_equal(xp.to_numpy(found), theirs(pooled, places, size).numpy())


def test_maximum_of_equal_elements_in_several_rows_has_the_derivative_of_the_first() -> None:
    x = np.asarray([[[[0.0, 2.0], [2.0, 0.0]]]])
    for name in ("MaxPool2d", "AdaptiveMaxPool2d"):
        assert_like_torch(*pair(name, "2" if name == "MaxPool2d" else "1"), [x], "float64")


def test_maximum_of_equal_elements_has_the_derivative_of_the_first() -> None:
    x = np.asarray([[[1.0, 2.0, 2.0, 1.0, 0.0, 0.0]]])
    for name in ("MaxPool1d", "AdaptiveMaxPool1d"):
        assert_like_torch(*pair(name, "2"), [x], "float64")


@pytest.mark.parametrize("name", ["ReLU", "ReLU6", "LeakyReLU", "ELU", "SELU", "Hardtanh", "GELU", "SiLU", "PReLU"])
def test_derivatives_at_the_bends_are_those_of_pytorch(name: str) -> None:
    ours, theirs = pair(name, "")
    assert_like_torch(ours, theirs, [np.asarray([0.0, 6.0, -1.0, 1.0, -100.0, 100.0])], "float64")
