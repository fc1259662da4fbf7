"""Losses and their gradients, next to those of PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from torch_support import arrays, assert_like_torch, torch

import xtensor as xp
from xtensor import nn

T = torch.nn
DTYPES = pytest.mark.parametrize("dtype", ["float64", "float32"])
REDUCTIONS = ("mean", "sum", "none")

RNG = np.random.default_rng(5)
X, Y = arrays(5, (4, 3), (4, 3))
P, Q = [np.exp(a) / np.sum(np.exp(a), axis=1, keepdims=True) for a in (X, Y)]
CLASSES = np.asarray([2, 0, 1, 2])
WEIGHTS = np.asarray([0.5, 2.0, 1.5])

CASES = [
    *[(name, {}, (X, Y)) for name in ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss")],
    ("SmoothL1Loss", {"beta": 0.3}, (X, Y)),
    ("SmoothL1Loss", {"beta": 0.0}, (X, Y)),
    ("HuberLoss", {"delta": 0.3}, (X, Y)),
    ("BCELoss", {}, (P, Q)),
    ("BCELoss", {"weight": WEIGHTS}, (P, Q)),
    ("BCEWithLogitsLoss", {}, (10 * X, Q)),
    ("BCEWithLogitsLoss", {"weight": WEIGHTS, "pos_weight": WEIGHTS[::-1].copy()}, (X, Q)),
    ("KLDivLoss", {}, (np.log(P), Q)),
    ("KLDivLoss", {"log_target": True}, (np.log(P), np.log(Q))),
    ("NLLLoss", {}, (np.log(P), CLASSES)),
    ("NLLLoss", {"weight": WEIGHTS, "ignore_index": 0}, (np.log(P), CLASSES)),
    ("CrossEntropyLoss", {}, (X, CLASSES)),
    ("CrossEntropyLoss", {"weight": WEIGHTS, "ignore_index": 1, "label_smoothing": 0.2}, (X, CLASSES)),
    ("CrossEntropyLoss", {"weight": WEIGHTS, "label_smoothing": 0.1}, (X, P)),
    ("CrossEntropyLoss", {}, (X, P)),
    ("CrossEntropyLoss", {"label_smoothing": 0.3}, (X[0], np.asarray(1))),
    ("CrossEntropyLoss", {}, (RNG.normal(size=(2, 3, 4)), RNG.integers(0, 3, (2, 4)))),
    ("NLLLoss", {}, (RNG.normal(size=(2, 3, 4)), RNG.integers(0, 3, (2, 4)))),
    ("CosineEmbeddingLoss", {"margin": 0.2}, (X, Y, np.asarray([1, -1, -1, 1]))),
]


def converted(value: Any, dtype: str, convert: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    return convert(value.astype(dtype) if value.dtype.kind == "f" else value)


@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides the total loss:UserWarning")
@DTYPES
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize(("name", "options", "values"), CASES, ids=lambda x: x if isinstance(x, str) else "")
def test_loss_is_that_of_pytorch(name: str, options: Any, values: Any, reduction: str, dtype: str) -> None:
    ours, theirs = [
        getattr(library, name)(
            reduction=reduction, **{key: converted(value, dtype, convert) for key, value in options.items()}
        )
        for library, convert in ((nn, xp.asarray), (T, torch.from_numpy))
    ]
    assert_like_torch(ours, theirs, [converted(value, dtype, np.asarray) for value in values], dtype)


def test_divergence_by_batch_is_that_of_pytorch() -> None:
    ours, theirs = [library.KLDivLoss(reduction="batchmean") for library in (nn, T)]
    assert_like_torch(ours, theirs, [np.log(P), Q], "float64")


@DTYPES
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("flat", [True, False])
def test_loss_of_alignments_is_that_of_pytorch(flat: bool, reduction: str, dtype: str) -> None:
    targets = np.asarray([[1, 2, 2, 3], [3, 0, 0, 0], [1, 1, 0, 0]])
    lengths = np.asarray([4, 1, 2])
    blank = 0
    if flat:
        targets = np.concatenate([row[:n] for row, n in zip(targets, lengths, strict=True)])
    inputs = np.asarray([9, 5, 7])
    ours, theirs = [library.CTCLoss(blank=blank, reduction=reduction) for library in (nn, T)]

    def call(module: Any, x: Any, *others: Any) -> Any:
        return module(
            T.functional.log_softmax(x, 2) if isinstance(x, torch.Tensor) else nn.functional.log_softmax(x), *others
        )

    (x,) = arrays(0, (9, 3, 4), dtype=dtype)
    assert_like_torch(ours, theirs, [x, targets, inputs, lengths], dtype, call)


def test_loss_of_an_impossible_alignment_is_infinite_or_zero() -> None:
    x = xp.asarray(np.log(np.full((2, 1, 3), 1 / 3)))
    for zero, expected in ((False, np.inf), (True, 0.0)):
        loss = nn.functional.ctc_loss(x, xp.asarray([[1, 1]]), [2], [2], zero_infinity=zero, reduction="sum")
        assert float(loss) == expected
