"""Functions of neural networks on any device.

On a Triton device they are fused kernels: one pass over memory where there is one to make. On every other device they
are computed in terms of the namespace, by the formulas given here. For all of them:

- Operands are Arrays of real floating-point dtypes on one device, and promote to the dtype of the result. float16 and
  bfloat16 are computed in float32 and rounded once.
- TypeError is raised for what is no Array, or of another kind of dtype; ValueError for shapes that do not fit.
- ``precision="tf32"`` lets float32 matrices be multiplied with 10 bits of mantissa where the hardware does that
  faster; ``"exact"`` never does.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from .._core.array import Array, attempt, wrap
from .._core.checks import check_axes, check_axis, check_flag, check_integer, check_word
from .._core.dispatch import common_device, composed, device_of, native_operand
from .._core.dtypes import kind_of, result_type
from .._core.errors import describe
from .._core.operations import declare, operation
from .._standard.data_types import astype
from .._standard.manipulation import moveaxis
from ._generic import GENERIC

__all__ = [
    "cross_entropy",
    "gelu",
    "layer_norm",
    "linear",
    "log_softmax",
    "relu",
    "rms_norm",
    "rotary_embedding",
    "scaled_dot_product_attention",
    "silu",
    "softmax",
    "swiglu",
]


def __dir__() -> list[str]:
    return sorted(__all__)


Precision = Literal["exact", "tf32"]


@composed
def cross_entropy(
    logits: Array,
    target: Array,
    /,
    *,
    axis: int = -1,
    label_smoothing: float = 0.0,
    ignore_index: int | None = None,
    reduction: Literal["mean", "sum", "none"] = "mean",
) -> Array:
    r"""The cross entropy of classes, :math:`-\log \mathrm{softmax}(x)_t`.

    With label smoothing :math:`\varepsilon`, a share :math:`\varepsilon` of the truth is spread evenly over all
    :math:`C` classes: :math:`-(1 - \varepsilon) \log p_t - \frac{\varepsilon}{C} \sum_c \log p_c`.

    Parameters
    ----------
    logits
        Array of the classes' scores along ``axis``.
    target
        Array of integers: the true class of each row, of the shape of ``logits`` without ``axis``.
    axis
        The axis of the classes.
    label_smoothing
        The share :math:`\varepsilon` in [0, 1].
    ignore_index
        Rows of this target have no loss, and do not count in the mean.
    reduction
        ``"mean"`` over the rows that count, ``"sum"``, or ``"none"`` for the loss of each row.

    Returns
    -------
    Array
        0-d, or of the shape of ``target``. A target that is no class gives NaN.

    Notes
    -----
    Label smoothing: Szegedy et al., Rethinking the Inception Architecture for Computer Vision, 2016, section 7.
    """
    _check_real("cross_entropy", "logits", logits)
    if device_of(target, "cross_entropy") and target.dtype.kind not in "iu":
        raise TypeError(f"cross_entropy(): target holds classes as integers, not dtype {target.dtype}")
    place = check_axis(axis, logits.ndim, "cross_entropy")
    rows = logits.shape[:place] + logits.shape[place + 1 :]
    if target.shape != rows:
        raise ValueError(
            f"cross_entropy(): target has shape {target.shape}; logits of shape {logits.shape} with classes along "
            f"axis {place} need {rows}"
        )
    if not logits.shape[place]:
        raise ValueError(f"cross_entropy(): logits of shape {logits.shape} have no classes along axis {place}")
    smoothing = _real("cross_entropy", "label_smoothing", label_smoothing)
    if not 0 <= smoothing <= 1:
        raise ValueError(f"cross_entropy(): label_smoothing is a share from 0 to 1, not {label_smoothing!r}")
    ignored = None if ignore_index is None else check_integer(ignore_index, "cross_entropy", "ignore_index")
    check_word(reduction, ("mean", "sum", "none"), "cross_entropy", "reduction")
    if place != logits.ndim - 1:
        logits = moveaxis(logits, place, -1)
    return _computed(
        "cross_entropy", logits, target, label_smoothing=smoothing, ignore_index=ignored, reduction=reduction
    )


@composed
def gelu(x: Array, /, *, approximate: Literal["none", "tanh"] = "none") -> Array:
    r"""The Gaussian error linear unit, :math:`x \Phi(x) = \frac{x}{2} \operatorname{erfc}(-x / \sqrt 2)`.

    Parameters
    ----------
    x
        Array.
    approximate
        ``"tanh"`` for :math:`\frac{x}{2} (1 + \tanh(\sqrt{2/\pi} (x + 0.044715 x^3)))`.

    Returns
    -------
    Array
        Of the shape and dtype of ``x``.

    Notes
    -----
    Hendrycks and Gimpel, Gaussian Error Linear Units, 2016.
    """
    _check_real("gelu", "x", x)
    return _computed("gelu", x, approximate=check_word(approximate, ("none", "tanh"), "gelu", "approximate"))


@composed
def layer_norm(
    x: Array,
    weight: Array | None = None,
    bias: Array | None = None,
    /,
    *,
    axis: int | tuple[int, ...] = -1,
    eps: float = 1e-5,
) -> Array:
    r"""Layer normalisation, :math:`\frac{x - \bar x}{\sqrt{\sigma^2 + \epsilon}} w + b`.

    :math:`\bar x` and :math:`\sigma^2` are the mean and the variance (of the population) over ``axis``.

    Parameters
    ----------
    x
        Array.
    weight, bias
        Arrays :math:`w` and :math:`b` of the lengths of ``axis``; None for 1 and 0.
    axis
        The last axis, or a tuple of the last ones.
    eps
        :math:`\epsilon`, which keeps the quotient finite.

    Returns
    -------
    Array
        Of the shape of ``x``.

    Notes
    -----
    Ba, Kiros and Hinton, Layer Normalization, 2016.
    """
    _check_real("layer_norm", "x", x)
    axes = _last_axes("layer_norm", x, axis)
    shape = x.shape[axes[0] :]
    for name, array in (("weight", weight), ("bias", bias)):
        _check_parameter("layer_norm", name, array, shape)
    return _computed("layer_norm", x, weight, bias, axes=axes, eps=_positive("layer_norm", eps))


@composed
def linear(x: Array, weight: Array, bias: Array | None = None, /, *, precision: Precision = "exact") -> Array:
    r"""The affine map :math:`x W^{\mathsf T} + b`.

    Parameters
    ----------
    x
        Array of shape (…, n).
    weight
        :math:`W`, of shape (m, n).
    bias
        :math:`b`, of shape (m,), or None.
    precision
        ``"exact"`` or ``"tf32"``, for float32.

    Returns
    -------
    Array
        Of shape (…, m).
    """
    _check_real("linear", "x", x)
    _check_real("linear", "weight", weight)
    if not x.ndim or weight.ndim != 2 or x.shape[-1] != weight.shape[1]:
        raise ValueError(
            f"linear(): x of shape {x.shape} and weight of shape {weight.shape} do not fit; for x of shape (…, n) the "
            "weight is (m, n)"
        )
    _check_parameter("linear", "bias", bias, weight.shape[:1])
    return _computed("linear", x, weight, bias, precision=_precision("linear", precision))


@composed
def log_softmax(x: Array, /, *, axis: int = -1) -> Array:
    r"""The logarithm of :func:`softmax`, :math:`x_i - \log \sum_j e^{x_j}`, without overflow or lost digits.

    Parameters
    ----------
    x
        Array of one or more dimensions.
    axis
        The axis along which the exponentials add up.

    Returns
    -------
    Array
        Of the shape and dtype of ``x``.
    """
    _check_real("log_softmax", "x", x)
    return _computed("log_softmax", x, axis=check_axis(axis, x.ndim, "log_softmax"))


@composed
def relu(x: Array, /) -> Array:
    r"""The rectified linear unit, :math:`\max(x, 0)`; NaN stays.

    Parameters
    ----------
    x
        Array.

    Returns
    -------
    Array
        Of the shape and dtype of ``x``.
    """
    _check_real("relu", "x", x)
    return _computed("relu", x)


@composed
def rms_norm(x: Array, weight: Array | None = None, /, *, axis: int | tuple[int, ...] = -1, eps: float = 1e-6) -> Array:
    r"""Normalisation by the root mean square, :math:`\frac{x}{\sqrt{\overline{x^2} + \epsilon}} w`.

    Parameters
    ----------
    x
        Array.
    weight
        Array :math:`w` of the lengths of ``axis``; None for 1.
    axis
        The last axis, or a tuple of the last ones.
    eps
        :math:`\epsilon`, which keeps the quotient finite.

    Returns
    -------
    Array
        Of the shape of ``x``.

    Notes
    -----
    Zhang and Sennrich, Root Mean Square Layer Normalization, 2019.
    """
    _check_real("rms_norm", "x", x)
    axes = _last_axes("rms_norm", x, axis)
    _check_parameter("rms_norm", "weight", weight, x.shape[axes[0] :])
    return _computed("rms_norm", x, weight, axes=axes, eps=_positive("rms_norm", eps))


@composed
def rotary_embedding(x: Array, cos: Array, sin: Array, /, *, interleaved: bool = False) -> Array:
    r"""Rotary position embedding: pairs of elements, turned by an angle that their position gives.

    A pair :math:`(a, b)` becomes :math:`(a \cos\theta - b \sin\theta,\; b \cos\theta + a \sin\theta)`.

    Parameters
    ----------
    x
        Array of shape (…, n, d), d even.
    cos, sin
        Arrays of the angles' cosines and sines, which broadcast to shape (…, n, d / 2); (n, d / 2), usually.
    interleaved
        Whether neighbours are a pair (as in the paper); otherwise elements i and i + d / 2 are.

    Returns
    -------
    Array
        Of the shape of ``x``.

    Notes
    -----
    Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021.
    """
    for name, array in (("x", x), ("cos", cos), ("sin", sin)):
        _check_real("rotary_embedding", name, array)
    if x.ndim < 1 or x.shape[-1] % 2:
        raise ValueError(f"rotary_embedding(): x has shape {x.shape}; its last axis is of even length")
    wanted = (*x.shape[:-1], x.shape[-1] // 2)
    for name, array in (("cos", cos), ("sin", sin)):
        if array.shape[-1:] != wanted[-1:] or not _broadcasts(array.shape, wanted):
            raise ValueError(
                f"rotary_embedding(): {name} has shape {array.shape}, which does not broadcast to {wanted}, that of "
                f"the pairs in x of shape {x.shape}"
            )
    return _computed(
        "rotary_embedding", x, cos, sin, interleaved=check_flag(interleaved, "rotary_embedding", "interleaved")
    )


@composed
def scaled_dot_product_attention(
    query: Array,
    key: Array,
    value: Array,
    /,
    *,
    mask: Array | None = None,
    causal: bool = False,
    scale: float | None = None,
    precision: Precision = "exact",
) -> Array:
    r"""Attention, :math:`\mathrm{softmax}(s\, Q K^{\mathsf T} + M) V`.

    Parameters
    ----------
    query
        Array :math:`Q` of shape (…, h, n, d), or (n, d).
    key, value
        Arrays :math:`K` of shape (…, g, m, d) and :math:`V` of shape (…, g, m, e). Where g divides h, each of the g
        heads serves h / g neighbouring heads of queries (grouped queries).
    mask
        Array that broadcasts to (…, h, n, m): booleans, True where a query sees a key, or numbers to be added.
    causal
        Whether query i sees the keys 0 … i only.
    scale
        The factor :math:`s`; by default :math:`1 / \sqrt d`.
    precision
        ``"exact"`` or ``"tf32"``, for float32.

    Returns
    -------
    Array
        Of shape (…, h, n, e). A query that sees no key gives 0.

    Notes
    -----
    Vaswani et al., Attention Is All You Need, 2017, section 3.2.1. The kernel never holds the matrix of scores: Dao et
    al., FlashAttention, 2022. Grouped queries: Ainslie et al., GQA, 2023.
    """
    name = "scaled_dot_product_attention"
    for what, array in (("query", query), ("key", key), ("value", value)):
        _check_real(name, what, array)
        if array.ndim < 2:
            raise ValueError(f"{name}(): {what} has shape {array.shape}; it needs two axes at least")
    _check_attention(name, query, key, value)
    if mask is not None:
        device_of(mask, name)
        if mask.dtype.kind != "b":
            _check_real(name, "mask", mask)
        scores = (*query.shape[:-1], key.shape[-2])
        if not _broadcasts(mask.shape, scores):
            raise ValueError(f"{name}(): mask has shape {mask.shape}, which does not broadcast to {scores}")
    if scale is None:
        factor = 1 / math.sqrt(query.shape[-1]) if query.shape[-1] else 1.0
    else:
        factor = _real(name, "scale", scale)
    return _computed(
        name,
        query,
        key,
        value,
        mask,
        causal=check_flag(causal, name, "causal"),
        scale=factor,
        precision=_precision(name, precision),
    )


@composed
def silu(x: Array, /) -> Array:
    r"""The sigmoid linear unit (swish), :math:`\frac{x}{1 + e^{-x}}`.

    Parameters
    ----------
    x
        Array.

    Returns
    -------
    Array
        Of the shape and dtype of ``x``.

    Notes
    -----
    Elfwing, Uchibe and Doya, Sigmoid-Weighted Linear Units, 2017.
    """
    _check_real("silu", "x", x)
    return _computed("silu", x)


@composed
def softmax(x: Array, /, *, axis: int = -1) -> Array:
    r"""Exponentials that add up to 1, :math:`e^{x_i} / \sum_j e^{x_j}`, without overflow.

    Parameters
    ----------
    x
        Array of one or more dimensions.
    axis
        The axis along which they add up.

    Returns
    -------
    Array
        Of the shape and dtype of ``x``. A NaN, or an infinite largest element, makes its row NaN.
    """
    _check_real("softmax", "x", x)
    return _computed("softmax", x, axis=check_axis(axis, x.ndim, "softmax"))


@composed
def swiglu(gate: Array, x: Array, /) -> Array:
    r"""The gated linear unit with :func:`silu` for a gate, :math:`\mathrm{silu}(g)\, x`.

    Parameters
    ----------
    gate, x
        Arrays :math:`g` and :math:`x` of one shape.

    Returns
    -------
    Array
        Of that shape.

    Notes
    -----
    Shazeer, GLU Variants Improve Transformer, 2020.
    """
    _check_real("swiglu", "gate", gate)
    _check_real("swiglu", "x", x)
    if gate.shape != x.shape:
        raise ValueError(f"swiglu(): gate has shape {gate.shape} and x {x.shape}; make them one shape")
    return _computed("swiglu", gate, x)


# -- the way of a call ------------------------------------------------------------------------------------------------


OPERATIONS = {
    name: operation(f"nn.{name}")
    if name in ("softmax", "log_softmax")
    else declare(f"nn.{name}", "network", accepts="real floating", shape="same", primitive=False)
    for name in GENERIC
}


def _computed(name: str, *operands: Array | None, **options: Any) -> Array:
    """By the device's kernel, where there is one that takes the operands; else in terms of the namespace."""
    place = common_device(operands)
    assert place is not None
    arrays = [None if x is None else wrap(native_operand(x, place, name), place) for x in operands]
    dtype = result_type(*(x.dtype for x in arrays if x is not None and kind_of(x.dtype) == "f"))
    arrays = [x if x is None or kind_of(x.dtype) != "f" else astype(x, dtype, copy=False) for x in arrays]
    natives = [None if x is None else x._native for x in arrays]
    result = attempt(OPERATIONS[name], place, *natives, **options)
    return GENERIC[name](*arrays, **options) if result is NotImplemented else result


def _check_real(function: str, name: str, x: Any) -> None:
    device_of(x, function)
    if kind_of(x.dtype) != "f":
        raise TypeError(
            f"{function}(): {name} has dtype {x.dtype}, and a real floating-point one is needed; cast it with "
            "xtensor.astype"
        )


def _check_parameter(function: str, name: str, x: Array | None, shape: tuple[int, ...]) -> None:
    if x is None:
        return
    _check_real(function, name, x)
    if x.shape != shape:
        raise ValueError(f"{function}(): {name} has shape {x.shape}, and {shape} is needed")


def _check_attention(name: str, query: Array, key: Array, value: Array) -> None:
    shapes = f"query {query.shape}, key {key.shape}, value {value.shape}"
    fitting = "query (…, h, n, d), key (…, g, m, d) and value (…, g, m, e), g a divisor of h"
    same = query.ndim == key.ndim == value.ndim and query.shape[:-3] == key.shape[:-3] == value.shape[:-3]
    if not same or key.shape[:-1] != value.shape[:-1] or query.shape[-1] != key.shape[-1]:
        raise ValueError(f"{name}(): {shapes} do not fit; needed are {fitting}")
    if query.ndim > 2 and (not key.shape[-3] or query.shape[-3] % key.shape[-3]):
        raise ValueError(f"{name}(): {shapes}: {key.shape[-3]} heads of keys do not divide {query.shape[-3]}")


def _broadcasts(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    if len(shape) > len(wanted):
        return False
    behind = wanted[len(wanted) - len(shape) :]
    return all(length in (1, other) for length, other in zip(shape, behind, strict=True))


def _last_axes(function: str, x: Array, axis: Any) -> tuple[int, ...]:
    axes = tuple(sorted(check_axes(axis, x.ndim, function)))
    if not axes or axes != tuple(range(x.ndim - len(axes), x.ndim)):
        raise ValueError(f"{function}(): axis {axis!r} is not the last axis, or the last ones, of shape {x.shape}")
    return axes


def _real(function: str, name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{function}(): {name} is a real number, not {describe(value)}")
    return float(value)


def _positive(function: str, eps: Any) -> float:
    value = _real(function, "eps", eps)
    if not value >= 0:
        raise ValueError(f"{function}(): eps is 0 or above, not {eps!r}")
    return value


def _precision(function: str, precision: Any) -> str:
    return check_word(precision, ("exact", "tf32"), function, "precision")
