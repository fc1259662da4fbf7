"""Values of every function of ``nn.functional`` against arithmetic with 50 digits.

Operands are tiny, large and infinite numbers, equal and masked elements, in several dtypes and memory layouts. The
bounds are those of the documented computation: in the promoted dtype, or in float32 with one rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from nn_support import FLOATS, dtype_on
from strategies import quiet, values_of

import xtensor as xp
from xtensor.nn import functional as F  # noqa: N812 - conventional alias

from .exact_matrices import DIGITS, exact, placed
from .tiers import scale

CASES = scale(12, 200)

Exact = Any
"""A number of mpmath."""


@pytest.fixture(autouse=True)
def digits():
    """Compute the references with 50 digits."""
    with mp.workdps(DIGITS):
        yield


class Precision:
    """Admissible errors of results of a dtype, which is computed in float32 if it has half precision."""

    def __init__(self, dtype: Any) -> None:
        own, computing = xp.finfo(dtype), np.finfo(np.float32 if dtype.itemsize == 2 else dtype)
        self.dtype, self.half = dtype, dtype.itemsize == 2
        self.own_eps, self.own_tiny, self.own_max = (mp.mpf(float(v)) for v in (own.eps, own.smallest_normal, own.max))
        self.eps, self.tiny, self.max = (mp.mpf(float(v)) for v in (computing.eps, computing.tiny, computing.max))

    def ratio(self, result: float, expected: Exact, error: Exact, smallest: Exact = 1) -> float:
        """Return error / admissible error.

        ``error`` is that of the computation in units of its epsilon, ``smallest`` in units of its subnormal numbers.
        """
        if mp.isnan(expected) or mp.isinf(expected):
            return 0.0 if np.array_equal(result, float(expected), equal_nan=True) else math.inf
        margin = error * self.eps + 4 * smallest * self.tiny * self.eps
        if self.half:
            magnitude = max(mp.fabs(expected), self.own_tiny)
            margin += mp.mpf(2) ** mp.floor(mp.log(magnitude, 2)) * self.own_eps / 2
        if math.isinf(result):
            return 0.0 if mp.fabs(expected) + margin >= self.own_max and (result > 0) == (expected > 0) else math.inf
        return math.inf if math.isnan(result) else float(mp.fabs(mp.mpf(result) - expected) / margin)

    def squares_fit(self, values: Any) -> bool:
        """Whether the sum of squares of values neither overflows nor underflows."""
        return all(not v or self.tiny < v * v < self.max / 64 for v in values)


class Outcome:
    """Results of all cases of a test: a text for each wrong one."""

    def __init__(self, precision: Precision) -> None:
        self.precision, self.wrong = precision, []

    def check(self, result: Any, expected: Exact, error: Exact, text: Any, smallest: Exact = 1) -> None:
        ratio = self.precision.ratio(float(result), mp.mpf(expected), error, smallest)
        if not ratio <= 1:
            self.wrong.append(f"{ratio:.3g} × the bound: {result}, not {mp.nstr(expected, 12)}, for {text}")

    def report(self, figures: Any, cases: int) -> None:
        figures.record(cases=cases)
        assert self.wrong == []


def special_values(dtype: Any) -> list[float]:
    """Return numbers at the limits of a dtype and of exponential functions of it."""
    limits = xp.finfo(dtype)
    largest, tiny = float(limits.max), float(limits.smallest_normal)
    logarithm = math.log(largest)
    values = [largest, tiny, tiny * float(limits.eps), 1.0, 0.5, 4.0, 13.0, 37.5, logarithm, logarithm + 1, 1e-3]
    return [0.0, -0.0, math.inf, -math.inf, math.nan, *values, *(-v for v in values)]


def random_values(rng: np.random.Generator, shape: Any, dtype: Any, kind: str = "") -> np.ndarray:
    """Return values of a kind, by default one chosen at random."""
    kind = kind or str(rng.choice(["normal", "wide", "large", "equal", "shifted", "few"]))
    values = {
        "normal": lambda: rng.normal(size=shape) * 3,
        "wide": lambda: rng.normal(size=shape) * 10.0 ** rng.integers(-4, 4, shape),
        "large": lambda: rng.normal(size=shape) * 50,
        "equal": lambda: np.full(shape, rng.choice([0.1, 1000.1, -3.3])),
        "shifted": lambda: rng.normal(size=shape) + 1000,
        "few": lambda: rng.choice([0.0, -0.0, 1.0, -2.0], shape),
    }[kind]()
    return values.astype(dtype)


# -- activations ------------------------------------------------------------------------------------------------------


def relu(x: Exact) -> Exact:
    return x if mp.isnan(x) or x > 0 else mp.mpf(0)


def silu(x: Exact) -> Exact:
    return mp.mpf(0) if x == -mp.inf else x if mp.isinf(x) else x / (1 + mp.exp(-x))


def gelu(x: Exact) -> Exact:
    if mp.fabs(x) > 1e4:  # mpmath's erfc fails far away
        return mp.mpf(0) if x < 0 else x
    return x * mp.erfc(-x / mp.sqrt(2)) / 2


def gelu_tanh(x: Exact) -> Exact:
    inner = 2 * mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3)
    return mp.mpf(0) if x == -mp.inf else x if mp.isinf(x) else x / (1 + mp.exp(-inner))


# name -> (function, reference, error of x and the result in units of epsilon)
ACTIVATIONS: dict[str, tuple[Callable[[xp.Array], xp.Array], Callable[[Exact], Exact], Callable[..., Exact]]] = {
    "relu": (F.relu, relu, lambda x, y: 0),
    "silu": (F.silu, silu, lambda x, y: 8 * mp.fabs(y)),
    # The rounding error of an argument of erfc is multiplied by the square of the argument.
    "gelu": (F.gelu, gelu, lambda x, y: 4 * (2 + x * x) * mp.fabs(y)),
    # 1 + tanh has the absolute error of 1, and a relative one by the rounded argument.
    "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), gelu_tanh, lambda x, y: 8 * mp.fabs(x)),
}


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("function", ACTIVATIONS)
def test_activations_of_numbers_of_all_sizes(device, function, name, figures):
    dtype = dtype_on(device, name)
    compute, reference, error = ACTIVATIONS[function]
    rng, precision = np.random.default_rng([1, dtype.itemsize]), Precision(dtype)
    outcome, size = Outcome(precision), CASES * 8
    with quiet():
        drawn = [rng.normal(size=size) * 4, rng.normal(size=size) * 60, 10.0 ** rng.uniform(-45, 5, size)]
        host = np.concatenate([special_values(dtype), *drawn]).astype(dtype)
        result = values_of(compute(xp.asarray(host, copy=True)))
        for x, value in zip(host.astype(np.float64), result.astype(np.float64), strict=True):
            expected = reference(mp.mpf(x))
            # Subnormal factors of the result lose digits.
            smallest = 4 + mp.fabs(mp.mpf(x)) if math.isfinite(x) else 1
            if function == "gelu":
                smallest = 1 / precision.eps  # SciPy's erfc is 0 where it would be subnormal
            outcome.check(value, expected, error(mp.mpf(x), expected) if math.isfinite(x) else 0, x, smallest)
    assert result.dtype == dtype
    outcome.report(figures, len(host))


@pytest.mark.parametrize("name", FLOATS)
def test_swiglu_of_mixed_dtypes(device, name, figures):
    dtype = dtype_on(device, name)
    rng = np.random.default_rng([2, dtype.itemsize])
    for other in {np.dtype(np.float32), dtype}:
        outcome = Outcome(Precision(np.result_type(dtype, other) if dtype.itemsize > 2 else other))
        for _ in range(CASES):
            gate, x = random_values(rng, (4, 3), dtype), random_values(rng, (4, 3), other)
            result = values_of(F.swiglu(placed(gate, rng), placed(x, rng)))
            assert result.dtype == outcome.precision.dtype
            for g, v, value in zip(gate.flat, x.flat, result.flat, strict=True):
                g, v = mp.mpf(float(g)), mp.mpf(float(v))
                smallest = (4 + mp.fabs(g)) * (1 + mp.fabs(v))
                outcome.check(value, silu(g) * v, 12 * mp.fabs(silu(g) * v), (g, v), smallest)
        outcome.report(figures, CASES)


# -- softmax and cross entropy ----------------------------------------------------------------------------------------


def log_softmax(row: list[Exact]) -> list[Exact]:
    """Return logarithms of probabilities, with SciPy's values at infinities."""
    if any(map(mp.isnan, row)) or all(x == -mp.inf for x in row):
        return [mp.nan] * len(row)
    if mp.inf in row:
        return [mp.nan if x == mp.inf else -mp.inf for x in row]
    shifted = [x - max(row) for x in row]
    total = mp.log(mp.fsum(mp.exp(x) for x in shifted if x != -mp.inf))
    return [x - total for x in shifted]


def softmax(row: list[Exact]) -> list[Exact]:
    if mp.inf in row:
        return [mp.nan] * len(row)
    return [x if mp.isnan(x) else mp.exp(x) if x != -mp.inf else mp.mpf(0) for x in log_softmax(row)]


def logits(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Return logits, of which some are infinite, NaN or equal to the largest finite number."""
    x = random_values(rng, shape, dtype)
    if rng.integers(2):
        extreme = rng.choice([math.inf, -math.inf, -math.inf, math.nan, float(xp.finfo(dtype).max)], shape)
        x = np.where(rng.random(shape) < 0.2, extreme.astype(dtype), x)
    return x.astype(dtype)


def exact_rows(x: np.ndarray, axis: int) -> list[list[Exact]]:
    moved = np.moveaxis(x, axis, -1)
    return [list(row) for row in exact(moved).reshape(-1, moved.shape[-1])]


def distance(row: list[Exact], x: Exact) -> Exact:
    """Return the distance to the largest logit, whose rounding error the exponential function magnifies."""
    return mp.fabs(max(row) - x) if all(map(mp.isfinite, (max(row), x))) else mp.mpf(0)


SOFTMAXES: dict[str, tuple[Callable[..., xp.Array], Callable[..., list[Exact]], Callable[..., Exact]]] = {
    "softmax": (F.softmax, softmax, lambda row, x, y: (len(row) + 4 + distance(row, x)) * y),
    "log_softmax": (F.log_softmax, log_softmax, lambda row, x, y: len(row) + 4 + 2 * distance(row, x)),
    "special.softmax": (xp.special.softmax, softmax, lambda row, x, y: (len(row) + 4 + distance(row, x)) * y),
    "special.log_softmax": (xp.special.log_softmax, log_softmax, lambda row, x, y: len(row) + 4 + 2 * distance(row, x)),
}


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("function", SOFTMAXES)
def test_softmax_of_infinities_nan_and_distant_logits(device, function, name, figures):
    dtype = dtype_on(device, name)
    if function.startswith("special") and dtype.itemsize == 2:
        pytest.skip("special functions of half precision return float32")
    compute, reference, error = SOFTMAXES[function]
    rng, outcome = np.random.default_rng([3, dtype.itemsize]), Outcome(Precision(dtype))
    for _ in range(CASES):
        shape, axis = (2, int(rng.integers(1, 7)), 3), int(rng.integers(-3, 3))
        host = logits(rng, shape, dtype)
        with quiet():
            result = values_of(compute(placed(host, rng), axis=axis))
            assert (result.dtype, result.shape) == (dtype, shape)
            computed = np.moveaxis(result, axis, -1).reshape(-1, shape[axis])
            for row, values in zip(exact_rows(host, axis), computed, strict=True):
                for x, y, value in zip(row, reference(row), values, strict=True):
                    outcome.check(value, y, error(row, x, y) if mp.isfinite(y) else 0, [float(v) for v in row])
    outcome.report(figures, CASES)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_cross_entropy_with_every_option(device, reduction, name, figures):
    dtype = dtype_on(device, name)
    rng, outcome = np.random.default_rng([4, dtype.itemsize]), Outcome(Precision(dtype))
    for _ in range(CASES):
        classes, axis = int(rng.integers(1, 6)), int(rng.integers(-2, 2))
        host = logits(rng, (3, classes) if axis in (1, -1) else (classes, 3), dtype)
        target = rng.integers(-1, classes + 1, 3) if rng.integers(2) else rng.integers(0, classes, 3)
        target = target.astype(rng.choice(["int64", "int32", "int8"]))
        smoothing = float(rng.choice([0.0, 0.1, 0.5, 1.0]))
        ignored = [None, -1, 0, -100][rng.integers(4)]
        if device.host and any(int(t) != ignored and not 0 <= t < classes for t in target):
            with pytest.raises(IndexError, match="out of bounds"):
                F.cross_entropy(placed(host, rng), xp.asarray(target, copy=True), axis=axis, ignore_index=ignored)
            continue
        with quiet():
            result = values_of(
                F.cross_entropy(
                    placed(host, rng),
                    xp.asarray(target, copy=True),
                    axis=axis,
                    label_smoothing=smoothing,
                    ignore_index=ignored,
                    reduction=reduction,
                )
            )
            rows = exact_rows(host, axis)
            if smoothing and any(distance(row, x) > outcome.precision.max / 64 for row in rows for x in row):
                continue  # the sum of all logarithms overflows
            pairs = [cross_entropy(row, int(t), smoothing, ignored) for row, t in zip(rows, target, strict=True)]
            losses, errors = [loss for loss, _ in pairs], [error for _, error in pairs]
            assert result.dtype == dtype
            if reduction != "none":
                count = sum(int(t) != ignored for t in target) if reduction == "mean" else 1
                total = mp.nan if any(map(mp.isnan, losses)) or not count else mp.fsum(losses) / count
                losses, errors = [total], [(mp.fsum(errors) + 4 * mp.fabs(total)) if mp.isfinite(total) else 0]
        for loss, error, value in zip(losses, errors, np.atleast_1d(result), strict=True):
            outcome.check(value, loss, error, (host.tolist(), target.tolist(), axis, smoothing, ignored))
    outcome.report(figures, CASES)


def cross_entropy(row: list[Exact], target: int, smoothing: float, ignored: int | None) -> tuple[Exact, Exact]:
    """Return the loss of a target and its admissible error in units of epsilon."""
    if target == ignored:
        return mp.mpf(0), mp.mpf(0)
    if not 0 <= target < len(row):
        return mp.nan, mp.mpf(0)
    logarithms = log_softmax(row)
    loss = -(1 - mp.mpf(smoothing)) * logarithms[target] if smoothing < 1 else mp.mpf(0)
    if smoothing:
        loss -= mp.mpf(smoothing) / len(row) * mp.fsum(logarithms)
    far = max((distance(row, x) for x in row), default=mp.mpf(0))
    return loss, (len(row) + 8 + 4 * far) if mp.isfinite(loss) else mp.mpf(0)


# -- normalization ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("centre", [True, False], ids=["layer_norm", "rms_norm"])
def test_normalization_of_constant_shifted_and_wide_rows(device, centre, name, figures):
    dtype = dtype_on(device, name)
    rng, precision = np.random.default_rng([5, dtype.itemsize]), Precision(dtype)
    outcome = Outcome(precision)
    for _ in range(CASES):
        length, several = int(rng.integers(1, 7)), bool(rng.integers(2))
        shape, axes = ((3, 2, length), (-1, 1)) if several else ((3, length), -1)
        parameters = shape[1:]
        host = random_values(rng, shape, dtype)
        weight = random_values(rng, parameters, dtype, "normal") if rng.integers(2) else None
        bias = random_values(rng, parameters, dtype, "normal") if centre and rng.integers(2) else None
        eps = float(rng.choice([0.0, 1e-5, 1e-12, 1.0]))
        arrays = [None if x is None else xp.asarray(x, copy=True) for x in (weight, bias)]
        with quiet():
            x = placed(host, rng)
            if centre:
                result = F.layer_norm(x, *arrays, axis=axes, eps=eps)
            else:
                result = F.rms_norm(x, arrays[0], axis=axes, eps=eps)
            result = values_of(result)
        assert (result.dtype, result.shape) == (dtype, shape)
        w, b = (None if p is None else exact(p).ravel() for p in (weight, bias))
        # The kernels receive epsilon in the precision of the computation.
        epsilon = mp.mpf(float(np.float32(eps))) if precision.half or dtype == np.float32 else mp.mpf(eps)
        for row, values in zip(exact(host).reshape(3, -1), result.reshape(3, -1), strict=True):
            normalized = normalize(precision, list(row), centre, epsilon, 1 if device.backend == "torch" else 2)
            if normalized is None:
                continue
            for i, ((y, error), value) in enumerate(zip(normalized, values, strict=True)):
                factor, term = (1 if w is None else w[i]), (0 if b is None else b[i])
                expected = y * factor + term
                error = error * mp.fabs(factor) + 4 * (mp.fabs(y * factor) + mp.fabs(term))
                outcome.check(value, expected, error if mp.isfinite(expected) else 0, (host.tolist(), eps), 64)
    outcome.report(figures, CASES)


def normalize(
    precision: Precision, row: list[Exact], centre: bool, eps: Exact, roundings: int = 2
) -> list[tuple[Exact, Exact]] | None:
    """Return normalized elements and admissible errors in units of epsilon; None if squares overflow or underflow."""
    mean = mp.fsum(row) / len(row) if centre else mp.mpf(0)
    centred = [x - mean for x in row]
    if not precision.squares_fit([x for x in centred if mp.fabs(x) > precision.eps**2 * max(map(mp.fabs, row))]):
        return None
    square = mp.fsum(x * x for x in centred) / len(row) + eps
    spread = mp.sqrt(square)
    # The mean is rounded twice, the first time with the error of the largest element. PyTorch rounds it once.
    rounded = len(row) * (len(row) * precision.eps) ** (roundings - 1)
    mean_error = rounded * max(map(mp.fabs, row)) if centre else mp.mpf(0)
    far = max(map(mp.fabs, centred))
    if not spread or spread < 64 * precision.eps * mean_error:
        return [(mp.nan, mp.mpf(0))] * len(row) if not any(centred) and not spread else None
    return [(x / spread, (len(row) + 8) * 2 * (far + mean_error) / spread) for x in centred]


# -- matrix products --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLOATS)
def test_linear_layers(device, name, figures):
    dtype = dtype_on(device, name)
    rng, outcome = np.random.default_rng([6, dtype.itemsize]), Outcome(Precision(dtype))
    for _ in range(CASES):
        inner, rows = int(rng.integers(0, 5)), int(rng.integers(1, 4))
        x = random_values(rng, [(inner,), (2, inner), (2, 1, inner)][rng.integers(3)], dtype)
        weight = random_values(rng, (rows, inner), dtype, "normal")
        bias = random_values(rng, rows, dtype, "normal") if rng.integers(2) else None
        precision = str(rng.choice(["exact", "tf32"]))
        array = None if bias is None else xp.asarray(bias, copy=True)
        result = values_of(F.linear(placed(x, rng), placed(weight, rng), array, precision=precision))
        assert (result.dtype, result.shape) == (dtype, (*x.shape[:-1], rows))
        count, digits_lost = math.prod(x.shape[:-1]), 2**14 if precision == "tf32" else 1
        for vector, values in zip(exact(x).reshape(count, inner), result.reshape(count, rows), strict=True):
            for j, value in enumerate(values):
                terms = [a * b for a, b in zip(vector, exact(weight[j]), strict=True)]
                terms.append(mp.mpf(0) if bias is None else mp.mpf(float(bias[j])))
                size = mp.fsum(map(mp.fabs, terms))
                outcome.check(value, mp.fsum(terms), (inner + 2) * size * digits_lost, (x.tolist(), weight.tolist()))
    outcome.report(figures, CASES)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("interleaved", [False, True])
def test_rotary_embedding_is_a_complex_product(device, interleaved, name, figures):
    dtype = dtype_on(device, name)
    rng, outcome = np.random.default_rng([7, dtype.itemsize]), Outcome(Precision(dtype))
    for _ in range(CASES):
        n, half = int(rng.integers(1, 4)), int(rng.integers(1, 4))
        x = random_values(rng, (2, n, 2 * half), dtype)
        shape = [(n, half), (half,), (1, half), (2, n, half)][rng.integers(4)]
        cos, sin = (random_values(rng, shape, dtype, "normal") for _ in range(2))
        angles = [placed(part, rng) for part in (cos, sin)]
        result = values_of(F.rotary_embedding(placed(x, rng), *angles, interleaved=interleaved))
        assert (result.dtype, result.shape) == (dtype, x.shape)
        order = np.arange(2 * half).reshape(half, 2).T if interleaved else np.arange(2 * half).reshape(2, half)
        first, second = order
        c, s = (exact(np.broadcast_to(part, (2, n, half))) for part in (cos, sin))
        a, b = exact(x[..., first]), exact(x[..., second])
        size = [p + q for p, q in zip(map(mp.fabs, (a * c).flat), map(mp.fabs, (b * s).flat), strict=True)]
        other = [p + q for p, q in zip(map(mp.fabs, (b * c).flat), map(mp.fabs, (a * s).flat), strict=True)]
        for values, expected, sizes in (
            (result[..., first], a * c - b * s, size),
            (result[..., second], b * c + a * s, other),
        ):
            for value, y, error in zip(values.flat, expected.flat, sizes, strict=True):
                outcome.check(value, y, 3 * error, (x.tolist(), cos.tolist(), sin.tolist()))
    outcome.report(figures, CASES)


# -- attention --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLOATS)
def test_attention_with_every_kind_of_mask(device, name, figures):
    dtype = dtype_on(device, name)
    rng, precision = np.random.default_rng([8, dtype.itemsize]), Precision(dtype)
    outcome = Outcome(precision)
    # Tensor cores take weights in half precision.
    on_tensor_cores = precision.half and device.backend == "triton" and device.dlpack_device[0] != 1
    rounding = precision.own_eps / precision.eps / 2 if on_tensor_cores else 0
    for _ in range(CASES):
        heads, groups = [(2, 2), (2, 1), (1, 1)][rng.integers(3)]
        n, m, width, out = (int(side) for side in rng.integers(1, 5, 4))
        query, key, value = (
            random_values(
                rng, shape, dtype, str(rng.choice(["normal", "few", "equal" if shape[-1] == out else "normal"]))
            )
            for shape in ((heads, n, width), (groups, m, width), (groups, m, out))
        )
        if dtype.itemsize > 2:
            query = (query / 8).astype(dtype)
        mask = attention_mask(rng, (heads, n, m), dtype)
        causal, factor = bool(rng.integers(2)), [None, 0.0, -0.5, 2.0][rng.integers(4)]
        with quiet():
            result = values_of(
                F.scaled_dot_product_attention(
                    *(placed(part, rng) for part in (query, key, value)),
                    mask=None if mask is None else xp.asarray(mask, copy=True),
                    causal=causal,
                    scale=factor,
                )
            )
        assert (result.dtype, result.shape) == (dtype, (heads, n, out))
        full = None if mask is None else np.broadcast_to(mask, (heads, n, m))
        size = 1 / mp.sqrt(width) if factor is None else mp.mpf(factor)
        for h, i in np.ndindex(heads, n):
            g = h * groups // heads
            row = None if full is None else full[h, i]
            pairs = attend(exact(query[h, i]), exact(key[g]), exact(value[g]), row, i if causal else m, size, rounding)
            for (expected, error), y in zip(pairs, result[h, i], strict=True):
                outcome.check(y, expected, error, (query.tolist(), key.tolist(), value.tolist(), row, causal, factor))
    outcome.report(figures, CASES)


def attention_mask(rng: np.random.Generator, scores: tuple[int, ...], dtype: Any) -> np.ndarray | None:
    """Return no mask, a boolean one or an additive one; some hide all keys of a query."""
    kind = rng.choice(["none", "boolean", "nothing", "additive", "infinite", "lowest"])
    shape = scores if rng.integers(2) else (1, *scores[1:]) if rng.integers(2) else scores[1:]
    if kind == "none":
        return None
    if kind in ("boolean", "nothing"):
        return rng.random(shape) < (0.6 if kind == "boolean" else 0.0)
    if kind == "additive":
        return rng.normal(size=shape).astype(dtype)
    lowest = -math.inf if kind == "infinite" else float(xp.finfo(dtype).min)
    return np.where(rng.random(shape) < 0.5, lowest, 0.0).astype(dtype)


def attend(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray | None,
    last: int,
    factor: Exact,
    rounding: Exact,
) -> list[tuple[Exact, Exact]]:
    """Return the attended values of one query and their admissible errors in units of epsilon.

    ``rounding`` is the relative error of a weight that is rounded before the product, in these units.
    """
    visible = [j for j in range(len(key)) if j <= last]
    scores, errors = {}, {}
    for j in visible:
        terms = [q * k * factor for q, k in zip(query, key[j], strict=True)]
        term = mp.mpf(0) if mask is None or mask.dtype == bool else mp.mpf(float(mask[j]))
        if (mask is not None and mask.dtype == bool and not mask[j]) or term == -mp.inf:
            continue
        scores[j] = mp.fsum(terms) + term
        # A mask of the lowest number absorbs the score.
        errors[j] = (len(terms) + 3) * mp.fsum(map(mp.fabs, terms)) + 2 * (mp.fabs(term) if mp.fabs(term) < 1e6 else 0)
    if not scores:
        return [(mp.mpf(0), mp.mpf(0))] * value.shape[1]
    if max(scores.values()) < -1e6:
        scores = dict.fromkeys(scores, mp.mpf(0))  # all of them are the lowest number
    top = max(scores.values())
    weights = {j: mp.exp(score - top) for j, score in scores.items()}
    total, worst = mp.fsum(weights.values()), max(errors.values())
    pairs = []
    for column in value.T:
        size = mp.fsum(weight * mp.fabs(column[j]) for j, weight in weights.items()) / total
        far = mp.fsum(weight * mp.fabs(column[j]) * (top - scores[j]) for j, weight in weights.items()) / total
        expected = mp.fsum(weight * column[j] for j, weight in weights.items()) / total
        pairs.append((expected, (2 * len(value) + 8 + 4 * worst + rounding) * size + 4 * far))
    return pairs
