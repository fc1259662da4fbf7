"""Constants of random numbers that the formulas and the backends' kernels share."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["NORMAL_QUANTILES", "PHILOX_MULTIPLIERS", "PHILOX_ROUNDS", "PHILOX_WEYL", "Quantiles"]

PHILOX_ROUNDS = 10

PHILOX_MULTIPLIERS = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
"""Multipliers of Philox4x64 (Salmon, Moraes, Dror and Shaw, 2011)."""

PHILOX_WEYL = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
"""Added to the key of Philox4x64 after each round."""


class Quantiles(NamedTuple):
    """Coefficients of rational functions for quantiles of the normal distribution, the highest power first.

    They were fitted in higher precision, by least squares at Chebyshev nodes. All are positive, so that rounding errors
    do not grow. The two regions are those of Wichura, "Algorithm AS 241: The Percentage Points of the Normal
    Distribution" (1988).

    Attributes
    ----------
    centre
        Numerator and denominator of the quantile over q, for the probability 0.5 - q with q up to 0.425, as functions
        of 0.425² - q².
    tail
        Numerator and denominator of the quantile for a probability p from 2**-55 to 0.075, as functions of
        √(-ln p) - 1.6.
    logarithm
        ln m = s P(s²) for m in [√½, √2) and s = (m - 1) / (m + 1): the coefficients of P. Libraries' logarithms differ
        in the last place; this one, of operations that are rounded alike everywhere, makes normal numbers the same on
        every device.
    """

    centre: tuple[tuple[float, ...], tuple[float, ...]]
    tail: tuple[tuple[float, ...], tuple[float, ...]]
    logarithm: tuple[float, ...]


NORMAL_QUANTILES = {
    "float64": Quantiles(
        (
            (
                *(2468.9431444658812, 33014.162381654314, 66635.336460692, 45611.94217816436),
                *(13669.05825600673, 1966.1727563891284, 132.97557252498027, 3.3871328727963665),
            ),
            (
                *(5150.705491358515, 28403.519641636594, 38971.51886462146, 21082.488037262166),
                *(5371.535278175255, 685.4399980188399, 42.26429354450019, 1.0),
            ),
        ),
        (
            (
                *(3.435046034701212e-05, 0.0018008439232250558, 0.03213735483844103, 0.2779424334684572),
                *(1.3319089874530208, 3.684900266769458, 5.761961915736988, 4.620265998732652, 1.4234371107496835),
            ),
            (
                *(2.4288760099196067e-05, 0.0012346669214452586, 0.020821871980564725, 0.16593255359408557),
                *(0.7113520303767695, 1.6795800902943405, 2.0461159031317226, 1.0),
            ),
        ),
        (
            *(0.16837836736045933, 0.1812191883441461, 0.22223435063491945, 0.2857141601324218),
            *(0.40000000061795793, 0.6666666666655278, 2.0000000000000004),
        ),
    ),
    "float32": Quantiles(
        (
            (58.16237056896734, 157.91562370237972, 50.264204391073875, 3.3871326884585806),
            (66.3110909100337, 78.20147257379678, 17.84495326786251, 1.0),
        ),
        (
            (0.036506673326478035, 0.5074232644423232, 2.110181215115734, 3.191833285195594, 1.4234371126568068),
            (0.025805707730482578, 0.31805850503252836, 1.042606466931247, 1.0),
        ),
        (0.41295093890036283, 0.6665226130097126, 2.0000002359958455),
    ),
}
"""The errors before rounding are 9e-17, 2e-17 and 2e-16 in float64, 6e-8, 2e-9 and 2e-7 in float32, all relative."""
