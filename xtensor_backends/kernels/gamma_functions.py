"""The gamma function, its logarithm and the logarithm's derivative, for arguments that are not negative.

From 5, 6 and 3 on they are Stirling's formula (DLMF 5.11) with a polynomial in ``1 / x`` instead of the asymptotic
series; below, recurrence relations (DLMF 5.5) lead to the interval from 1 to 3. Polynomials are minimax approximations
fitted with Remez's algorithm, quotients of polynomials interpolate at Chebyshev's nodes.
"""

from __future__ import annotations

from .arithmetic import in_double
from .exponential import exponential, log, polynomial
from .powers import log_parts
from .values import Formula, Value, constant, fma, isnan, select, two_product

__all__ = ["TABLE", "covers_positive", "digamma", "gamma", "gammaln"]

LGAMMA_NUMERATOR = (
    0.5772156649015329,
    1.800203250473911,
    2.197915332634275,
    1.3338964446294364,
    0.4226623494872978,
    0.06731708134175224,
    0.00473178697967348,
    0.00010606051616127636,
    1.6005114883807453e-07,
)
LGAMMA_DENOMINATOR = (
    1.0,
    3.543657498182114,
    5.044159566028901,
    3.699352515785963,
    1.492854976862786,
    0.3286603693888326,
    0.03681835228070269,
    0.001787789484562278,
    2.5422611732479516e-05,
)
"""``log(gamma(1 + t)) / (t (t - 1))`` in ``t`` from 0 to 2."""

LGAMMA_STIRLING = (
    0.4189385332046944,
    0.08333333332913898,
    2.975000072271975e-10,
    -0.002777788574021818,
    2.3017305931975653e-07,
    0.000790567730086107,
    2.666732939831272e-05,
    -0.0007432719749709267,
    0.0004991740675364554,
)
"""``log(gamma(x)) - (x - 1/2) (log(x) - 1)`` in ``1 / x`` from 5 on."""

GAMMA = (
    0.886226925452758,
    0.032338397448884865,
    0.4148134536883024,
    -0.10729480456472038,
    0.14464535904440476,
    -0.07752305230525176,
    0.05861030383221136,
    -0.03800193529611066,
    0.025837605915484365,
    -0.01722244998488239,
    0.011522526867466179,
    -0.0076901002848458536,
    0.00513148892960471,
    -0.003423950074577658,
    0.0022839584592794426,
    -0.001514294601261245,
    0.0010067382240525396,
    -0.0007099860257039381,
    0.00048202533938936873,
    -0.00021196598176281657,
    0.00012665553817820714,
    -0.0002602357032590284,
    0.0001841737894856557,
)
"""``gamma(3/2 + t)`` for t from -1/2 to 1/2."""

GAMMA_STIRLING = (
    1.0,
    0.08333333333333338,
    0.0034722222221904046,
    -0.0026813271558528695,
    -0.00022947240158930577,
    0.0007840506992823917,
    6.946358373638449e-05,
    -0.0005882114065372232,
    -9.070422410440436e-05,
    0.0010895155849991365,
    -0.0009089340105093046,
)
"""``gamma(x) exp(x) x**(1/2 - x) / sqrt(2 pi)`` in ``1 / x`` from 6 on."""

DIGAMMA_ZERO = (1.4616321449683622, 9.549995429965697e-17)
"""Two parts of the positive zero of digamma."""

DIGAMMA_NUMERATOR = (
    0.9510558760318328,
    1.2633163260877898,
    0.6288078580221765,
    0.1480414011834073,
    0.016974738515746945,
    0.0008639487275942854,
    1.4416317596628835e-05,
    1.5045154639722626e-08,
)
DIGAMMA_DENOMINATOR = (
    1.0,
    1.7737588188906648,
    1.1983294325023914,
    0.3968506881097187,
    0.06843788229646099,
    0.005961473849286286,
    0.00022979668710398397,
    2.70908111850287e-06,
)
"""``digamma(x) / (x - zero)`` in ``x - 3/2`` from -1/2 to 3/2."""

DIGAMMA_STIRLING = (
    -0.4999999999999855,
    -0.08333333333654912,
    2.6099968122330717e-10,
    0.008333322342041297,
    2.793445564428009e-07,
    -0.003972906412070754,
    5.328507517203526e-05,
    0.0037356829515295263,
    0.0024833368117481375,
    -0.017643881437617203,
    0.027294463330849596,
    -0.020659264908480614,
    0.006642386922367135,
)
"""``x (digamma(x) - log(x))`` in ``1 / x`` from 3 on."""

SQRT_TWO_PI = 2.5066282746310002


def covers_positive(x: Value) -> Value:
    """Whether an argument is not negative. The functions' poles lie among the negative numbers."""
    return (x >= 0) | isnan(x)


def gammaln(x: Value) -> Value:
    """The logarithm of the gamma function."""
    one = constant(x.builder, 1.0, x.dtype)
    low, high, large = x < 1.0, x >= 3.0, x >= 5.0
    higher = x >= 4.0
    # The zeros at 1 and 2 are those of t and t - 1, which are exact.
    t = select(low, x, select(high, select(higher, x - 3.0, x - 2.0), x - 1.0))
    near = t * (t - 1.0) * (polynomial(t, LGAMMA_NUMERATOR) / polynomial(t, LGAMMA_DENOMINATOR))
    product = select(higher, (x - 1.0) * (x - 2.0), x - 1.0)
    logarithm = log(select(low | large, x, select(high, product, one)))
    near = near + select(low, -logarithm, logarithm)
    far = fma(x - 0.5, logarithm - 1.0, polynomial(1.0 / x, LGAMMA_STIRLING))
    return select(large, far, near)


def gamma(x: Value) -> Value:
    """The gamma function."""
    one = constant(x.builder, 1.0, x.dtype)
    infinity = constant(x.builder, float("inf"), x.dtype)
    low, large = x < 1.0, x >= 6.0
    # gamma(y) = (y - 1) gamma(y - 1) leads to the interval from 1 to 2.
    y = select(low, x + 1.0, x)
    product = one
    for _ in range(4):
        above = y >= 2.0
        y = select(above, y - 1.0, y)
        product = select(above, product * y, product)
    near = polynomial(y - 1.5, GAMMA) * product
    near = select(low, near / x, near)
    bounded = select(large, select(x > 172.0, one * 172.0, x), one * 6.0)
    factor = polynomial(1.0 / bounded, GAMMA_STIRLING) * SQRT_TWO_PI
    high, rest = log_parts(bounded)
    product, error = two_product(bounded - 0.5, high)
    exponent = product - bounded
    error = ((product - exponent) - bounded) + fma(bounded - 0.5, rest, error)
    far = exponential(exponent, error, factor=factor)
    return select(large, select(x > 172.0, infinity, far), near)


def digamma(x: Value) -> Value:
    """The derivative of the logarithm of the gamma function."""
    one = constant(x.builder, 1.0, x.dtype)
    low, large = x < 1.0, x >= 3.0
    inverse = 1.0 / x
    y = select(low, x - 0.5, x - 1.5)
    zero, rest = DIGAMMA_ZERO
    distance = select(low, x - (zero - 1.0), x - zero) - rest
    near = distance * (polynomial(y, DIGAMMA_NUMERATOR) / polynomial(y, DIGAMMA_DENOMINATOR))
    near = select(low, near - inverse, near)
    far = fma(inverse, polynomial(inverse, DIGAMMA_STIRLING), log(select(large, x, one)))
    return select(large, far, near)


TABLE: dict[str, Formula] = {
    "special.digamma": Formula(in_double(digamma), covers=covers_positive),
    "special.gamma": Formula(in_double(gamma), covers=covers_positive),
    "special.gammaln": Formula(in_double(gammaln), covers=covers_positive),
    "special.psi": Formula(in_double(digamma), covers=covers_positive),
}
"""The formulas of these functions."""
