"""Special functions with SciPy's names, computed on the device of their operands.

The following holds for every function:

- Operands broadcast against each other and must be on one device; the result is on the same device. Operands next to an
  Array may be Python scalars. Floating-point dtypes promote as in NumPy; integers and booleans become the default
  floating-point dtype, and float16 becomes float32. NaN gives NaN, unless the function's documentation says otherwise.
- The device's own library computes the function if it has it: SciPy on the host, ``cupyx.scipy.special`` on CUDA and
  ROCm, dpnp for some functions. Otherwise a numerically stable formula of the namespace's functions computes it. No
  library is imported before the first call of a function that needs it.
- Where the device has neither, the host computes the function if :func:`xtensor.transfers` allows it, and the result
  moves back to the device; otherwise :class:`FunctionUnavailableError` is raised.
- TypeError is raised for operands that are neither Arrays nor scalars, and for complex operands of a function of real
  numbers.

SciPy's own functions call these if ``SCIPY_ARRAY_API=1`` is set: ``scipy.special.erf(x)`` of an Array is
``xtensor.special.erf(x)``.
"""

from __future__ import annotations

import typing as _typing

from .._core.remedies import finder as _finder
from ._declaration import FunctionUnavailableError
from .bessel_functions import i0, i0e, i1, i1e, j0, j1, k0, k0e, k1, k1e, y0, y1, yn
from .beta_functions import betainc, betaincc, betaincinv, betaln, binom
from .box_cox import boxcox, boxcox1p, inv_boxcox, inv_boxcox1p
from .continuous_distributions import chdtr, chdtrc, chdtri, fdtr, fdtrc, fdtri, gdtr, gdtrc, stdtr, stdtrit
from .discrete_distributions import bdtr, bdtrc, bdtri, nbdtr, nbdtrc, nbdtri, pdtr, pdtrc, pdtri
from .elliptic import ellipk, ellipkm1
from .entropy import entr, kl_div, rel_entr, xlog1py, xlogy
from .error_functions import erf, erfc, erfcinv, erfcx, erfinv, log_ndtr, ndtr, ndtri
from .exponential_integrals import exp1, expi, expn
from .gamma_functions import gamma, gammaln, gammasgn, loggamma, multigammaln, poch, rgamma
from .hypergeometric import hyp1f1, lpmv
from .incomplete_gamma import gammainc, gammaincc, gammainccinv, gammaincinv
from .logistic import expit, log_expit, logit, softplus
from .losses import huber, pseudo_huber
from .polygamma_functions import digamma, polygamma, psi
from .powers import cbrt, exp2, exp10, exprel, powm1
from .reductions import log_softmax, logsumexp, softmax
from .trigonometric import cosdg, cosm1, cotdg, radian, sinc, sindg, tandg
from .zeta_functions import spence, zeta, zetac

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


if not _typing.TYPE_CHECKING:  # a type checker knows every name, so that it reports those that do not exist
    __getattr__ = _finder(__name__)
