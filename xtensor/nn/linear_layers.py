"""Linear layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from .._core.compositions import composed
from .._core.operands import coerce_operands
from .._core.operations import declare
from ._checks import Precision, check_parameter, check_precision, check_real_floating
from ._computation import compute

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["linear"]


LINEAR = declare("nn.linear", "network", operands=3, accepts="real floating", shape="product", primitive=False)


@composed
def linear(x: AnyArray, weight: AnyArray, bias: AnyArray | None = None, /, *, precision: Precision = "exact") -> Array:
    r"""Affine map :math:`x W^{\mathsf T} + b`.

    Parameters
    ----------
    x
        Array of shape (…, n) and a real floating-point dtype.
    weight
        Array :math:`W` of shape (m, n).
    bias
        Array :math:`b` of shape (m,); None means 0.
    precision
        ``"tf32"`` permits float32 products with 10 bits of mantissa; ``"exact"`` does not.

    Returns
    -------
    Array
        Array of shape (…, m) and of the promoted dtype.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype.
    ValueError
        If the shapes do not match, or ``precision`` is another value.
    """
    x, weight, bias = coerce_operands("linear", x, weight, bias)
    check_real_floating(x, "linear", "x")
    check_real_floating(weight, "linear", "weight")
    if not x.ndim or weight.ndim != 2 or x.shape[-1] != weight.shape[1]:
        is_transposed = x.ndim and weight.ndim == 2 and x.shape[-1] == weight.shape[0]
        raise ValueError(
            f"linear(): x of shape {x.shape} and weight of shape {weight.shape} do not match, expected x (..., n) and "
            "weight (m, n)" + ("; transpose the weight with xtensor.matrix_transpose" if is_transposed else "")
        )
    check_parameter(bias, weight.shape[:1], "linear", "bias")
    return compute(LINEAR, _linear, x, weight, bias, precision=check_precision(precision, "linear"))


def _linear(x: Array, weight: Array, bias: Array | None, *, precision: str) -> Array:
    result = xp.matmul(x, xp.matrix_transpose(weight))
    return result if bias is None else result + bias
