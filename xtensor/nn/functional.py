"""Functions of neural networks on any device.

On a Triton device those of transformers are fused kernels. All others, on every device, are computed by formulas of the
namespace's functions. The following holds for every function:

- Operands are Arrays of real floating-point dtypes on one device; they promote to the dtype of the result. float16 and
  bfloat16 are computed in float32 and rounded once.
- TypeError is raised for operands that are not Arrays or have another dtype, ValueError for shapes that do not match.
- ``precision="tf32"`` permits float32 matrix products with 10 bits of mantissa where the hardware computes them faster;
  ``"exact"`` does not.
"""

from __future__ import annotations

import typing as _typing

from .._core.remedies import finder as _finder
from .activations import gelu, log_softmax, relu, silu, softmax, swiglu
from .adaptive_pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
)
from .alignment import ctc_loss
from .attention import scaled_dot_product_attention
from .channel_normalization import batch_norm, group_norm, instance_norm
from .convolution import conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d
from .distances import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    cosine_similarity,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from .embeddings import embedding, one_hot
from .linear_layers import linear
from .losses import cross_entropy
from .max_pooling import max_pool1d, max_pool2d, max_pool3d
from .normalization import layer_norm, rms_norm
from .pooling import avg_pool1d, avg_pool2d, avg_pool3d
from .position import rotary_embedding
from .quantization import quantized_linear
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
from .regularization import dropout, dropout_channels
from .resampling import interpolate
from .unpooling import max_unpool1d, max_unpool2d, max_unpool3d

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "dropout_channels",
    "elu",
    "embedding",
    "gelu",
    "glu",
    "group_norm",
    "hardtanh",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mish",
    "mse_loss",
    "nll_loss",
    "one_hot",
    "prelu",
    "quantized_linear",
    "relu",
    "relu6",
    "rms_norm",
    "rotary_embedding",
    "scaled_dot_product_attention",
    "selu",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "softmax",
    "softplus",
    "swiglu",
    "tanh",
]


def __dir__() -> list[str]:
    return sorted(__all__)


if not _typing.TYPE_CHECKING:  # a type checker knows every name, so that it reports those that do not exist
    __getattr__ = _finder(__name__)
