"""Functions of neural networks on any device.

On a Triton device they are fused kernels. On every other device they are computed by formulas of the namespace's
functions. The following holds for every function:

- Operands are Arrays of real floating-point dtypes on one device; they promote to the dtype of the result. float16 and
  bfloat16 are computed in float32 and rounded once.
- TypeError is raised for operands that are not Arrays or have another dtype, ValueError for shapes that do not match.
- ``precision="tf32"`` permits float32 matrix products with 10 bits of mantissa where the hardware computes them faster;
  ``"exact"`` does not.
"""

from __future__ import annotations

from typing import NoReturn

from .._core.remedies import FUNCTIONAL, missing
from .activations import gelu, log_softmax, relu, silu, softmax, swiglu
from .attention import scaled_dot_product_attention
from .linear_layers import linear
from .losses import cross_entropy
from .normalization import layer_norm, rms_norm
from .position import rotary_embedding
from .rectifiers import (
    elu,
    glu,
    hardtanh,
    leaky_relu,
    logsigmoid,
    mish,
    prelu,
    relu6,
    selu,
    sigmoid,
    softplus,
    tanh,
)

__all__ = [
    "cross_entropy",
    "elu",
    "gelu",
    "glu",
    "hardtanh",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "rms_norm",
    "rotary_embedding",
    "scaled_dot_product_attention",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "swiglu",
    "tanh",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> NoReturn:
    try:
        raise missing(__name__, name, FUNCTIONAL)
    except AttributeError as error:
        error.__traceback__ = None  # a bare raise does not enter this frame again
        raise
