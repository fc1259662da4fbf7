"""Operands of the special functions, the tolerance of each function, and the comparison with exact values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from special_references import error_in_ulp, exact
from strategies import quiet

import xtensor as xp
from xtensor.special._declaration import DECLARATIONS

INF, NAN = np.inf, np.nan

REAL = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1e-3, -1e-8, 1e-20, 2.5, -2.5, 10.0, -7.0, 30.0, 45.0, 90.0, -180.0, 360.0]
POSITIVE = [0.0, 1e-20, 1e-3, 0.3, 0.5, 0.9999, 1.0, 1.0001, 2.0, 3.5, 10.0, 37.0]
UNIT = [0.0, 1e-20, 1e-3, 0.25, 0.3, 0.49999, 0.5, 0.65, 0.75, 0.9999, 1.0]
ANGLES = [*np.arange(-720.0, 721.0, 15.0), 1e-3, -1e-3, 89.999, 1e6, 1e10, -1e10, 1.1e14]
GAMMAS = [*REAL, 1.0001, 1.4616, 1.75, 1.9999, 2.0, 2.51, 3.0, 7.99, 8.01, -0.504, -1.5, -2.0001, -2.457, -20.3, -33.8]
INTEGERS = [0.0, 1.0, 2.0, 3.0, 5.0, 11.0]
SPECIAL = [INF, -INF, NAN]

FLOATS = [np.float32, np.float64]

FUNCTIONS = ("log_softmax", "logsumexp", "multigammaln", "softmax")
"""Functions with parameters that are not elementwise operands; they have tests of their own."""

LIBRARY_SLACK = 400
"""Factor of the tolerance for libraries' own implementations, which are not xtensor's to make more accurate."""


@dataclass(frozen=True)
class Case:
    """Operands of a function, and the error that its results may have.

    Attributes
    ----------
    points
        Difficult values of each operand.
    ulp
        Largest error of the formula in units in the last place.
    condition
        Function of the operands and the result: factor by which any computation amplifies rounding errors.
    library
        The same for libraries' implementations, in addition to ``condition``.
    defined
        Function of the operands: where infinities, NaN and operands outside the domain give the same as in SciPy.
    special
        Whether infinities and NaN give the same as in SciPy.
    """

    points: tuple[Any, ...]
    ulp: float = 6
    condition: Callable[..., Any] | None = None
    library: Callable[..., Any] | None = None
    defined: Callable[..., Any] | None = None
    special: bool = True


def exponential(*operands: Any) -> Any:
    """Condition number of a result that is the exponential of a large number."""
    *_, result = operands
    return 1 + np.nan_to_num(np.abs(np.log(np.abs(result) + 1e-300)), posinf=0)


def near_a_zero(*operands: Any) -> Any:
    """Condition number of a small difference of terms of size 1."""
    return 1 + np.nan_to_num(1 / np.maximum(np.abs(operands[-1]), 1e-12), nan=0)


def near_a_zero_by_size(x: Any, result: Any) -> Any:
    """Condition number of a small difference of terms of the size of ``x``."""
    return 1 + (np.abs(x) + 4) * near_a_zero(result)


def near_an_integer(x: Any, result: Any) -> Any:
    """Error of libraries near poles and zeros at integers, of which they compute the sine without reduction."""
    distance = np.abs(x - np.round(x))
    return 2 + np.abs(x) / np.where(distance == 0, 1, distance)


def largest_term(order: Any, q: Any, result: Any) -> Any:
    """Condition number of rounded bases of high powers, whose terms cancel for negative ``q``."""
    largest = np.where(q < 0, np.abs(q - np.round(q)) ** -order, 0)
    return 1 + np.abs(order) + np.nan_to_num(largest / np.abs(result), nan=0)


def incomplete(*points: list[float], distance: Callable[..., Any], special: bool = True) -> Case:
    """Return the case of an incomplete gamma function, whose condition number grows with the distance of x from a."""

    def condition(*operands: Any) -> Any:
        return 1 + np.nan_to_num(np.abs(distance(*operands[:-1])), posinf=0)

    return Case(points, condition=condition, library=exponential, special=special)


def finite(*operands: Any) -> Any:
    return np.all([np.isfinite(x) for x in operands], axis=0)


CASES: dict[str, Case] = {
    **dict.fromkeys(("bdtr", "bdtrc"), Case((INTEGERS, [11.0, 20.0], UNIT), special=False)),
    "bdtri": Case((INTEGERS, [11.0, 20.0], [0.0, *UNIT[2:]]), special=False),  # SciPy's is wrong at 1e-20
    **dict.fromkeys(("betainc", "betaincc", "betaincinv"), Case(([0.5, 1.0, 3.5], [0.3, 2.0, 10.0], UNIT))),
    "betaln": Case((POSITIVE[1:], POSITIVE[1:]), condition=near_a_zero, special=False),
    "binom": Case(([0.5, 3.0, 10.5, 30.0], INTEGERS), special=False),
    "boxcox": Case((POSITIVE, [*REAL, 200.0]), library=exponential),
    "boxcox1p": Case((POSITIVE, [*REAL, 200.0]), library=exponential),
    "cbrt": Case((REAL,)),
    **dict.fromkeys(
        ("chdtr", "chdtrc"),
        incomplete([0.5, 1.0, 7.0, 24.0, 100.0], [*POSITIVE, 99.0], distance=lambda v, x: v - x),
    ),
    "chdtri": Case(([0.5, 1.0, 7.0], UNIT)),
    **dict.fromkeys(("cosdg", "sindg"), Case((ANGLES,), defined=lambda x: np.isfinite(x) | np.isnan(x))),
    **dict.fromkeys(("cotdg", "tandg"), Case((ANGLES,), library=lambda x, result: 1 + np.abs(result))),
    "cosm1": Case((REAL,), condition=near_a_zero),
    "ellipk": Case(([*REAL, 0.9999],)),
    "ellipkm1": Case(([*POSITIVE, 1e5, 1e10],)),
    **dict.fromkeys(("entr", "expit", "exprel", "log_expit", "softplus"), Case((REAL,))),
    **dict.fromkeys(("erf", "erfc", "expi"), Case((REAL,), special=False)),
    **dict.fromkeys(("j0", "j1"), Case((REAL,), condition=near_a_zero_by_size, special=False)),
    "erfcx": Case((REAL,), library=exponential),
    **dict.fromkeys(("erfinv", "ndtri", "logit"), Case((UNIT,))),
    "erfcinv": Case(([*UNIT, 1.5, 2.0],)),
    **dict.fromkeys(("exp10", "exp2"), Case((REAL,))),
    **dict.fromkeys(("exp1", "k0", "k0e", "k1", "k1e", "y0", "y1", "spence"), Case((POSITIVE,), special=False)),
    "expn": Case((INTEGERS, POSITIVE), special=False),
    **dict.fromkeys(("fdtr", "fdtrc"), Case(([1.0, 5.0], [2.0, 7.5], POSITIVE))),
    "fdtri": Case(([1.0, 5.0], [2.0, 7.5], UNIT[1:-1])),
    **dict.fromkeys(
        ("digamma", "gammaln", "loggamma", "psi"),
        Case((GAMMAS,), condition=near_a_zero_by_size, library=near_an_integer, special=False),
    ),
    **dict.fromkeys(("gamma", "rgamma"), Case((GAMMAS,), ulp=10, special=False)),
    **dict.fromkeys(
        ("gammainc", "gammaincc"),
        incomplete(
            [1e-20, 1e-3, 0.3, 0.5, 1.0, 7.0, 11.9, 12.1, 50.0, 1e3],
            [*POSITIVE, 1.15, 12.0, 55.0, 99.0, 970.0, 1e4],
            distance=lambda a, x: a - x,
        ),
    ),
    **dict.fromkeys(("gammainccinv", "gammaincinv"), Case(([0.5, 1.0, 7.0], UNIT))),
    "gammasgn": Case((REAL,)),
    **dict.fromkeys(
        ("gdtr", "gdtrc"),
        incomplete([0.5, 2.0], [1.0, 3.5, 20.0], POSITIVE, distance=lambda a, b, x: a * x - b),
    ),
    "huber": Case((REAL, REAL)),
    "hyp1f1": Case(([0.5, 2.0], [1.5, 3.0], REAL[:-4]), special=False),
    **dict.fromkeys(("i0", "i0e", "i1", "i1e"), Case(([*REAL, 7.9, -8.1],), ulp=10, special=False)),
    **dict.fromkeys(
        ("inv_boxcox", "inv_boxcox1p"),
        Case(
            (REAL, REAL),
            library=exponential,
            defined=lambda y, lmbda: finite(y, lmbda) & (np.abs(lmbda * y + 1) > 1e-6),
        ),
    ),
    "kl_div": Case(
        (POSITIVE, POSITIVE), condition=lambda x, y, result: 1 + (x + y + 1) / np.maximum(np.abs(result), 1e-9)
    ),
    "log_ndtr": Case((REAL,), library=exponential),
    "lpmv": Case((INTEGERS[:3], [2.0, 5.0], [0.0, *UNIT[2:]]), condition=near_a_zero, special=False),
    **dict.fromkeys(("nbdtr", "nbdtrc", "nbdtri"), Case((INTEGERS, [1.0, 4.0], UNIT[1:-1]), special=False)),
    "ndtr": Case((REAL,), library=exponential),
    **dict.fromkeys(
        ("pdtr", "pdtrc"),
        incomplete([*INTEGERS, 2.5, -0.5, 40.0], POSITIVE, distance=lambda k, m: k - m, special=False),
    ),
    "pdtri": Case((INTEGERS, UNIT[1:-1]), special=False),
    "poch": Case((POSITIVE[2:], [0.0, 0.5, 3.0]), special=False),
    "polygamma": Case(
        ([*INTEGERS, 30.0], [*POSITIVE[2:], 100.0, 0.0, -0.25, -1.5, -3.0, -4.75]),
        ulp=10,
        condition=lambda n, x, result: largest_term(n + 1, x, result / np.exp(log_factorial(n))),
        special=False,
    ),
    "powm1": Case((POSITIVE, REAL), library=exponential, defined=lambda x, y: finite(x, y, np.power(x, y)) & (x > 0)),
    "pseudo_huber": Case((REAL, REAL), defined=lambda delta, r: np.isfinite(delta)),
    "radian": Case((POSITIVE, POSITIVE, POSITIVE)),
    "rel_entr": Case((POSITIVE, POSITIVE)),
    "sinc": Case(
        (REAL,), condition=lambda x, result: 1 + np.abs(x) + near_a_zero(result), defined=lambda x: ~np.isfinite(x)
    ),
    "stdtr": Case(([1.0, 4.5], REAL), library=lambda df, t, result: np.maximum(1, 1e-3 / np.abs(t)), special=False),
    "stdtrit": Case(([1.0, 4.5], UNIT[1:-1]), library=near_a_zero, special=False),
    "xlog1py": Case((POSITIVE, [*POSITIVE, -0.5, -1.0, -1e-8])),
    "xlogy": Case((POSITIVE, POSITIVE)),
    "yn": Case((INTEGERS, POSITIVE[2:]), special=False),
    "zeta": Case(
        ([0.5, 1.0, 1.5, 2.0, 3.0, 10.0, 33.0], [0.0, 1e-3, 0.5, 1.0, 7.5, 100.0, 1e6, -0.25, -0.5, -2.25, -3.0, -7.5]),
        condition=largest_term,
        special=False,
    ),
    "zetac": Case(
        ([-31.75, -7.25, -4.0, -3.5, -0.5, 0.0, 1e-9, 0.4, 0.5, 0.75, 1.0, 1.5, 2.0, 30.0],),
        ulp=10,
        condition=near_a_zero,
        library=near_an_integer,
        special=False,
    ),
}
"""The elementwise functions."""

FORMULAS = [name for name in CASES if DECLARATIONS[name].formula is not None]
"""The elementwise functions that have a formula."""


def log_factorial(n: Any) -> Any:
    return np.vectorize(lambda k: np.sum(np.log(np.arange(1, k + 1))), otypes=[float])(n)


def grid(case: Case, dtype: Any, special: bool = False) -> list[Any]:
    """Return all combinations of the operands' points, rounded to a dtype, with infinities and NaN if asked for."""
    points = [[*values, *SPECIAL] if special else values for values in case.points]
    return [axis.ravel() for axis in np.meshgrid(*(np.asarray(values, dtype) for values in points))]


def host(x: xp.Array) -> np.ndarray[Any, Any]:
    return np.asarray(x.to_device("cpu"))


def floats_of(device: xp.Device) -> list[Any]:
    return [dtype for dtype in FLOATS if np.dtype(dtype) in device.dtypes]


def computed(device: xp.Device, name: str, operands: list[Any]) -> np.ndarray[Any, Any]:
    """Return a function of NumPy arrays on a device; on the host where the device has no way to compute it."""
    arrays = [xp.asarray(x, device=device) for x in operands]
    with quiet(), xp.transfers("allow"):
        result = getattr(xp.special, name)(*arrays)
    assert result.device is device
    assert result.dtype == operands[0].dtype
    return host(result)


def check_values(name: str, operands: list[Any], result: np.ndarray[Any, Any], slack: float, library: bool) -> None:
    """Fail unless every result whose exact value is defined is within the tolerance of its case."""
    case, dtype = CASES[name], operands[0].dtype
    rows = list(zip(*(x.astype(np.float64).tolist() for x in operands), strict=True))
    values = [exact(name, row) for row in rows]
    known = [i for i, value in enumerate(values) if value is not None]
    errors = np.array([error_in_ulp(float(result[i]), values[i], dtype) for i in known])
    numbers = (*(np.array([rows[i][j] for i in known]) for j in range(len(operands))),)
    expected = np.array([float(values[i]) for i in known])
    tolerance = np.full(len(known), case.ulp * slack)
    with quiet():
        if case.condition is not None and known:
            tolerance = tolerance * case.condition(*numbers, expected)
        if library and case.library is not None and known:
            tolerance = tolerance * case.library(*numbers, expected)
    wrong = np.flatnonzero(~(errors <= tolerance))
    assert not wrong.size, [
        (rows[known[i]], float(result[known[i]]), float(expected[i]), float(errors[i])) for i in wrong[:5]
    ]


def check_conventions(name: str, operands: list[Any], result: np.ndarray[Any, Any]) -> None:
    """Fail unless infinities, NaN and operands outside the domain give what they give in SciPy."""
    import scipy.special

    case, dtype = CASES[name], operands[0].dtype
    wide = [x.astype(np.float64) for x in operands]
    with quiet():
        expected = np.asarray(getattr(scipy.special, name)(*wide)).astype(dtype)
        defined = np.ones(result.shape, bool) if case.defined is None else np.asarray(case.defined(*wide))
        is_number = finite(*wide)
        is_number[is_number] &= [
            exact(name, row) is not None for row in zip(*(x[is_number] for x in wide), strict=True)
        ]
        tolerance = 100 * np.spacing(np.abs(expected))
        same = (result == expected) | (np.isnan(result) & np.isnan(expected)) | (np.abs(result - expected) <= tolerance)
    chosen = defined & ~is_number
    assert chosen.any()
    wrong = np.flatnonzero(chosen & ~same)
    assert not wrong.size, [(*(float(x[i]) for x in operands), float(result[i]), float(expected[i])) for i in wrong[:5]]
