"""Functions with arguments at which they are smooth, by name: their derivatives are compared with finite differences.

``CASES`` has the standard's functions and those beyond it. A case is a function and the makers of its arguments. Names
that end in ``complex`` are of complex arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import xtensor as xp
from xtensor import fft, linalg

Maker = Callable[[np.random.Generator], np.ndarray]
Case = tuple[Callable[..., Any], tuple[Maker, ...]]

CASES: dict[str, Case] = {}

BEYOND_STRICT: set[str] = set()
"""Cases of functions, or arguments of them, that the device ``strict`` refuses."""


def normal(*shape: int) -> Maker:
    return lambda rng: rng.standard_normal(shape)


def positive(*shape: int) -> Maker:
    return lambda rng: rng.uniform(0.3, 0.9, shape)


def above_one(*shape: int) -> Maker:
    return lambda rng: rng.uniform(1.3, 2.9, shape)


def complex_normal(*shape: int) -> Maker:
    return lambda rng: rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def definite(n: int, *, imaginary: bool = False) -> Maker:
    def make(rng: np.random.Generator) -> np.ndarray:
        a = rng.standard_normal((n, n)) + (1j * rng.standard_normal((n, n)) if imaginary else 0)
        return a @ a.conj().T + n * np.eye(n)

    return make


def fixed(*values: Any) -> Maker:
    return lambda rng: np.asarray(values)


def arguments(case: Case, seed: int = 1) -> list[Any]:
    """Return the arguments of a case on the default device."""
    rng = np.random.default_rng(seed)
    return [xp.asarray(make(rng)) for make in case[1]]


def _add(name: str, function: Callable[..., Any], *makers: Maker, strict: bool = True) -> None:
    assert name not in CASES
    CASES[name] = function, makers
    if not strict:
        BEYOND_STRICT.add(name)


# -- elementwise ------------------------------------------------------------------------------------------------------

UNARY = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log", "log10", "log1p",
    "log2", "negative", "positive", "reciprocal", "sin", "sinh", "sqrt", "square", "tan", "tanh",
)  # fmt: skip
for _name in UNARY:
    _add(_name, getattr(xp, _name), above_one(3) if _name == "acosh" else positive(3))
    _add(f"{_name} complex", getattr(xp, _name), complex_normal(3))
for _name in ("cbrt", "deg2rad", "exp2", "fabs", "rad2deg"):
    _add(_name, getattr(xp, _name), positive(3))
for _name in (
    "add", "atan2", "copysign", "divide", "hypot", "logaddexp", "maximum", "minimum", "multiply", "pow", "remainder",
    "subtract",
):  # fmt: skip
    _add(_name, getattr(xp, _name), positive(3), positive(2, 3))
for _name in ("float_power", "fmax", "fmin", "fmod", "logaddexp2"):
    _add(_name, getattr(xp, _name), positive(3), positive(2, 3))
for _name in ("add", "divide", "multiply", "pow", "subtract"):
    _add(f"{_name} complex", getattr(xp, _name), complex_normal(3), complex_normal(2, 3))
for _name in ("conj", "imag", "real", "sign"):
    _add(f"{_name} complex", getattr(xp, _name), complex_normal(3))
_add("multiply mixed complex", lambda z, x: z * x, complex_normal(3), positive(2, 3))
_add("complex of parts", lambda x, y: x + 1j * y, normal(3), normal(3))
_add("clip", lambda x: xp.clip(x, 0.4, 0.7), positive(5))
_add("clip by arrays", xp.clip, normal(4), fixed(-0.5, -0.4, -0.3, -0.2), fixed(0.5, 0.4, 0.3, 0.2))
_add("where", lambda x, y: xp.where(x > 0, x, y), normal(4), normal(4))
_add("power of a number", lambda x: 2.0**x, normal(3))
_add("square by operator", lambda x: x**2, normal(3))
_add("negative power", lambda x: x**-1.5, positive(3))

# -- reductions and scans ---------------------------------------------------------------------------------------------

for _name in ("max", "mean", "min", "prod", "std", "sum", "var"):
    _function = getattr(xp, _name)
    _add(_name, lambda x, f=_function: f(x, axis=1), normal(3, 4))
    _add(f"{_name} of all", lambda x, f=_function: f(x, axis=None, keepdims=True), normal(3, 4))
for _name in ("cumulative_prod", "cumulative_sum"):
    _function = getattr(xp, _name)
    _add(_name, lambda x, f=_function: f(x, axis=1), normal(3, 4))
    _add(f"{_name} with initial", lambda x, f=_function: f(x, axis=0, include_initial=True), normal(3, 2))
for _name in ("cumulative_prod", "cumulative_sum", "mean", "prod", "std", "sum", "var"):
    _function = getattr(xp, _name)
    _add(
        f"{_name} complex",
        lambda x, f=_function: f(x, axis=1),
        complex_normal(3, 4),
        strict=_name[1:] not in ("td", "ar"),
    )
_zeros = fixed([1.5, 0.0, -2.0, 0.7], [0.0, 1.1, 0.0, -0.6], [0.4, 0.8, 1.9, -1.2])
_add("prod with zeros", lambda x: xp.prod(x, axis=1), _zeros)
_add("cumulative_prod with zeros", lambda x: xp.cumulative_prod(x, axis=1), _zeros)
_add("std with correction", lambda x: xp.std(x, correction=1), normal(5))
for _ord in (0.5, 1, 2, 2.5, 3, math.inf, -math.inf):
    _norm = lambda x, ord=_ord: linalg.vector_norm(x, axis=1, ord=ord)  # noqa: E731
    _add(f"vector_norm {_ord}", _norm, normal(3, 4))
    _add(f"vector_norm {_ord} complex", _norm, complex_normal(3, 4))
for _ord in (1, -1, 2, -2, "fro", "nuc", math.inf, -math.inf):
    _add(f"matrix_norm {_ord}", lambda x, ord=_ord: linalg.matrix_norm(x, ord=ord), normal(2, 3, 4))

# -- shapes and indexing ----------------------------------------------------------------------------------------------

SHAPES: dict[str, Callable[..., Any]] = {
    "astype": lambda x: xp.astype(x, xp.complex128),
    "broadcast_to": lambda x: xp.broadcast_to(x, (2, 3, 4)),
    "concat": lambda x: xp.concat([x, x * 2], axis=1),
    "concat of all": lambda x: xp.concat([x, x * 2], axis=None),
    "diagonal": lambda x: linalg.diagonal(x, offset=1),
    "diagonal below": lambda x: linalg.diagonal(x, offset=-1),
    "diff": lambda x: xp.diff(x, axis=1, n=2),
    "expand_dims": lambda x: xp.expand_dims(x, axis=1),
    "flip": lambda x: xp.flip(x, axis=1),
    "getitem integer": lambda x: x[1, ...],
    "getitem mask": lambda x: x[xp.reshape(xp.arange(12), (3, 4)) % 2 == 0],
    "getitem new axis": lambda x: x[None, 1:, None, ::2],
    "getitem slice": lambda x: x[1:, ::-2],
    "list of elements": lambda x: xp.asarray([x[0, 0], x[1, 1] * 2]),
    "matrix_transpose": lambda x: xp.matrix_transpose(x),
    "meshgrid": lambda x: tuple(xp.meshgrid(x[0, ...], x[1, ...])),
    "moveaxis": lambda x: xp.moveaxis(x, 0, 1),
    "permute_dims": lambda x: xp.permute_dims(x, (1, 0)),
    "repeat": lambda x: xp.repeat(x, 2, axis=1),
    "repeat by counts": lambda x: xp.repeat(x, xp.asarray([1, 0, 2]), axis=0),
    "reshape": lambda x: xp.reshape(x, (4, 3)),
    "roll": lambda x: xp.roll(x, (1, 2), axis=(0, 1)),
    "roll of all": lambda x: xp.roll(x, 3),
    "sort": lambda x: xp.sort(x, axis=1),
    "squeeze": lambda x: xp.squeeze(xp.expand_dims(x, axis=0), axis=0),
    "stack": lambda x: xp.stack([x, x * x], axis=1),
    "take": lambda x: xp.take(x, xp.asarray([1, 1, 0]), axis=1),
    "take_along_axis": lambda x: xp.take_along_axis(x, xp.argsort(x, axis=1), axis=1),
    "tile": lambda x: xp.tile(x, (2, 3)),
    "trace": linalg.trace,
    "tril": xp.tril,
    "triu": lambda x: xp.triu(x, k=1),
    "unstack": lambda x: tuple(xp.unstack(x, axis=1)),
    "unstack one": lambda x: xp.unstack(x, axis=1)[2] * 2,
}
for _name, _function in SHAPES.items():
    _add(_name, _function, normal(3, 4))

# Indices and functions that the standard does not have.
BEYOND: dict[str, Callable[..., Any]] = {
    "corrcoef": lambda x: xp.corrcoef(x),
    "convolve": lambda x: xp.convolve(x[0, ...], x[1, ...]),
    "cov": lambda x: xp.cov(x),
    "einsum": lambda x: xp.einsum("ij,kj->ik", x, x),
    "full": lambda x: xp.full((2,), x[0, 0]),
    "getitem arrays": lambda x: x[xp.asarray([1, 1, 0]), xp.asarray([2, 2, 3])],
    "getitem array": lambda x: x[xp.asarray([1, 1, 0])],
    "getitem mask of rows": lambda x: x[xp.asarray([True, False, True])],
    "gradient": lambda x: tuple(xp.gradient(x)),
    "interp": lambda x: xp.interp(xp.asarray([0.1, 0.5]), xp.asarray([0.0, 0.4, 0.7, 1.0]), x[0, ...]),
    "kron": lambda x: xp.kron(x[:2, :2], x),
    "median": lambda x: xp.median(x, axis=1),
    "nanmean": lambda x: xp.nanmean(x),
    "nansum": lambda x: xp.nansum(x, axis=0),
    "pad": lambda x: xp.pad(x, 1),
    "polyval": lambda x: xp.polyval(x[0, ...], x[1, ...]),
    "quantile": lambda x: xp.quantile(x, 0.3, axis=1),
    "trapezoid": lambda x: xp.trapezoid(x),
    "vander": lambda x: xp.vander(x[0, ...]),
}
REFUSED = {"full", "getitem array"}

for _name, _function in BEYOND.items():
    _add(_name, _function, normal(3, 4), strict=_name not in REFUSED)


def assigned(key: Any) -> Callable[[Any, Any], Any]:
    def function(x: Any, value: Any) -> Any:
        y = x * 1
        y[key() if callable(key) else key] = value * 2
        return y

    return function


def assigned_in_place(x: Any) -> Any:
    y = x * 1
    y[0, ...] = 5.0
    y[1:, ...] *= x[1:, ...]
    y += x
    return y


_add("assignment", assigned((slice(1, None), 0)), normal(3, 4), normal(2))
_add("assignment that broadcasts", assigned((slice(1, None), ...)), normal(3, 4), normal(1, 4))
_add(
    "assignment to an array's elements",
    assigned(lambda: xp.asarray([1, 1, 0])),
    normal(3, 4),
    normal(3, 4),
    strict=False,
)
_add("assignment in place", assigned_in_place, normal(3, 4))

# -- linear algebra ---------------------------------------------------------------------------------------------------

SHAPES_OF_PRODUCTS = {
    "matrices": ((3, 4), (4, 2)),
    "matrix and vector": ((3, 4), (4,)),
    "vector and matrix": ((3,), (3, 2)),
    "vectors": ((3,), (3,)),
    "stack and matrix": ((2, 3, 4), (4, 2)),
    "stack and vector": ((2, 3, 4), (4,)),
    "vector and stack": ((3,), (2, 3, 4)),
}
for _name, (_first, _second) in SHAPES_OF_PRODUCTS.items():
    _add(f"matmul {_name}", xp.matmul, normal(*_first), normal(*_second))
    _add(f"matmul {_name} complex", xp.matmul, complex_normal(*_first), complex_normal(*_second))
_add("vecdot", xp.vecdot, normal(2, 3), normal(3))
_add("vecdot complex", lambda x, y: xp.vecdot(x, y, axis=-2), complex_normal(3, 2), complex_normal(4, 3, 2))
_add("tensordot", lambda x, y: xp.tensordot(x, y, axes=((0, 2), (1, 0))), normal(2, 3, 4), normal(4, 2, 5))
_add("tensordot complex", lambda x, y: xp.tensordot(x, y, axes=2), complex_normal(2, 3, 4), complex_normal(3, 4, 2))
_add("outer", linalg.outer, normal(2), normal(3))
_add("cross", linalg.cross, normal(2, 3), normal(2, 3))
_add("matrix_power", lambda x: linalg.matrix_power(x, 3), normal(3, 3))
_add("matrix_power negative", lambda x: linalg.matrix_power(x, -2), normal(3, 3))


def transposed(x: Any) -> Any:
    return xp.conj(xp.matrix_transpose(x)) if x.dtype.kind == "c" else xp.matrix_transpose(x)


def symmetric(x: Any) -> Any:
    return (x + transposed(x)) / 2


def by_singular_values(x: Any) -> Any:
    """Functions of the decomposition that do not depend on the signs, or phases, of the vectors."""
    u, s, vh = linalg.svd(x, full_matrices=False)
    return s, (u * (s * s)[..., None, :]) @ vh, u @ vh


def by_eigenvalues(x: Any) -> Any:
    values, vectors = linalg.eigh(symmetric(x))
    return values, (vectors * (values**3)[..., None, :]) @ transposed(vectors)


for _suffix, _make in (("", normal), (" complex", complex_normal)):
    _add(f"inv{_suffix}", linalg.inv, _make(2, 3, 3))
    _add(f"det{_suffix}", linalg.det, _make(2, 3, 3))
    _add(f"slogdet{_suffix}", lambda x: tuple(linalg.slogdet(x)), _make(3, 3))
    _add(f"solve{_suffix}", linalg.solve, _make(3, 3), _make(3, 2))
    _add(f"solve vector{_suffix}", linalg.solve, _make(3, 3), _make(3))
    _add(f"pinv{_suffix}", linalg.pinv, _make(3, 2))
    _add(f"pinv wide{_suffix}", linalg.pinv, _make(2, 3))
    _definite = definite(3, imaginary=bool(_suffix))
    _add(f"cholesky{_suffix}", lambda x: linalg.cholesky(symmetric(x)), _definite)
    _add(f"cholesky upper{_suffix}", lambda x: linalg.cholesky(symmetric(x), upper=True), _definite)
    for _shape in ((4, 3), (3, 3), (2, 4)):
        _add(f"qr {_shape}{_suffix}", lambda x: tuple(linalg.qr(x)), _make(*_shape))
        _add(f"svd {_shape}{_suffix}", by_singular_values, _make(*_shape))
        _add(f"svdvals {_shape}{_suffix}", linalg.svdvals, _make(*_shape))
    _add(f"eigh{_suffix}", by_eigenvalues, _make(3, 3))
    _add(f"eigvalsh{_suffix}", lambda x: linalg.eigvalsh(symmetric(x)), _make(3, 3))
    _add(f"eig{_suffix}", lambda x: (linalg.eig(x)[0], xp.abs(linalg.eig(x)[1])), _make(3, 3))
    _add(f"eigvals{_suffix}", linalg.eigvals, _make(3, 3))
_add("det singular", linalg.det, fixed([1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]))

# -- Fourier transforms -----------------------------------------------------------------------------------------------

for _suffix, _make in (("", normal), (" complex", complex_normal)):
    _is_standard = bool(_suffix)
    _add(f"fft longer{_suffix}", lambda x: fft.fft(x, n=5, axis=0), _make(4, 2), strict=_is_standard)
    _add(f"fft shorter{_suffix}", lambda x: fft.fft(x, n=3, norm="ortho"), _make(4), strict=_is_standard)
    _add(f"ifft{_suffix}", lambda x: fft.ifft(x, n=6), _make(4), strict=_is_standard)
    for _n in (4, 5, 6, 7):
        _add(f"irfft {_n}{_suffix}", lambda x, n=_n: fft.irfft(x, n=n), _make(4), strict=_is_standard)
    _add(f"fftn{_suffix}", fft.fftn, _make(3, 4), strict=_is_standard)
    _add(f"ifftn{_suffix}", fft.ifftn, _make(3, 4), strict=_is_standard)
    _add(f"irfftn{_suffix}", fft.irfftn, _make(3, 4), strict=_is_standard)
    _add(f"hfft{_suffix}", fft.hfft, _make(4), strict=_is_standard)
    _add(f"fftshift{_suffix}", fft.fftshift, _make(4))
    _add(f"ifftshift{_suffix}", fft.ifftshift, _make(4))
_add("rfft", lambda x: fft.rfft(x, n=5), normal(4))
_add("rfft shorter", lambda x: fft.rfft(x, n=4, norm="forward"), normal(7))
_add("rfftn", fft.rfftn, normal(3, 4))
_add("ihfft", fft.ihfft, normal(4))
