"""Special functions, in SciPy's names, on the device of their operands.

The functions are declarations, as in the chapter of elementwise functions. What holds for all of them:

- Operands broadcast against one another and are on one device, where the result is, too; Python scalars may stand
  beside an Array. Floating-point dtypes promote as NumPy's do; integers and booleans become the default floating-point
  dtype, float16 becomes float32. NaN gives NaN, unless a docstring says otherwise.
- The device's library computes: SciPy on the host, ``cupyx.scipy.special`` on CUDA and ROCm, dpnp where it has the
  function; where there is none, a stable formula in terms of the namespace does. They are looked for when a function
  is first called.
- Where a device has neither, :class:`FunctionUnavailableError` is raised, unless :func:`xtensor.transfers` allows that
  the host computes and the result comes back.
- TypeError is raised for what is neither Array nor scalar, and for complex numbers where a function takes real ones.

SciPy's own functions find these when ``SCIPY_ARRAY_API=1`` is set: ``scipy.special.erf(x)`` of an Array is
``xtensor.special.erf(x)``.
"""

from __future__ import annotations

from typing import Any, Literal, overload

import xtensor as xp

from ._array import Array, Axis
from ._checks import check_axes, check_flag, check_integer
from ._dispatch import composed
from ._special import FunctionUnavailableError, compute, promoted, special

__all__ = [
    "FunctionUnavailableError",
    "bdtr",
    "bdtrc",
    "bdtri",
    "betainc",
    "betaincc",
    "betaincinv",
    "betaln",
    "binom",
    "boxcox",
    "boxcox1p",
    "cbrt",
    "chdtr",
    "chdtrc",
    "chdtri",
    "cosdg",
    "cosm1",
    "cotdg",
    "digamma",
    "ellipk",
    "ellipkm1",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp1",
    "exp2",
    "exp10",
    "expi",
    "expit",
    "expn",
    "exprel",
    "fdtr",
    "fdtrc",
    "fdtri",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammaln",
    "gammasgn",
    "gdtr",
    "gdtrc",
    "huber",
    "hyp1f1",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "inv_boxcox",
    "inv_boxcox1p",
    "j0",
    "j1",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kl_div",
    "log_expit",
    "log_ndtr",
    "log_softmax",
    "loggamma",
    "logit",
    "logsumexp",
    "lpmv",
    "multigammaln",
    "nbdtr",
    "nbdtrc",
    "nbdtri",
    "ndtr",
    "ndtri",
    "pdtr",
    "pdtrc",
    "pdtri",
    "poch",
    "polygamma",
    "powm1",
    "pseudo_huber",
    "psi",
    "radian",
    "rel_entr",
    "rgamma",
    "sinc",
    "sindg",
    "softmax",
    "softplus",
    "spence",
    "stdtr",
    "stdtrit",
    "tandg",
    "xlog1py",
    "xlogy",
    "y0",
    "y1",
    "yn",
    "zeta",
    "zetac",
]


def __dir__() -> list[str]:
    return sorted(__all__)


@special
def bdtr(k: Array | float, n: Array | float, p: Array | float, /) -> Array:
    r"""The binomial distribution :math:`\sum_{j=0}^{\lfloor k \rfloor} \binom{n}{j} p^j (1 - p)^{n-j}`.

    Parameters
    ----------
    k
        Numbers of successes, rounded down.
    n
        Numbers of trials, whole numbers.
    p
        Probabilities of success, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN where ``p`` is outside ``[0, 1]``, ``n < floor(k)``, or an operand is NaN; 1 where ``floor(k) == n``.

    SciPy, ``scipy.special.bdtr``; NIST DLMF, 8.17.5.
    """


@special
def bdtrc(k: Array | float, n: Array | float, p: Array | float, /) -> Array:
    r"""The binomial survival function :math:`\sum_{j=\lfloor k \rfloor + 1}^{n} \binom{n}{j} p^j (1 - p)^{n-j}`.

    Parameters
    ----------
    k
        Numbers of successes, rounded down.
    n
        Numbers of trials, whole numbers.
    p
        Probabilities of success, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN where ``p`` is outside ``[0, 1]``, ``n < floor(k)``, or an operand is NaN; 1 where ``k < 0``.

    SciPy, ``scipy.special.bdtrc``; NIST DLMF, 8.17.5.
    """


@special
def bdtri(k: Array | float, n: Array | float, y: Array | float, /) -> Array:
    r"""The probability :math:`p` for which :math:`\operatorname{bdtr}(k, n, p) = y`.

    Parameters
    ----------
    k
        Numbers of successes, rounded down.
    n
        Numbers of trials, whole numbers.
    y
        Cumulative probabilities, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN where there is no such probability, or an operand is NaN.

    SciPy, ``scipy.special.bdtri``; NIST DLMF, 8.17.5.
    """


@special
def betainc(a: Array | float, b: Array | float, x: Array | float, /) -> Array:
    r"""The regularized incomplete beta function
    :math:`I_x(a, b) = \frac{1}{B(a, b)} \int_0^x t^{a-1} (1 - t)^{b-1} dt`.

    Parameters
    ----------
    a, b
        Parameters, positive.
    x
        Upper limits of integration, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    0 at ``x = 0``, 1 at ``x = 1``; NaN outside the domain, and where an operand is NaN.

    SciPy, ``scipy.special.betainc``; NIST DLMF, 8.17.
    """


@special
def betaincc(a: Array | float, b: Array | float, x: Array | float, /) -> Array:
    r"""The complement :math:`1 - I_x(a, b)` of the regularized incomplete beta function, without cancellation.

    Parameters
    ----------
    a, b
        Parameters, positive.
    x
        Lower limits of integration, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    1 at ``x = 0``, 0 at ``x = 1``; NaN outside the domain, and where an operand is NaN.

    SciPy, ``scipy.special.betaincc``; NIST DLMF, 8.17.
    """


@special
def betaincinv(a: Array | float, b: Array | float, y: Array | float, /) -> Array:
    r"""The :math:`x` for which :math:`I_x(a, b) = y`.

    Parameters
    ----------
    a, b
        Parameters, positive.
    y
        Values of the regularized incomplete beta function, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    0 at ``y = 0``, 1 at ``y = 1``; NaN outside the domain, and where an operand is NaN.

    SciPy, ``scipy.special.betaincinv``; NIST DLMF, 8.17.
    """


@special
def betaln(a: Array | float, b: Array | float, /) -> Array:
    r"""The logarithm :math:`\ln |B(a, b)|` of the beta function's absolute value.

    Parameters
    ----------
    a, b
        Parameters, real.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    ``+inf`` at poles, where ``a`` or ``b`` is 0 or a negative whole number.

    SciPy, ``scipy.special.betaln``; NIST DLMF, 5.12.
    """


@special
def binom(n: Array | float, k: Array | float, /) -> Array:
    r"""The binomial coefficient :math:`\binom{n}{k} = \frac{\Gamma(n + 1)}{\Gamma(k + 1) \Gamma(n - k + 1)}`.

    Parameters
    ----------
    n, k
        Real numbers.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Defined for numbers that are not whole by the gamma function; NaN for negative whole ``n``.

    SciPy, ``scipy.special.binom``; NIST DLMF, 1.2.
    """


@special
def boxcox(x: Array | float, lmbda: Array | float, /) -> Array:
    r"""Box and Cox's transformation :math:`(x^\lambda - 1) / \lambda`, :math:`\ln x` for :math:`\lambda = 0`.

    Parameters
    ----------
    x
        Array of a real dtype, not negative.
    lmbda
        The exponents :math:`\lambda`.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN where ``x < 0``. At ``x = 0`` it is ``-1 / lmbda`` for positive ``lmbda``, else ``-inf``.

    SciPy, ``scipy.special.boxcox``; Box and Cox, "An Analysis of Transformations", J. R. Stat. Soc. B 26 (1964).
    """


@special
def boxcox1p(x: Array | float, lmbda: Array | float, /) -> Array:
    r"""Box and Cox's transformation of :math:`1 + x`: :math:`((1 + x)^\lambda - 1) / \lambda`, :math:`\ln(1 + x)`
    for :math:`\lambda = 0`.

    Parameters
    ----------
    x
        Array of a real dtype, -1 or more.
    lmbda
        The exponents :math:`\lambda`.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN where ``x < -1``. Accurate near ``x = 0``.

    SciPy, ``scipy.special.boxcox1p``; Box and Cox, "An Analysis of Transformations", J. R. Stat. Soc. B 26 (1964).
    """


@special
def cbrt(x: Array, /) -> Array:
    r"""The real cube root :math:`\sqrt[3]{x}`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Odd: ``cbrt(-x) = -cbrt(x)``, zeros and infinities give themselves.

    SciPy, ``scipy.special.cbrt``.
    """


@special
def chdtr(v: Array | float, x: Array | float, /) -> Array:
    r"""The chi-square distribution :math:`P(v/2, x/2)`, with :math:`P` the regularized incomplete gamma function.

    Parameters
    ----------
    v
        Degrees of freedom, positive.
    x
        Upper limits of integration, not negative.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    0 at ``x = 0``, 1 at ``+inf``; NaN outside the domain.

    SciPy, ``scipy.special.chdtr``; NIST DLMF, 8.2.
    """


@special
def chdtrc(v: Array | float, x: Array | float, /) -> Array:
    r"""The chi-square survival function :math:`Q(v/2, x/2) = 1 - P(v/2, x/2)`, without cancellation.

    Parameters
    ----------
    v
        Degrees of freedom, positive.
    x
        Lower limits of integration, not negative.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    1 at ``x = 0``, 0 at ``+inf``; NaN outside the domain.

    SciPy, ``scipy.special.chdtrc``; NIST DLMF, 8.2.
    """


@special
def chdtri(v: Array | float, p: Array | float, /) -> Array:
    r"""The :math:`x` for which :math:`\operatorname{chdtrc}(v, x) = p`.

    Parameters
    ----------
    v
        Degrees of freedom, positive.
    p
        Probabilities, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    0 at ``p = 1``, ``+inf`` at ``p = 0``; NaN outside the domain.

    SciPy, ``scipy.special.chdtri``; NIST DLMF, 8.2.
    """


@special
def cosdg(x: Array, /) -> Array:
    r"""The cosine :math:`\cos(\pi x / 180)` of an angle in degrees.

    Parameters
    ----------
    x
        Angles, degrees.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Zeros at odd multiples of 90 are exact. Angles beyond ``1e14`` and infinities give 0, NaN gives NaN.

    SciPy, ``scipy.special.cosdg``; NIST DLMF, 4.14.
    """


@special
def cosm1(x: Array, /) -> Array:
    r"""The cosine minus one, :math:`\cos x - 1 = -2 \sin^2(x / 2)`, without cancellation near 0.

    Parameters
    ----------
    x
        Angles, radians.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    NaN for infinities and NaN.

    SciPy, ``scipy.special.cosm1``; NIST DLMF, 4.14.
    """


@special
def cotdg(x: Array, /) -> Array:
    r"""The cotangent :math:`\cot(\pi x / 180)` of an angle in degrees.

    Parameters
    ----------
    x
        Angles, degrees.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``+inf`` at multiples of 180, 0 at odd multiples of 90. Angles beyond ``1e14`` and infinities give 0, NaN gives
    NaN.

    SciPy, ``scipy.special.cotdg``; NIST DLMF, 4.14.
    """


@special
def digamma(x: Array, /) -> Array:
    r"""The digamma function :math:`\psi(x) = \Gamma'(x) / \Gamma(x)`; the same as :func:`psi`.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``-inf`` at ``+0`` and ``+inf`` at ``-0``; NaN at negative whole numbers and ``-inf``; ``+inf`` at ``+inf``.

    SciPy, ``scipy.special.digamma``; NIST DLMF, 5.2.
    """


@special
def ellipk(m: Array, /) -> Array:
    r"""The complete elliptic integral of the first kind :math:`K(m) = \int_0^{\pi/2} (1 - m \sin^2 t)^{-1/2} dt`.

    Parameters
    ----------
    m
        The parameter :math:`m = k^2`, 1 or less.

    Returns
    -------
    Array
        The values, of the shape of ``m`` and its floating-point dtype.

    Notes
    -----
    ``+inf`` at 1, NaN above. :func:`ellipkm1` is accurate near ``m = 1``.

    SciPy, ``scipy.special.ellipk``; NIST DLMF, 19.2.
    """


@special
def ellipkm1(p: Array, /) -> Array:
    r"""The complete elliptic integral of the first kind :math:`K(1 - p)`, accurate near :math:`p = 0`.

    Parameters
    ----------
    p
        The complementary parameter :math:`p = 1 - m`, not negative.

    Returns
    -------
    Array
        The values, of the shape of ``p`` and its floating-point dtype.

    Notes
    -----
    ``+inf`` at 0, 0 at ``+inf``, NaN below 0.

    SciPy, ``scipy.special.ellipkm1``; NIST DLMF, 19.2.
    """


@special
def entr(x: Array, /) -> Array:
    r"""A term of the entropy, :math:`-x \ln x`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    0 at 0, ``-inf`` where ``x < 0``.

    SciPy, ``scipy.special.entr``.
    """


@special
def erf(x: Array, /) -> Array:
    r"""The error function :math:`\frac{2}{\sqrt\pi} \int_0^x e^{-t^2} dt`.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Odd; ±1 at ±inf.

    SciPy, ``scipy.special.erf``; NIST DLMF, 7.2.
    """


@special
def erfc(x: Array, /) -> Array:
    r"""The complementary error function :math:`1 - \operatorname{erf} x`, without cancellation.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    2 at ``-inf``, 0 at ``+inf``.

    SciPy, ``scipy.special.erfc``; NIST DLMF, 7.2.
    """


@special
def erfcinv(y: Array, /) -> Array:
    r"""The :math:`x` for which :math:`\operatorname{erfc} x = y`.

    Parameters
    ----------
    y
        Array of a real dtype, in ``[0, 2]``.

    Returns
    -------
    Array
        The values, of the shape of ``y`` and its floating-point dtype.

    Notes
    -----
    ``+inf`` at 0, ``-inf`` at 2, NaN outside.

    SciPy, ``scipy.special.erfcinv``; NIST DLMF, 7.17.
    """


@special
def erfcx(x: Array, /) -> Array:
    r"""The scaled complementary error function :math:`e^{x^2} \operatorname{erfc} x`.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``+inf`` at ``-inf``, 0 at ``+inf``.

    SciPy, ``scipy.special.erfcx``; NIST DLMF, 7.2.
    """


@special
def erfinv(y: Array, /) -> Array:
    r"""The :math:`x` for which :math:`\operatorname{erf} x = y`.

    Parameters
    ----------
    y
        Array of a real dtype, in ``[-1, 1]``.

    Returns
    -------
    Array
        The values, of the shape of ``y`` and its floating-point dtype.

    Notes
    -----
    ±inf at ±1, NaN outside.

    SciPy, ``scipy.special.erfinv``; NIST DLMF, 7.17.
    """


@special
def exp1(x: Array, /) -> Array:
    r"""The exponential integral :math:`E_1(x) = \int_1^\infty \frac{e^{-xt}}{t} dt`.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``+inf`` at 0; NaN for negative real numbers, where the branch cut of complex ones is.

    SciPy, ``scipy.special.exp1``; NIST DLMF, 6.2.
    """


@special
def exp10(x: Array, /) -> Array:
    r"""The power :math:`10^x`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    0 at ``-inf``, ``+inf`` at ``+inf``. Exact for whole numbers whose power is.

    SciPy, ``scipy.special.exp10``; NIST DLMF, 4.2.
    """


@special
def exp2(x: Array, /) -> Array:
    r"""The power :math:`2^x`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    0 at ``-inf``, ``+inf`` at ``+inf``. Exact for whole numbers.

    SciPy, ``scipy.special.exp2``; NIST DLMF, 4.2.
    """


@special
def expi(x: Array, /) -> Array:
    r"""The exponential integral :math:`\operatorname{Ei}(x) = \int_{-\infty}^x \frac{e^t}{t} dt`, its principal
    value for :math:`x > 0`.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``-inf`` at 0, 0 at ``-inf``, ``+inf`` at ``+inf``.

    SciPy, ``scipy.special.expi``; NIST DLMF, 6.2.
    """


@special
def expit(x: Array, /) -> Array:
    r"""The logistic function :math:`1 / (1 + e^{-x})`, the inverse of :func:`logit`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    0 at ``-inf``, 1 at ``+inf``; small results keep their precision.

    SciPy, ``scipy.special.expit``.
    """


@special
def expn(n: Array | float, x: Array | float, /) -> Array:
    r"""The generalized exponential integral :math:`E_n(x) = \int_1^\infty \frac{e^{-xt}}{t^n} dt`.

    Parameters
    ----------
    n
        Orders, whole numbers, not negative.
    x
        Array of a real dtype, not negative.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    ``1 / (n - 1)`` at ``x = 0`` for ``n > 1``, else ``+inf``; NaN where an operand is NaN or out of the domain.

    SciPy, ``scipy.special.expn``; NIST DLMF, 8.19.
    """


@special
def exprel(x: Array, /) -> Array:
    r"""The relative exponential :math:`(e^x - 1) / x`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    1 at 0, 0 at ``-inf``, ``+inf`` at ``+inf``.

    SciPy, ``scipy.special.exprel``; NIST DLMF, 4.2.
    """


@special
def fdtr(dfn: Array | float, dfd: Array | float, x: Array | float, /) -> Array:
    r"""The F distribution :math:`I_{d_n x / (d_d + d_n x)}(d_n / 2, d_d / 2)`.

    Parameters
    ----------
    dfn
        Degrees of freedom :math:`d_n` of the numerator, positive.
    dfd
        Degrees of freedom :math:`d_d` of the denominator, positive.
    x
        Upper limits of integration, not negative.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN outside the domain.

    SciPy, ``scipy.special.fdtr``; NIST DLMF, 8.17.
    """


@special
def fdtrc(dfn: Array | float, dfd: Array | float, x: Array | float, /) -> Array:
    r"""The F survival function :math:`I_{d_d / (d_d + d_n x)}(d_d / 2, d_n / 2)`.

    Parameters
    ----------
    dfn
        Degrees of freedom :math:`d_n` of the numerator, positive.
    dfd
        Degrees of freedom :math:`d_d` of the denominator, positive.
    x
        Lower limits of integration, not negative.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN outside the domain.

    SciPy, ``scipy.special.fdtrc``; NIST DLMF, 8.17.
    """


@special
def fdtri(dfn: Array | float, dfd: Array | float, p: Array | float, /) -> Array:
    r"""The :math:`x` for which :math:`\operatorname{fdtr}(d_n, d_d, x) = p`.

    Parameters
    ----------
    dfn
        Degrees of freedom :math:`d_n` of the numerator, positive.
    dfd
        Degrees of freedom :math:`d_d` of the denominator, positive.
    p
        Probabilities, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN outside the domain.

    SciPy, ``scipy.special.fdtri``; NIST DLMF, 8.17.
    """


@special
def gamma(x: Array, /) -> Array:
    r"""The gamma function :math:`\Gamma(x) = \int_0^\infty t^{x-1} e^{-t} dt`, continued to negative numbers.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ±inf at ±0, NaN at negative whole numbers and ``-inf``, ``+inf`` at ``+inf``.

    SciPy, ``scipy.special.gamma``; NIST DLMF, 5.2.
    """


@special
def gammainc(a: Array | float, x: Array | float, /) -> Array:
    r"""The regularized lower incomplete gamma function
    :math:`P(a, x) = \frac{1}{\Gamma(a)} \int_0^x t^{a-1} e^{-t} dt`.

    Parameters
    ----------
    a
        Parameters, positive.
    x
        Upper limits of integration, not negative.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    0 at ``x = 0``, 1 at ``x = +inf`` for finite ``a``; NaN where an operand is negative or NaN.

    SciPy, ``scipy.special.gammainc``; NIST DLMF, 8.2.
    """


@special
def gammaincc(a: Array | float, x: Array | float, /) -> Array:
    r"""The regularized upper incomplete gamma function
    :math:`Q(a, x) = \frac{1}{\Gamma(a)} \int_x^\infty t^{a-1} e^{-t} dt`.

    Parameters
    ----------
    a
        Parameters, positive.
    x
        Lower limits of integration, not negative.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    1 at ``x = 0``, 0 at ``x = +inf`` for finite ``a``; NaN where an operand is negative or NaN.

    SciPy, ``scipy.special.gammaincc``; NIST DLMF, 8.2.
    """


@special
def gammainccinv(a: Array | float, y: Array | float, /) -> Array:
    r"""The :math:`x` for which :math:`Q(a, x) = y`.

    Parameters
    ----------
    a
        Parameters, positive.
    y
        Values of the function, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    ``+inf`` at ``y = 0``, 0 at ``y = 1``; NaN outside the domain.

    SciPy, ``scipy.special.gammainccinv``; NIST DLMF, 8.2.
    """


@special
def gammaincinv(a: Array | float, y: Array | float, /) -> Array:
    r"""The :math:`x` for which :math:`P(a, x) = y`.

    Parameters
    ----------
    a
        Parameters, positive.
    y
        Values of the function, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    0 at ``y = 0``, ``+inf`` at ``y = 1``; NaN outside the domain.

    SciPy, ``scipy.special.gammaincinv``; NIST DLMF, 8.2.
    """


@special
def gammaln(x: Array, /) -> Array:
    r"""The logarithm :math:`\ln |\Gamma(x)|` of the gamma function's absolute value.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``+inf`` at 0, at negative whole numbers and at ``+inf``. The sign is :func:`gammasgn`.

    SciPy, ``scipy.special.gammaln``; NIST DLMF, 5.2.
    """


@special
def gammasgn(x: Array, /) -> Array:
    r"""The sign of the gamma function :math:`\operatorname{sgn} \Gamma(x)`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ±1 at ±0; NaN at negative whole numbers, ``-inf`` and NaN.

    SciPy, ``scipy.special.gammasgn``; NIST DLMF, 5.2.
    """


@special
def gdtr(a: Array | float, b: Array | float, x: Array | float, /) -> Array:
    r"""The gamma distribution :math:`P(b, a x)`, with :math:`P` the regularized lower incomplete gamma function.

    Parameters
    ----------
    a
        Rates, positive.
    b
        Shapes, positive.
    x
        Upper limits of integration, not negative.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN outside the domain.

    SciPy, ``scipy.special.gdtr``; NIST DLMF, 8.2.
    """


@special
def gdtrc(a: Array | float, b: Array | float, x: Array | float, /) -> Array:
    r"""The gamma survival function :math:`Q(b, a x)`, with :math:`Q` the regularized upper incomplete gamma function.

    Parameters
    ----------
    a
        Rates, positive.
    b
        Shapes, positive.
    x
        Lower limits of integration, not negative.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN outside the domain.

    SciPy, ``scipy.special.gdtrc``; NIST DLMF, 8.2.
    """


@special
def huber(delta: Array | float, r: Array | float, /) -> Array:
    r"""Huber's loss: :math:`r^2 / 2` where :math:`|r| \le \delta`, else :math:`\delta (|r| - \delta / 2)`.

    Parameters
    ----------
    delta
        Where the loss turns from quadratic to linear, not negative.
    r
        Residuals.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    ``+inf`` where ``delta < 0``.

    SciPy, ``scipy.special.huber``; Huber, "Robust Estimation of a Location Parameter", Ann. Math. Statist. 35 (1964).
    """


@special
def hyp1f1(a: Array | complex, b: Array | complex, x: Array | complex, /) -> Array:
    r"""Kummer's confluent hypergeometric function
    :math:`M(a, b, x) = \sum_{n=0}^\infty \frac{(a)_n}{(b)_n} \frac{x^n}{n!}`.

    Parameters
    ----------
    a, b
        Parameters, real.
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    ``+inf`` where ``b`` is 0 or a negative whole number, unless the series ends before that.

    SciPy, ``scipy.special.hyp1f1``; NIST DLMF, 13.2.
    """


@special
def i0(x: Array, /) -> Array:
    r"""The modified Bessel function of the first kind :math:`I_0(x)`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    1 at 0; even. At infinities, where the limit is ``+inf``, some libraries give NaN.

    SciPy, ``scipy.special.i0``; NIST DLMF, 10.25.
    """


@special
def i0e(x: Array, /) -> Array:
    r"""The scaled modified Bessel function of the first kind :math:`e^{-|x|} I_0(x)`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    1 at 0, 0 at ±inf; even.

    SciPy, ``scipy.special.i0e``; NIST DLMF, 10.25.
    """


@special
def i1(x: Array, /) -> Array:
    r"""The modified Bessel function of the first kind :math:`I_1(x)`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    0 at 0; odd. At infinities, where the limits are infinite, some libraries give NaN.

    SciPy, ``scipy.special.i1``; NIST DLMF, 10.25.
    """


@special
def i1e(x: Array, /) -> Array:
    r"""The scaled modified Bessel function of the first kind :math:`e^{-|x|} I_1(x)`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    0 at 0 and at ±inf; odd.

    SciPy, ``scipy.special.i1e``; NIST DLMF, 10.25.
    """


@special
def inv_boxcox(y: Array | float, lmbda: Array | float, /) -> Array:
    r"""The inverse of :func:`boxcox`: :math:`(1 + \lambda y)^{1 / \lambda}`, :math:`e^y` for :math:`\lambda = 0`.

    Parameters
    ----------
    y
        Transformed values.
    lmbda
        The exponents :math:`\lambda`.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN where ``lmbda * y < -1``.

    SciPy, ``scipy.special.inv_boxcox``; Box and Cox, "An Analysis of Transformations", J. R. Stat. Soc. B 26 (1964).
    """


@special
def inv_boxcox1p(y: Array | float, lmbda: Array | float, /) -> Array:
    r"""The inverse of :func:`boxcox1p`: :math:`(1 + \lambda y)^{1 / \lambda} - 1`, :math:`e^y - 1` for
    :math:`\lambda = 0`.

    Parameters
    ----------
    y
        Transformed values.
    lmbda
        The exponents :math:`\lambda`.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN where ``lmbda * y < -1``. Accurate near ``y = 0``.

    SciPy, ``scipy.special.inv_boxcox1p``; Box and Cox, "An Analysis of Transformations", J. R. Stat. Soc. B 26
    (1964).
    """


@special
def j0(x: Array, /) -> Array:
    r"""The Bessel function of the first kind :math:`J_0(x)`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    1 at 0; even. At infinities, where the limit is 0, some libraries give NaN.

    SciPy, ``scipy.special.j0``; NIST DLMF, 10.2.
    """


@special
def j1(x: Array, /) -> Array:
    r"""The Bessel function of the first kind :math:`J_1(x)`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    0 at 0; odd. At infinities, where the limit is 0, some libraries give NaN.

    SciPy, ``scipy.special.j1``; NIST DLMF, 10.2.
    """


@special
def k0(x: Array, /) -> Array:
    r"""The modified Bessel function of the second kind :math:`K_0(x)`.

    Parameters
    ----------
    x
        Array of a real dtype, not negative.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``+inf`` at 0, 0 at ``+inf``, NaN below 0.

    SciPy, ``scipy.special.k0``; NIST DLMF, 10.25.
    """


@special
def k0e(x: Array, /) -> Array:
    r"""The scaled modified Bessel function of the second kind :math:`e^x K_0(x)`.

    Parameters
    ----------
    x
        Array of a real dtype, not negative.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``+inf`` at 0, 0 at ``+inf``, NaN below 0.

    SciPy, ``scipy.special.k0e``; NIST DLMF, 10.25.
    """


@special
def k1(x: Array, /) -> Array:
    r"""The modified Bessel function of the second kind :math:`K_1(x)`.

    Parameters
    ----------
    x
        Array of a real dtype, not negative.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``+inf`` at 0, 0 at ``+inf``, NaN below 0.

    SciPy, ``scipy.special.k1``; NIST DLMF, 10.25.
    """


@special
def k1e(x: Array, /) -> Array:
    r"""The scaled modified Bessel function of the second kind :math:`e^x K_1(x)`.

    Parameters
    ----------
    x
        Array of a real dtype, not negative.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``+inf`` at 0, 0 at ``+inf``, NaN below 0.

    SciPy, ``scipy.special.k1e``; NIST DLMF, 10.25.
    """


@special
def kl_div(x: Array | float, y: Array | float, /) -> Array:
    r"""A term of the Kullback-Leibler divergence, :math:`x \ln(x / y) - x + y`.

    Parameters
    ----------
    x, y
        Arrays of a real dtype.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    ``y`` where ``x = 0`` and ``y >= 0``; otherwise ``+inf`` where an operand is not positive. Rounding is relative to
    ``x + y``.

    SciPy, ``scipy.special.kl_div``.
    """


@special
def log_expit(x: Array, /) -> Array:
    r"""The logarithm of the logistic function, :math:`-\ln(1 + e^{-x})`, without overflow.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``-inf`` at ``-inf``, 0 at ``+inf``.

    SciPy, ``scipy.special.log_expit``.
    """


@special
def log_ndtr(x: Array, /) -> Array:
    r"""The logarithm of the normal distribution, :math:`\ln \operatorname{ndtr}(x)`, without underflow.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``-inf`` at ``-inf``, 0 at ``+inf``.

    SciPy, ``scipy.special.log_ndtr``; NIST DLMF, 7.2.
    """


@composed
def log_softmax(x: Array, axis: Axis = None) -> Array:
    r"""The logarithm of :func:`softmax`, :math:`x_i - \ln \sum_j e^{x_j}`, without overflow and underflow.

    Parameters
    ----------
    x
        Array of a real dtype.
    axis
        The axis or axes that are summed along; None sums along all of them.

    Returns
    -------
    Array
        The logarithms, of the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    ValueError
        If an axis is out of bounds or named twice, or has no elements.

    Notes
    -----
    SciPy, ``scipy.special.log_softmax``; Blanchard, Higham and Higham, "Accurately computing the log-sum-exp and
    softmax functions", IMA J. Numer. Anal. 41 (2021).
    """
    device, natives = promoted("log_softmax", (x,))
    result: Array = compute("log_softmax", device, natives, _axes(axis, natives[0].ndim, "log_softmax"))
    return result


@special
def loggamma(x: Array, /) -> Array:
    r"""The principal branch of the logarithm of the gamma function, :math:`\ln \Gamma(x)`.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    NaN for negative real numbers, ``+inf`` at 0 and ``+inf``. The branch cut of complex numbers is the negative real
    axis.

    SciPy, ``scipy.special.loggamma``; NIST DLMF, 5.2.
    """


@special
def logit(x: Array, /) -> Array:
    r"""The log-odds :math:`\ln \frac{x}{1 - x}`, the inverse of :func:`expit`.

    Parameters
    ----------
    x
        Array of a real dtype, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``-inf`` at 0, ``+inf`` at 1, NaN outside. Accurate near ``x = 1/2``, its zero.

    SciPy, ``scipy.special.logit``.
    """


@overload
def logsumexp(
    a: Array, axis: Axis = None, b: Array | complex | None = None, keepdims: bool = False, *, return_sign: Literal[True]
) -> tuple[Array, Array]: ...


@overload
def logsumexp(
    a: Array,
    axis: Axis = None,
    b: Array | complex | None = None,
    keepdims: bool = False,
    return_sign: Literal[False] = False,
) -> Array: ...


@composed
def logsumexp(
    a: Array,
    axis: Axis = None,
    b: Array | complex | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Array | tuple[Array, Array]:
    r"""The logarithm of a sum of exponentials, :math:`\ln \sum_i b_i e^{a_i}`, without overflow and underflow.

    Parameters
    ----------
    a
        Array of a real or complex dtype.
    axis
        The axis or axes to sum; None sums all of them.
    b
        Factors of the exponentials, which broadcast against ``a``; terms whose factor is 0 do not count, whatever
        ``a`` is there. None means 1.
    keepdims
        Whether the summed axes stay, with length 1.
    return_sign
        Whether the sign of the sum is wanted, too; the logarithm is then that of its absolute value.

    Returns
    -------
    Array
        The logarithms, of the promoted floating-point dtype; without the sign, NaN where a real sum is negative. A sum
        of nothing gives ``-inf``.
    Array
        With ``return_sign``: the signs, -1, 0 or 1, of complex sums the phases.

    Raises
    ------
    ValueError
        If an axis is out of bounds or named twice.

    Notes
    -----
    The imaginary part of a complex logarithm is in :math:`(-\pi, \pi]`.

    SciPy, ``scipy.special.logsumexp``; Blanchard, Higham and Higham, "Accurately computing the log-sum-exp and softmax
    functions", IMA J. Numer. Anal. 41 (2021).
    """
    device, natives = promoted("logsumexp", (a,) if b is None else (a, b))
    shape = xp.broadcast_shapes(*(native.shape for native in natives))
    axes = tuple(range(len(shape))) if axis is None else check_axes(axis, len(shape), "logsumexp")
    factors = (None,) if b is None else ()
    keepdims = check_flag(keepdims, "logsumexp", "keepdims")
    return_sign = check_flag(return_sign, "logsumexp", "return_sign")
    result: Array | tuple[Array, Array] = compute("logsumexp", device, natives, *factors, axes, keepdims, return_sign)
    return result


@special
def lpmv(m: Array | float, v: Array | float, x: Array | float, /) -> Array:
    r"""The associated Legendre function :math:`P_v^m(x) = (-1)^m (1 - x^2)^{m/2} \frac{d^m}{dx^m} P_v(x)`.

    Parameters
    ----------
    m
        Orders, whole numbers.
    v
        Degrees, real.
    x
        Array of a real dtype, in ``[-1, 1]``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN where ``abs(x) > 1``. The Condon-Shortley phase is included.

    SciPy, ``scipy.special.lpmv``; NIST DLMF, 14.3.
    """


@composed
def multigammaln(a: Array, d: int) -> Array:
    r"""The logarithm :math:`\ln \Gamma_d(a)` of the multivariate gamma function.

    :math:`\Gamma_d(a) = \pi^{d(d-1)/4} \prod_{j=1}^{d} \Gamma(a - (j - 1) / 2)`.

    Parameters
    ----------
    a
        Array of a real dtype, greater than ``(d - 1) / 2``.
    d
        The dimension, 1 or more.

    Returns
    -------
    Array
        The values, of the shape of ``a`` and its floating-point dtype.

    Raises
    ------
    ValueError
        If ``d`` is not positive, or an element of ``a`` is too small; to find out waits for the device.

    Notes
    -----
    SciPy, ``scipy.special.multigammaln``; NIST DLMF, 35.3.
    """
    dimension = check_integer(d, "multigammaln", "d")
    if dimension < 1:
        raise ValueError(f"multigammaln(): the dimension d is 1 or more, not {dimension}")
    device, natives = promoted("multigammaln", (a,))
    result: Array = compute("multigammaln", device, natives, dimension)
    return result


@special
def nbdtr(k: Array | float, n: Array | float, p: Array | float, /) -> Array:
    r"""The negative binomial distribution :math:`\sum_{j=0}^{k} \binom{n + j - 1}{j} p^n (1 - p)^j`.

    Parameters
    ----------
    k
        Most failures, whole numbers, not negative.
    n
        Successes, whole numbers, positive.
    p
        Probabilities of success, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN where ``p`` is outside ``[0, 1]`` or ``k < 0``.

    SciPy, ``scipy.special.nbdtr``; NIST DLMF, 8.17.
    """


@special
def nbdtrc(k: Array | float, n: Array | float, p: Array | float, /) -> Array:
    r"""The negative binomial survival function :math:`\sum_{j=k+1}^{\infty} \binom{n + j - 1}{j} p^n (1 - p)^j`.

    Parameters
    ----------
    k
        Most failures, whole numbers, not negative.
    n
        Successes, whole numbers, positive.
    p
        Probabilities of success, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN where ``p`` is outside ``[0, 1]`` or ``k < 0``.

    SciPy, ``scipy.special.nbdtrc``; NIST DLMF, 8.17.
    """


@special
def nbdtri(k: Array | float, n: Array | float, y: Array | float, /) -> Array:
    r"""The probability :math:`p` for which :math:`\operatorname{nbdtr}(k, n, p) = y`.

    Parameters
    ----------
    k
        Most failures, whole numbers, not negative.
    n
        Successes, whole numbers, positive.
    y
        Cumulative probabilities, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN outside the domain.

    SciPy, ``scipy.special.nbdtri``; NIST DLMF, 8.17.
    """


@special
def ndtr(x: Array, /) -> Array:
    r"""The normal distribution :math:`\frac{1}{\sqrt{2\pi}} \int_{-\infty}^x e^{-t^2/2} dt`.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    0 at ``-inf``, 1 at ``+inf``; small results keep their precision.

    SciPy, ``scipy.special.ndtr``; NIST DLMF, 7.2.
    """


@special
def ndtri(y: Array, /) -> Array:
    r"""The :math:`x` for which :math:`\operatorname{ndtr}(x) = y`.

    Parameters
    ----------
    y
        Probabilities, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the shape of ``y`` and its floating-point dtype.

    Notes
    -----
    ``-inf`` at 0, ``+inf`` at 1, NaN outside.

    SciPy, ``scipy.special.ndtri``; NIST DLMF, 7.17.
    """


@special
def pdtr(k: Array | float, m: Array | float, /) -> Array:
    r"""The Poisson distribution :math:`e^{-m} \sum_{j=0}^{\lfloor k \rfloor} \frac{m^j}{j!}`.

    Parameters
    ----------
    k
        Numbers of events, rounded down, not negative.
    m
        Means, not negative.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    1 at ``m = 0``; NaN outside the domain.

    SciPy, ``scipy.special.pdtr``; NIST DLMF, 8.4.
    """


@special
def pdtrc(k: Array | float, m: Array | float, /) -> Array:
    r"""The Poisson survival function :math:`e^{-m} \sum_{j=\lfloor k \rfloor + 1}^{\infty} \frac{m^j}{j!}`.

    Parameters
    ----------
    k
        Numbers of events, rounded down, not negative.
    m
        Means, not negative.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    0 at ``m = 0``; NaN outside the domain.

    SciPy, ``scipy.special.pdtrc``; NIST DLMF, 8.4.
    """


@special
def pdtri(k: Array | float, y: Array | float, /) -> Array:
    r"""The mean :math:`m` for which :math:`\operatorname{pdtr}(k, m) = y`.

    Parameters
    ----------
    k
        Numbers of events, whole numbers, not negative.
    y
        Cumulative probabilities, in ``[0, 1)``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN outside the domain.

    SciPy, ``scipy.special.pdtri``; NIST DLMF, 8.4.
    """


@special
def poch(z: Array | float, m: Array | float, /) -> Array:
    r"""Pochhammer's symbol :math:`(z)_m = \Gamma(z + m) / \Gamma(z)`.

    Parameters
    ----------
    z, m
        Real numbers.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    1 where ``m = 0``.

    SciPy, ``scipy.special.poch``; NIST DLMF, 5.2.
    """


@composed
def polygamma(n: Array | float, x: Array | float) -> Array:
    r"""The polygamma function :math:`\psi^{(n)}(x) = \frac{d^n}{dx^n} \psi(x)`.

    Parameters
    ----------
    n
        Orders of the derivative, whole numbers, not negative.
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    ``polygamma(0, x)`` is ``psi(x)``.

    SciPy, ``scipy.special.polygamma``; NIST DLMF, 5.15.
    """
    device, natives = promoted("polygamma", (n, x))
    result: Array = compute("polygamma", device, natives)
    return result


@special
def powm1(x: Array | float, y: Array | float, /) -> Array:
    r"""The power minus one, :math:`x^y - 1`, without cancellation where the power is near 1.

    Parameters
    ----------
    x
        The bases.
    y
        The exponents.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN where ``x < 0`` and ``y`` is not whole.

    SciPy, ``scipy.special.powm1``.
    """


@special
def pseudo_huber(delta: Array | float, r: Array | float, /) -> Array:
    r"""The smooth Huber loss :math:`\delta^2 (\sqrt{1 + (r / \delta)^2} - 1)`.

    Parameters
    ----------
    delta
        Where the loss turns from quadratic to linear, not negative.
    r
        Residuals.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    ``+inf`` where ``delta < 0``, 0 where an operand is 0.

    SciPy, ``scipy.special.pseudo_huber``.
    """


@special
def psi(x: Array, /) -> Array:
    r"""The digamma function :math:`\psi(x) = \Gamma'(x) / \Gamma(x)`.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``-inf`` at ``+0`` and ``+inf`` at ``-0``; NaN at negative whole numbers and ``-inf``; ``+inf`` at ``+inf``.

    SciPy, ``scipy.special.psi``; NIST DLMF, 5.2.
    """


@special
def radian(d: Array | float, m: Array | float, s: Array | float, /) -> Array:
    r"""The angle :math:`\frac{\pi}{180} (d + m / 60 + s / 3600)` in radians.

    Parameters
    ----------
    d
        Degrees.
    m
        Minutes of arc.
    s
        Seconds of arc.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Infinities and NaN as the sum has them.

    SciPy, ``scipy.special.radian``.
    """


@special
def rel_entr(x: Array | float, y: Array | float, /) -> Array:
    r"""A term of the relative entropy, :math:`x \ln(x / y)`.

    Parameters
    ----------
    x, y
        Arrays of a real dtype.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    0 where ``x = 0`` and ``y >= 0``; otherwise ``+inf`` where an operand is not positive. The ratio may overflow or
    underflow.

    SciPy, ``scipy.special.rel_entr``.
    """


@special
def rgamma(x: Array, /) -> Array:
    r"""The reciprocal of the gamma function, :math:`1 / \Gamma(x)`, which has no poles.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    0 at 0, at negative whole numbers and at ``+inf``.

    SciPy, ``scipy.special.rgamma``; NIST DLMF, 5.2.
    """


@composed
def sinc(x: Array) -> Array:
    r"""The normalized sinc function :math:`\frac{\sin \pi x}{\pi x}`, 1 at 0.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    The argument of the sine is rounded first, as NumPy does: zeros at whole numbers are those of the rounded argument,
    not exact ones. NaN for infinities.

    SciPy, ``scipy.special.sinc``.
    """
    device, natives = promoted("sinc", (x,))
    result: Array = compute("sinc", device, natives)
    return result


@special
def sindg(x: Array, /) -> Array:
    r"""The sine :math:`\sin(\pi x / 180)` of an angle in degrees.

    Parameters
    ----------
    x
        Angles, degrees.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Zeros at multiples of 180 are exact. Angles beyond ``1e14`` and infinities give 0, NaN gives NaN.

    SciPy, ``scipy.special.sindg``; NIST DLMF, 4.14.
    """


@composed
def softmax(x: Array, axis: Axis = None) -> Array:
    r"""The exponentials as shares of their sum, :math:`e^{x_i} / \sum_j e^{x_j}`, without overflow.

    Parameters
    ----------
    x
        Array of a real dtype.
    axis
        The axis or axes that are summed along; None sums along all of them.

    Returns
    -------
    Array
        The shares, of the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    ValueError
        If an axis is out of bounds or named twice, or has no elements.

    Notes
    -----
    NaN along an axis on which a NaN or ``+inf`` is, or ``-inf`` alone.

    SciPy, ``scipy.special.softmax``; Blanchard, Higham and Higham, "Accurately computing the log-sum-exp and softmax
    functions", IMA J. Numer. Anal. 41 (2021).
    """
    device, natives = promoted("softmax", (x,))
    result: Array = compute("softmax", device, natives, _axes(axis, natives[0].ndim, "softmax"))
    return result


@special
def softplus(x: Array, /) -> Array:
    r"""The smooth ramp :math:`\ln(1 + e^x)`, without overflow.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    0 at ``-inf``, ``+inf`` at ``+inf``.

    SciPy, ``scipy.special.softplus``.
    """


@special
def spence(z: Array, /) -> Array:
    r"""Spence's function :math:`\int_1^z \frac{\ln t}{1 - t} dt`, the dilogarithm :math:`\operatorname{Li}_2(1 - z)`.

    Parameters
    ----------
    z
        Array of a real dtype, not negative, or of a complex one.

    Returns
    -------
    Array
        The values, of the shape of ``z`` and its floating-point dtype.

    Notes
    -----
    :math:`\pi^2 / 6` at 0, 0 at 1; NaN for negative real numbers.

    SciPy, ``scipy.special.spence``; NIST DLMF, 25.12.
    """


@special
def stdtr(df: Array | float, t: Array | float, /) -> Array:
    r"""Student's distribution
    :math:`\frac{\Gamma((\nu+1)/2)}{\sqrt{\nu\pi} \Gamma(\nu/2)} \int_{-\infty}^t (1 + x^2/\nu)^{-(\nu+1)/2} dx`.

    Parameters
    ----------
    df
        Degrees of freedom :math:`\nu`, positive.
    t
        Upper limits of integration.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    The normal distribution at ``df = +inf``; NaN where ``df <= 0``.

    SciPy, ``scipy.special.stdtr``; NIST DLMF, 8.17.
    """


@special
def stdtrit(df: Array | float, p: Array | float, /) -> Array:
    r"""The :math:`t` for which :math:`\operatorname{stdtr}(\nu, t) = p`.

    Parameters
    ----------
    df
        Degrees of freedom :math:`\nu`, positive.
    p
        Probabilities, in ``[0, 1]``.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    ±inf at ``p`` 1 and 0; NaN outside the domain.

    SciPy, ``scipy.special.stdtrit``; NIST DLMF, 8.17.
    """


@special
def tandg(x: Array, /) -> Array:
    r"""The tangent :math:`\tan(\pi x / 180)` of an angle in degrees.

    Parameters
    ----------
    x
        Angles, degrees.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``+inf`` at odd multiples of 90, 0 at multiples of 180. Angles beyond ``1e14`` and infinities give 0, NaN gives
    NaN.

    SciPy, ``scipy.special.tandg``; NIST DLMF, 4.14.
    """


@special
def xlog1py(x: Array | complex, y: Array | complex, /) -> Array:
    r"""The product :math:`x \ln(1 + y)`, 0 where :math:`x = 0`.

    Parameters
    ----------
    x, y
        Arrays of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    0 where ``x = 0`` unless ``y`` is NaN; accurate near ``y = 0``.

    SciPy, ``scipy.special.xlog1py``.
    """


@special
def xlogy(x: Array | complex, y: Array | complex, /) -> Array:
    r"""The product :math:`x \ln y`, 0 where :math:`x = 0`.

    Parameters
    ----------
    x, y
        Arrays of a real or complex dtype.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    0 where ``x = 0`` unless ``y`` is NaN, at ``y = 0`` too.

    SciPy, ``scipy.special.xlogy``.
    """


@special
def y0(x: Array, /) -> Array:
    r"""The Bessel function of the second kind :math:`Y_0(x)`.

    Parameters
    ----------
    x
        Array of a real dtype, not negative.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``-inf`` at 0, NaN below 0. At ``+inf``, where the limit is 0, some libraries give NaN.

    SciPy, ``scipy.special.y0``; NIST DLMF, 10.2.
    """


@special
def y1(x: Array, /) -> Array:
    r"""The Bessel function of the second kind :math:`Y_1(x)`.

    Parameters
    ----------
    x
        Array of a real dtype, not negative.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``-inf`` at 0, NaN below 0. At ``+inf``, where the limit is 0, some libraries give NaN.

    SciPy, ``scipy.special.y1``; NIST DLMF, 10.2.
    """


@special
def yn(n: Array | float, x: Array | float, /) -> Array:
    r"""The Bessel function of the second kind :math:`Y_n(x)` of whole order.

    Parameters
    ----------
    n
        Orders, whole numbers.
    x
        Array of a real dtype, not negative.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    ``-inf`` at 0 for ``n >= 0``, NaN below 0.

    SciPy, ``scipy.special.yn``; NIST DLMF, 10.2.
    """


@composed
def zeta(x: Array | float, q: Array | float | None = None) -> Array:
    r"""The Hurwitz zeta function :math:`\zeta(x, q) = \sum_{k=0}^\infty (k + q)^{-x}`, or Riemann's :math:`\zeta(x)`.

    Parameters
    ----------
    x
        Exponents, real; 1 or more where ``q`` is given.
    q
        What is added to ``k``, real; None means Riemann's function, with ``x`` continued below 1.

    Returns
    -------
    Array
        The values, of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    ``+inf`` at ``x = 1``, and where ``q`` is 0 or a negative whole number. :func:`zetac` is accurate where ``zeta(x)``
    is near 1.

    SciPy, ``scipy.special.zeta``; NIST DLMF, 25.2 and 25.11.
    """
    device, natives = promoted("zeta", (x,) if q is None else (x, q))
    result: Array = compute("zeta", device, natives)
    return result


@special
def zetac(x: Array, /) -> Array:
    r"""The Riemann zeta function minus one, :math:`\zeta(x) - 1`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    ``+inf`` at 1, 0 at ``+inf``, NaN at ``-inf``.

    SciPy, ``scipy.special.zetac``; NIST DLMF, 25.2.
    """


def _axes(axis: Any, ndim: int, name: str) -> Axis:
    return None if axis is None else check_axes(axis, ndim, name)
