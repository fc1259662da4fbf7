"""Functions of networks that were wrong in PyTorch, MLX, tinygrad, ONNX Runtime, ncnn, FlagGems, FastNN or RETURNN.

The expected values are exact. A number in a name is that of a report.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from peer_reports import array, check, gradient, inf, nan

import xtensor as xp
from xtensor import autograd, nn, optim
from xtensor.nn import functional

LN2 = math.log(2)


def signal(*values: float) -> xp.Array:
    return array([[values]], np.float64 if xp.default_device().supports(xp.float64) else np.float32)


def image() -> xp.Array:
    return xp.reshape(signal(*range(16)), (1, 1, 4, 4))


def losses(logits: Any, labels: Any, **options: Any) -> Any:
    return functional.cross_entropy(array(logits), array(labels), **options)


def gradient_of_pooled_squares() -> Any:
    """Return the gradient of a second call, whose formula is fused where a device has a generator of kernels."""
    rows = xp.reshape(xp.arange(64.0 * 64.0), (1, 1, 64, 64))
    gradients = [gradient(lambda x: xp.sum(functional.max_pool2d(x, 2) * 3.0), rows) for _ in range(3)]
    expected = np.zeros((64, 64))
    expected[1::2, 1::2] = 3.0
    return [bool(np.all(xp.to_numpy(g)[0, 0, ...] == expected)) for g in gradients]


def gradient_of_pooled_signal() -> Any:
    rows = signal(*range(4096))
    gradients = [gradient(lambda x: xp.sum(functional.max_pool1d(x, 2)), rows) for _ in range(3)]
    return [float(xp.sum(g[..., 1::2])) for g in gradients] + [float(xp.sum(g[..., ::2])) for g in gradients]


def attended(rows: int, columns: int, **options: Any) -> Any:
    """Return the sums of attention to values 1, 2, 4, … with equal scores."""
    query, key = xp.zeros((1, rows, 2)), xp.zeros((1, columns, 2))
    value = xp.reshape(2.0 ** xp.arange(float(columns)), (1, columns, 1))
    return functional.scaled_dot_product_attention(query, key, value, **options)[0, :, 0]


def running_statistics(momentum: float | None) -> Any:
    layer = nn.BatchNorm1d(1, momentum=momentum)
    for rows in ([[1.0], [3.0]], [[2.0], [6.0]]):
        layer(array(rows, np.float32))
    return [layer.running_mean[0], layer.running_var[0]]


def one_value_of_a_channel() -> Any:
    with pytest.raises(ValueError, match="value"):
        nn.BatchNorm1d(2)(xp.ones((1, 2), dtype=xp.float32))
    return True


def embedding_gradient(**options: Any) -> Any:
    layer = nn.Embedding(3, 1, **options)
    indices = array([0, 1, 1, 2])
    return autograd.grad(lambda layer: xp.sum(layer(indices)))(layer).weight[:, 0]


def updated(rule: Any, steps: int = 1, **options: Any) -> Any:
    """Return a weight of 1 after steps with the gradient 1."""
    layer = nn.Linear(1, 1, bias=False)
    layer.weight = nn.Parameter(xp.ones((1, 1), dtype=xp.float32))
    optimizer = rule(layer, **options)
    for _ in range(steps):
        gradients = autograd.grad(lambda layer: xp.sum(layer.weight))(layer)
        layer = optimizer.update(layer, gradients) or layer
    return layer.weight[0, 0]


def ctc(frames: int, target: list[int], **options: Any) -> Any:
    """Return the loss of frames in which three symbols are equally probable."""
    log_probabilities = xp.full((frames, 1, 3), -math.log(3.0))
    labels = array([target], np.int64) if target else xp.zeros((1, 0), dtype=xp.int64)
    return functional.ctc_loss(log_probabilities, labels, [frames], [len(target)], reduction="sum", **options)


REPORTS = {
    "ncnn 6836 nearest by 0.6": (
        lambda: functional.interpolate(signal(*range(9)), scale_factor=0.6)[0, 0, ...],
        [0.0, 1.0, 3.0, 5.0, 6.0],
    ),
    "nearest by 1.1 of equal length": (
        lambda: functional.interpolate(signal(1.0, 2.0), scale_factor=1.1)[0, 0, ...],
        [1.0, 1.0],
    ),
    "nearest by 1.4": (
        lambda: functional.interpolate(signal(*range(7)), scale_factor=1.4)[0, 0, ...],
        [0.0, 0.0, 1.0, 2.0, 2.0, 3.0, 4.0, 5.0, 5.0],
    ),
    "nearest gradient": (
        lambda: gradient(
            lambda x: xp.sum(functional.interpolate(x, scale_factor=0.6)),
            signal(*range(9)),
        )[0, 0, ...],
        [1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0],
    ),
    "ncnn 6851 linear by 1.5": (
        lambda: functional.interpolate(signal(0, 1, 2, 3, 4), scale_factor=1.5, mode="linear")[0, 0, ...],
        [0.0, 0.5, 7 / 6, 11 / 6, 2.5, 19 / 6, 23 / 6],
    ),
    "linear to one with aligned corners": (
        lambda: functional.interpolate(signal(5, 1, 2), 1, mode="linear", align_corners=True)[0, 0, ...],
        [5.0],
    ),
    "gradient of pooling without overlap": (gradient_of_pooled_squares, [True, True, True]),
    "gradient of pooling along one axis": (gradient_of_pooled_signal, [2048.0] * 3 + [0.0] * 3),
    "onnxruntime 29637 dilation and padding": (
        lambda: functional.max_pool1d(signal(1, 9, 2, 8, 3, 7, 4, 6, 5), 2, stride=1, padding=1, dilation=2)[0, 0, ...],
        [9.0, 2.0, 9.0, 3.0, 8.0, 4.0, 7.0, 5.0, 6.0],
    ),
    "onnxruntime 29637 indices": (
        lambda: functional.max_pool1d(
            signal(1, 9, 2, 8, 3, 7, 4, 6, 5), 2, stride=1, padding=1, dilation=2, return_indices=True
        )[1][0, 0, ...],
        [1, 2, 1, 4, 3, 6, 5, 8, 7],
    ),
    "pytorch 7645 NaN in a window": (lambda: functional.max_pool1d(signal(1, nan, 2, 3), 2)[0, 0, ...], [nan, 3.0]),
    "pytorch 1465 window of -inf": (
        lambda: functional.max_pool1d(signal(-inf, -inf), 2, return_indices=True)[1][0, 0, ...],
        [0],
    ),
    "xla 6409 average of a window over the end": (
        lambda: functional.avg_pool1d(signal(1, 2, 3, 4), 3, stride=2, padding=1, ceil_mode=True)[0, 0, ...],
        [1.0, 3.0, 2.0],
    ),
    "onnx 4958 window beyond the end": (
        lambda: functional.avg_pool1d(signal(1, 2, 3), 1, stride=3, ceil_mode=True, count_include_pad=False)[0, 0, ...],
        [1.0],
    ),
    "average without padding": (
        lambda: functional.avg_pool1d(signal(1, 2, 3), 3, stride=1, padding=1, count_include_pad=False)[0, 0, ...],
        [1.5, 2.0, 2.5],
    ),
    "average with a divisor": (lambda: functional.avg_pool2d(image(), 2, divisor_override=5)[0, 0, 0, :], [2.0, 3.6]),
    "tinygrad 11784 unpooled -inf": (
        lambda: functional.max_unpool1d(signal(-inf, 2), array([[[1, 2]]]), 2)[0, 0, ...],
        [0.0, -inf, 2.0, 0.0],
    ),
    "adaptive average of more outputs": (
        lambda: functional.adaptive_avg_pool1d(signal(1, 2, 3), 5)[0, 0, ...],
        [1.0, 1.5, 2.0, 2.5, 3.0],
    ),
    "pytorch 1565 transposed with dilation and stride": (
        lambda: functional.conv_transpose1d(
            signal(1, 1, 1, 1, 1, 1), signal(1, 1, 1), stride=2, padding=1, output_padding=1, dilation=2
        )[0, 0, ...],
        [0.0, 2.0, 0.0, 3.0, 0.0, 3.0, 0.0, 3.0, 0.0, 3.0, 0.0, 2.0, 0.0, 1.0],
    ),
    "tico 420 padding crops": (
        lambda: functional.conv_transpose1d(signal(1, 2, 3), signal(1, 10), padding=1)[0, 0, ...],
        [12.0, 23.0],
    ),
    "pytorch 37844 circular along the last axis": (
        lambda: nn.Conv2d(1, 1, 3, padding=(0, 1), padding_mode="circular")(xp.zeros((1, 1, 5, 7))).shape,
        (1, 1, 3, 7),
    ),
    "pytorch 103082 causal of other lengths": (lambda: attended(2, 3, causal=True), [1.0, 1.5]),
    "causal of fewer keys": (lambda: attended(3, 2, causal=True), [1.0, 1.5, 1.5]),
    "pytorch 103963 row without keys": (
        lambda: attended(2, 2, mask=array([[False, False], [True, False]])),
        [0.0, 1.0],
    ),
    "row of -inf": (lambda: attended(2, 2, mask=array([[-inf, -inf], [0.0, -inf]])), [0.0, 1.0]),
    "pytorch 73205 smoothing without ignored labels": (
        lambda: losses([[0.0, 0.0], [5.0, 1.0]], [1, -100], label_smoothing=0.2, ignore_index=-100),
        LN2,
    ),
    "pytorch 69339 weights, smoothing, ignored labels": (
        lambda: losses(
            [[1.0, 2.0], [0.0, 0.0]],
            [-100, 1],
            weight=array([0.2, 0.4]),
            label_smoothing=0.1,
            ignore_index=-100,
        ),
        (0.9 * 0.4 + 0.05 * 0.6) * LN2 / 0.4,
    ),
    "weighted mean divides by weights": (
        lambda: losses([[0.0, 0.0], [0.0, math.log(3.0)]], [0, 1], weight=array([3.0, 1.0])),
        (3 * LN2 + math.log(4 / 3)) / 4,
    ),
    "ctc 18215 of an empty target": (lambda: ctc(2, []), 2 * math.log(3.0)),
    "ctc of one label": (lambda: ctc(2, [1]), math.log(9 / 3)),
    "ctc of a repeated label": (lambda: ctc(3, [1, 1]), math.log(27.0)),
    "returnn 1835 impossible target": (lambda: ctc(2, [1, 1], zero_infinity=True), 0.0),
    "returnn 1835 gradient of an impossible target": (
        lambda: gradient(
            lambda x: functional.ctc_loss(
                functional.log_softmax(x), array([[1, 1]]), [2], [2], reduction="sum", zero_infinity=True
            ),
            xp.reshape(xp.arange(6.0), (2, 1, 3)),
        )[0, 0, ...],
        [0.0, 0.0, 0.0],
    ),
    "mlx 3817 unbiased variance": (lambda: running_statistics(0.5), [0.5 * (0.5 * 2) + 0.5 * 4, 0.25 + 0.5 + 4.0]),
    "cumulative average": (lambda: running_statistics(None), [3.0, 5.0]),
    "mlx 3817 one value of a channel": (one_value_of_a_channel, True),
    "pytorch 140913 channels last": (
        lambda: functional.group_norm(xp.permute_dims(xp.reshape(xp.arange(8.0), (1, 2, 2, 2)), (0, 3, 1, 2)), 2)[
            0, 0, ...
        ],
        [[-3 / 5**0.5, -1 / 5**0.5], [1 / 5**0.5, 3 / 5**0.5]],
    ),
    "pytorch 26302 padding has no gradient": (lambda: embedding_gradient(padding_idx=1), [1.0, 0.0, 1.0]),
    "padding counted from the end": (lambda: embedding_gradient(padding_idx=-1), [1.0, 2.0, 0.0]),
    "gradient by frequency": (lambda: embedding_gradient(scale_grad_by_freq=True), [1.0, 1.0, 1.0]),
    "pytorch 91843 mean of one class": (lambda: losses([[3.0], [5.0]], [0, 0]), 0.0),
    "transformers 14539 decay before the step": (
        lambda: updated(optim.AdamW, lr=0.1, weight_decay=0.5, eps=0.0),
        0.95 - 0.1,
    ),
    "nesterov": (lambda: updated(optim.SGD, 2, lr=0.1, momentum=0.5, nesterov=True), 1 - 0.15 - 0.175),
    "first step ignores dampening": (lambda: updated(optim.SGD, 2, lr=0.1, momentum=0.5, dampening=0.5), 0.8),
    "maximize with decay": (lambda: updated(optim.SGD, lr=0.1, weight_decay=1.0, maximize=True), 1.0),
    "mlx 2617 end of warm-up": (
        lambda: [float(optim.cosine(1.0, steps=110, warmup=10, end=0.1)(step)) for step in (0, 9, 10, 60, 110, 500)],
        [0.1, 1.0, 1.0, 0.55, 0.1, 0.1],
    ),
    "schedule counts steps": (
        lambda: [float(optim.step_decay(1.0, every=3, gamma=0.5)(step)) for step in range(5)],
        [1.0, 1.0, 1.0, 0.5, 0.5],
    ),
}

FLOAT32 = {
    name
    for name in REPORTS
    if name.startswith(("mlx 3817", "cumulative", "transformers", "nesterov", "first step", "pytorch 140913"))
}
"""Calls that are computed in float32, or with an epsilon."""


@pytest.mark.parametrize("name", REPORTS)
def test_report_of_a_peer_is_right_here(device, name):
    check(device, REPORTS[name], tolerance=1e-5 if name in FLOAT32 else 0.0)
