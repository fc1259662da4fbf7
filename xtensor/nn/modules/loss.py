"""Losses as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from ..._core.array import Array
from .. import functional as F  # noqa: N812
from .module import Module

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "MSELoss",
    "NLLLoss",
    "SmoothL1Loss",
]

Reduction = Literal["mean", "sum", "none"]
"""The mean or the sum of the losses, or the loss of each element."""


class _Loss(Module):
    function: ClassVar[Callable[..., Array]]
    settings: ClassVar[tuple[str, ...]] = ("reduction",)

    def forward(self, *operands: Any) -> Array:
        """Return the loss of predictions and targets."""
        return type(self).function(*operands, **{name: getattr(self, name) for name in self.settings})


class _PlainLoss(_Loss):
    def __init__(self, reduction: Reduction = "mean") -> None:
        self.reduction = reduction


class MSELoss(_PlainLoss):
    """Squared error; see :func:`xtensor.nn.functional.mse_loss`."""

    function = staticmethod(F.mse_loss)


class L1Loss(_PlainLoss):
    """Absolute error; see :func:`xtensor.nn.functional.l1_loss`."""

    function = staticmethod(F.l1_loss)


class SmoothL1Loss(_Loss):
    """Absolute error, quadratic near 0; parameters are those of :func:`xtensor.nn.functional.smooth_l1_loss`."""

    function = staticmethod(F.smooth_l1_loss)
    settings = ("reduction", "beta")

    def __init__(self, reduction: Reduction = "mean", beta: float = 1.0) -> None:
        self.reduction, self.beta = reduction, beta


class HuberLoss(_Loss):
    """Huber loss; parameters are those of :func:`xtensor.nn.functional.huber_loss`."""

    function = staticmethod(F.huber_loss)
    settings = ("reduction", "delta")

    def __init__(self, reduction: Reduction = "mean", delta: float = 1.0) -> None:
        self.reduction, self.delta = reduction, delta


class KLDivLoss(_Loss):
    """Kullback–Leibler divergence; parameters are those of :func:`xtensor.nn.functional.kl_div`."""

    function = staticmethod(F.kl_div)
    settings = ("reduction", "log_target")

    def __init__(
        self, reduction: Literal["mean", "batchmean", "sum", "none"] = "mean", log_target: bool = False
    ) -> None:
        self.reduction, self.log_target = reduction, log_target


class _Weighted(_Loss):
    def _set(self, **weights: Array | None) -> None:
        for name, weight in weights.items():
            self.register_buffer(name, weight)


class BCELoss(_Weighted):
    """Cross entropy of probabilities; parameters are those of :func:`xtensor.nn.functional.binary_cross_entropy`."""

    function = staticmethod(F.binary_cross_entropy)
    settings = ("weight", "reduction")

    def __init__(self, weight: Array | None = None, reduction: Reduction = "mean") -> None:
        self._set(weight=weight)
        self.reduction = reduction


class BCEWithLogitsLoss(_Weighted):
    """Cross entropy of logits; see :func:`xtensor.nn.functional.binary_cross_entropy_with_logits`."""

    function = staticmethod(F.binary_cross_entropy_with_logits)
    settings = ("weight", "reduction", "pos_weight")

    def __init__(
        self, weight: Array | None = None, reduction: Reduction = "mean", pos_weight: Array | None = None
    ) -> None:
        self._set(weight=weight, pos_weight=pos_weight)
        self.reduction = reduction


class NLLLoss(_Weighted):
    """Negative logarithm of the probability of the target; see :func:`xtensor.nn.functional.nll_loss`."""

    function = staticmethod(F.nll_loss)
    settings = ("weight", "ignore_index", "reduction")

    def __init__(self, weight: Array | None = None, ignore_index: int = -100, reduction: Reduction = "mean") -> None:
        self._set(weight=weight)
        self.ignore_index, self.reduction = ignore_index, reduction


class CrossEntropyLoss(_Weighted):
    """Cross entropy of logits with the classes along axis 1, or 0 of one example.

    Parameters
    ----------
    weight
        Array of weights of the classes; a buffer.
    ignore_index
        Target value whose elements are excluded.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each target.
    label_smoothing
        Weight of the uniform distribution, in [0, 1].

    Notes
    -----
    See :func:`xtensor.nn.functional.cross_entropy`.
    """

    def __init__(
        self,
        weight: Array | None = None,
        ignore_index: int = -100,
        reduction: Reduction = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        self._set(weight=weight)
        self.ignore_index, self.reduction, self.label_smoothing = ignore_index, reduction, label_smoothing

    def forward(self, logits: Array, target: Array) -> Array:
        """Return the loss of logits and target classes, or probabilities."""
        return F.cross_entropy(
            logits,
            target,
            axis=1 if logits.ndim > 1 else 0,
            weight=self.weight,
            ignore_index=self.ignore_index if target.dtype.kind in "iu" else None,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )

    weight: Array | None


class CosineEmbeddingLoss(_Loss):
    """Loss of pairs of vectors; parameters are those of :func:`xtensor.nn.functional.cosine_embedding_loss`."""

    function = staticmethod(F.cosine_embedding_loss)
    settings = ("margin", "reduction")

    def __init__(self, margin: float = 0.0, reduction: Reduction = "mean") -> None:
        self.margin, self.reduction = margin, reduction


class CTCLoss(_Loss):
    """Loss of sequences without an alignment; parameters are those of :func:`xtensor.nn.functional.ctc_loss`."""

    function = staticmethod(F.ctc_loss)
    settings = ("blank", "reduction", "zero_infinity")

    def __init__(self, blank: int = 0, reduction: Reduction = "mean", zero_infinity: bool = False) -> None:
        self.blank, self.reduction, self.zero_infinity = blank, reduction, zero_infinity
