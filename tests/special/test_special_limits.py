"""Values of the formulas at written-down operands: numbers, poles, infinities, and operands outside the domain."""

from __future__ import annotations

import math

import numpy as np
import pytest
from special_cases import FLOATS, INF, NAN, computed, floats_of
from special_references import error_in_ulp, mp
from strategies import expect

import xtensor as xp

NUMBERS = {
    "gammaln": [
        *((1.0000009536743164, -5.50475006614886679e-7), (1.25, -0.0982718364218131615)),
        *((1.9375, -0.025147619402988871), (2.5, 0.28468287047291916), (7.75, 8.02545839631598387)),
        *((2.0**-66, 45.7477139169563904), (-0.5, 1.2655121234846454), (-1.75, 1.0160888092144357)),
        *((-20.25, -41.6009619153405243), (100.5, 361.435540467777622)),
    ],
    "psi": [
        *((1.0625, -0.478853490060104367), (1.5, 0.0364899739785765206), (1.46875, 0.00686541147073577673)),
        *((7.75, 1.9817915626943456), (30.25, 3.39287620034328478), (-0.25, 2.91413912021352783)),
        *((-0.5, 0.0364899739785765206), (-5.75, -1.30794923904359579), (2.0**-33, -8589934592.57721566)),
    ],
    "gamma": [
        *((0.125, 7.5339415987976119), (7.75, 3057.82267119260721), (30.25, 2.06280531377534689e31)),
        *((140.5, 1.1367323214599712e240), (-0.25, -4.90166680986071058), (-7.75, 0.000187478241700424722)),
        (-150.25, -2.21971393094943072e-263),
    ],
    "gammaincc": [
        *((0.5, 0.5, 0.317310507862914103), (2.0**-10, 1.0, 0.000214456151225333923)),
        *((0.03125, 1.125, 0.00577441927862676184), (0.25, 3.0, 0.00501089594870830809)),
        *((3.5, 20.0, 1.25879038737130878e-6), (11.75, 11.0, 0.550006291489014216)),
        *((12.25, 12.0, 0.49056228855760596), (50.0, 45.0, 0.753197965599829727)),
        *((1000.0, 1010.0, 0.372321055263005272), (150.0, 300.0, 3.29083661361717474e-22)),
        *((3.5, 60.0, 7.66124646335302025e-23), (100.0, 10.0, 1.0)),
    ],
    "gammainc": [
        *((0.5, 0.5, 0.682689492137085897), (2.0**-10, 2.0**-66, 0.956846211775222203)),
        *((0.03125, 1.125, 0.994225580721373238), (3.5, 0.0625, 4.99863034881899004e-6)),
        *((11.75, 11.0, 0.449993708510985784), (12.25, 12.0, 0.50943771144239404)),
        *((50.0, 45.0, 0.246802034400170273), (1000.0, 990.0, 0.379521378537963941)),
        *((150.0, 60.0, 1.33920692461905598e-22), (100.0, 10.0, 5.39858972813958149e-63)),
    ],
    "zeta": [
        *((1.0009765625, 1.0, 1024.57728676950459), (2.0, 0.25, 17.1973291545071107)),
        *((3.5, 100.25, 4.02496231197039132e-6), (15.0, 1.5, 0.00228473907214051221)),
        *((3.0, -0.5, 0.414398322117159998), (2.0, -7.25, 19.610354539293269), (7.0, -0.5, 0.0603582275041990087)),
    ],
    "polygamma": [
        *((1.0, 0.25, 17.1973291545071107), (3.0, 2.5, 0.223905848817252051), (10.0, 30.0, -7.23205103458570836e-10)),
        *((40.0, 2.0, -3.71035335975322815e35), (2.0, -0.25, 122.69736678366236)),
    ],
    "zetac": [
        *((-200.25, -5.28027032603903913e214), (-19.0, 25.4562121212121212), (-0.5, -1.20788622497735457)),
        *((0.25, -1.81327840526189166), (40.0, 9.09494784026388928e-13)),
    ],
    "i0": [
        *((0.03125, 1.00024415552656542), (7.75, 338.513753747275945), (8.25, 540.325079074806979)),
        (-40.0, 14894774793419899.9),
    ],
    "i0e": [
        *((0.03125, 0.969469878127072359), (7.75, 0.145812274308914308), (8.25, 0.1411645506329935)),
        (-40.0, 0.0632782798752353303),
    ],
    "i1": [
        *((0.03125, 0.0156269074262446061), (7.75, 315.852480924003402), (8.25, 506.433838307645467)),
        (-40.0, -14707396163259352.7),
    ],
    "i1e": [
        *((0.03125, 0.0151461180296014609), (7.75, 0.136051100080339109), (8.25, 0.132310173965001423)),
        (-40.0, -0.0624822290744420607),
    ],
}
"""Operands, exact in single precision, and the value with 18 digits, by mpmath."""

LIMITS = {
    "gamma": [(0.0, INF), (-0.0, -INF), (-1.0, NAN), (INF, INF), (-INF, NAN), (NAN, NAN), (-1e30, NAN)],
    "gammainc": [
        *((0.0, 0.0, NAN), (0.0, 1.0, 1.0), (0.0, INF, 1.0), (1.0, 0.0, 0.0), (1.0, -0.0, 0.0), (1.0, INF, 1.0)),
        *((INF, 0.0, 0.0), (INF, 1.0, 0.0), (INF, INF, NAN), (-1.0, 1.0, NAN), (1.0, -1.0, NAN), (NAN, 1.0, NAN)),
        *((1.0, NAN, NAN), (1e30, 1.0, 0.0), (1.0, 1e30, 1.0), (1e-30, 1e-30, 1.0)),
    ],
    "gammaincc": [
        *((0.0, 0.0, NAN), (0.0, 1.0, 0.0), (0.0, INF, 0.0), (1.0, 0.0, 1.0), (1.0, -0.0, 1.0), (1.0, INF, 0.0)),
        *((INF, 0.0, 1.0), (INF, 1.0, 1.0), (INF, INF, NAN), (-1.0, 1.0, NAN), (1.0, -1.0, NAN), (NAN, 1.0, NAN)),
        *((1.0, NAN, NAN), (1e30, 1.0, 1.0), (1.0, 1e30, 0.0)),
    ],
    "gammaln": [(0.0, INF), (-0.0, INF), (-3.0, INF), (-1e30, INF), (INF, INF), (-INF, -INF), (NAN, NAN), (1.0, 0.0)],
    "gdtr": [(1.0, 1.0, -1.0, NAN), (-1.0, 1.0, -1.0, NAN), (1.0, 1.0, INF, 1.0)],
    "i0": [(INF, INF), (-INF, INF), (NAN, NAN), (0.0, 1.0)],
    "i0e": [(INF, 0.0), (-INF, 0.0), (NAN, NAN), (0.0, 1.0)],
    "i1": [(INF, INF), (-INF, -INF), (NAN, NAN), (0.0, 0.0)],
    "i1e": [(INF, 0.0), (-INF, 0.0), (NAN, NAN), (0.0, 0.0)],
    "loggamma": [(0.0, INF), (-0.5, NAN), (-1.0, NAN), (INF, INF), (-INF, NAN), (2.0, 0.0)],
    "pdtr": [(-0.5, 1.0, NAN), (0.0, INF, 0.0), (INF, 1.0, 1.0), (2.0, -1.0, NAN), (2.0, 0.0, 1.0)],
    "pdtrc": [(-0.5, 1.0, NAN), (0.0, INF, 1.0), (INF, 1.0, 0.0), (2.0, -1.0, NAN), (2.0, 0.0, 0.0)],
    "polygamma": [
        *((0.0, 0.0, -INF), (1.0, 0.0, INF), (2.0, -0.0, -INF), (2.0, -3.0, -INF), (1.0, INF, 0.0), (-1.0, 1.0, NAN)),
        *((1.5, 1.0, NAN), (NAN, 1.0, NAN), (1.0, NAN, NAN)),
    ],
    "psi": [(0.0, -INF), (-0.0, INF), (-1.0, NAN), (-1e30, NAN), (INF, INF), (-INF, NAN), (NAN, NAN)],
    "rgamma": [(0.0, 0.0), (-1.0, 0.0), (INF, 0.0), (-INF, 0.0), (NAN, NAN)],
    "zeta": [
        *((1.0, 2.0, INF), (0.5, 2.0, NAN), (-2.0, 2.0, NAN), (2.0, 0.0, INF), (3.0, -0.0, INF), (3.0, -2.0, INF)),
        *((2.5, -0.5, NAN), (2.5, -1.0, INF), (2.0, INF, 0.0), (2.0, -INF, INF), (INF, 0.5, INF), (INF, 1.0, 1.0)),
        *((INF, 2.0, 0.0), (NAN, 2.0, NAN), (2.0, NAN, NAN), (-INF, 2.0, NAN)),
    ],
    "zetac": [(0.0, -1.5), (1e-30, -1.5), (1.0, INF), (-2.0, -1.0), (-1e3, -1.0), (INF, 0.0), (-INF, NAN), (NAN, NAN)],
}
"""Operands and value at poles, at infinities and outside the domain."""

DOCUMENTED = {
    "boxcox": [(0.0, 2.0, -0.5), (0.0, -2.0, -INF), (0.0, 0.0, -INF), (-1.0, 1.0, NAN), (1.0, 5.0, 0.0)],
    "boxcox1p": [(-1.0, 2.0, -0.5), (-1.0, -2.0, -INF), (-1.5, 1.0, NAN), (0.0, 5.0, 0.0)],
    "cbrt": [(INF, INF), (-INF, -INF), (NAN, NAN), (0.0, 0.0), (-8.0, -2.0), (27.0, 3.0)],
    "chdtr": [(2.0, 0.0, 0.0), (2.0, INF, 1.0), (2.0, NAN, NAN)],
    "chdtrc": [(2.0, 0.0, 1.0), (2.0, INF, 0.0), (2.0, NAN, NAN)],
    "cosdg": [(0.0, 1.0), (60.0, 0.5), (90.0, 0.0), (-270.0, 0.0), (180.0, -1.0), (1.1e14, 0.0), (NAN, NAN)],
    "cosm1": [(0.0, 0.0), (NAN, NAN), (INF, NAN)],
    "cotdg": [(45.0, 1.0), (90.0, 0.0), (180.0, INF), (-135.0, 1.0), (1.1e14, 0.0), (NAN, NAN)],
    "ellipk": [(1.0, INF), (2.0, NAN), (0.0, math.pi / 2), (-INF, 0.0), (NAN, NAN)],
    "ellipkm1": [(0.0, INF), (-1.0, NAN), (1.0, math.pi / 2), (INF, 0.0), (NAN, NAN)],
    "entr": [(0.0, 0.0), (-1.0, -INF), (1.0, 0.0), (INF, -INF), (NAN, NAN)],
    "erf": [(INF, 1.0), (-INF, -1.0), (0.0, 0.0), (NAN, NAN)],
    "erfc": [(INF, 0.0), (-INF, 2.0), (0.0, 1.0), (NAN, NAN)],
    "erfcinv": [(0.0, INF), (2.0, -INF), (1.0, 0.0), (-0.5, NAN), (2.5, NAN), (NAN, NAN)],
    "erfcx": [(INF, 0.0), (-INF, INF), (0.0, 1.0), (NAN, NAN)],
    "erfinv": [(1.0, INF), (-1.0, -INF), (0.0, 0.0), (1.5, NAN), (-1.5, NAN), (NAN, NAN)],
    "exp10": [(-INF, 0.0), (INF, INF), (0.0, 1.0), (3.0, 1000.0), (NAN, NAN)],
    "exp2": [(-INF, 0.0), (INF, INF), (0.0, 1.0), (-3.0, 0.125), (NAN, NAN)],
    "expit": [(-INF, 0.0), (INF, 1.0), (0.0, 0.5), (NAN, NAN)],
    "exprel": [(0.0, 1.0), (-INF, 0.0), (INF, INF), (NAN, NAN)],
    "gammasgn": [(0.0, 1.0), (-0.0, -1.0), (-1.0, NAN), (-0.5, -1.0), (-1.5, 1.0), (INF, 1.0), (-INF, NAN), (NAN, NAN)],
    "huber": [(-1.0, 1.0, INF), (1.0, 0.5, 0.125), (1.0, -3.0, 2.5), (1.0, INF, INF), (1.0, NAN, NAN)],
    "inv_boxcox": [(0.0, 0.0, 1.0), (4.0, 0.5, 9.0), (-3.0, 1.0, NAN), (-1.0, 1.0, 0.0)],
    "inv_boxcox1p": [(0.0, 0.0, 0.0), (4.0, 0.5, 8.0), (-3.0, 1.0, NAN), (-1.0, 1.0, -1.0)],
    "kl_div": [(0.0, 2.0, 2.0), (1.0, 0.0, INF), (-1.0, 1.0, INF), (1.0, 1.0, 0.0), (NAN, 1.0, NAN), (1.0, NAN, NAN)],
    "log_expit": [(-INF, -INF), (INF, 0.0), (NAN, NAN)],
    "log_ndtr": [(-INF, -INF), (INF, 0.0), (NAN, NAN)],
    "logit": [(0.0, -INF), (1.0, INF), (0.5, 0.0), (-0.5, NAN), (1.5, NAN), (NAN, NAN)],
    "ndtr": [(-INF, 0.0), (INF, 1.0), (0.0, 0.5), (NAN, NAN)],
    "ndtri": [(0.0, -INF), (1.0, INF), (0.5, 0.0), (-0.5, NAN), (1.5, NAN), (NAN, NAN)],
    "powm1": [(-1.0, 0.5, NAN), (-2.0, 2.0, 3.0), (2.0, 0.0, 0.0)],
    "pseudo_huber": [(-1.0, 1.0, INF), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, NAN, NAN)],
    "radian": [(180.0, 0.0, 0.0, math.pi), (INF, 1.0, 1.0, INF), (1.0, NAN, 1.0, NAN)],
    "rel_entr": [(0.0, 2.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, INF), (-1.0, 1.0, INF), (NAN, 1.0, NAN)],
    "sinc": [(0.0, 1.0), (INF, NAN), (NAN, NAN)],
    "sindg": [(0.0, 0.0), (30.0, 0.5), (-90.0, -1.0), (180.0, 0.0), (360.0, 0.0), (1.1e14, 0.0), (NAN, NAN)],
    "softplus": [(-INF, 0.0), (INF, INF), (NAN, NAN)],
    "tandg": [(45.0, 1.0), (90.0, INF), (180.0, 0.0), (135.0, -1.0), (1.1e14, 0.0), (NAN, NAN)],
    "xlog1py": [(0.0, -1.0, 0.0), (0.0, INF, 0.0), (0.0, NAN, NAN), (2.0, 0.0, 0.0), (1.0, -1.0, -INF)],
    "xlogy": [(0.0, 0.0, 0.0), (0.0, INF, 0.0), (0.0, NAN, NAN), (2.0, 1.0, 0.0), (1.0, 0.0, -INF)],
}
"""Operands, exact in single precision, and the value that the documentation states for every device."""


def skip_unless_supported(device: xp.Device, dtype: type) -> None:
    if dtype not in floats_of(device):
        pytest.skip(f"{device} does not support {dtype.__name__}")


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", NUMBERS)
def test_formula_is_within_9_ulp(device, formulas_only, name, dtype):
    """Incomplete gamma functions also have an error of 9 ulp times the distance of the operands."""
    skip_unless_supported(device, dtype)
    *operands, values = np.asarray(NUMBERS[name]).T
    result = computed(device, name, [x.astype(dtype) for x in operands])
    errors = np.array([error_in_ulp(float(a), mp.mpf(float(b)), dtype) for a, b in zip(result, values, strict=True)])
    distance = np.abs(operands[1] - operands[0]) if name in ("gammainc", "gammaincc") else 0
    assert np.all(errors <= 9 * (1 + distance)), errors


@pytest.mark.parametrize("name", ["digamma", "psi"])
def test_digamma_next_to_its_pole_at_minus_one(device, name):
    skip_unless_supported(device, np.float64)
    x = np.asarray([-1 + 2.0**-30, -1 + 2.0**-50, -1 + 2.0**-10, -0.625, -0.5625, -1 - 2.0**-30])
    result = computed(device, name, [x])
    assert max(error_in_ulp(float(a), mp.psi(0, mp.mpf(b)), np.float64) for a, b in zip(result, x, strict=True)) <= 9


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", LIMITS)
def test_formula_at_poles_and_infinities(device, formulas_only, name, dtype):
    skip_unless_supported(device, dtype)
    *operands, expected = np.asarray(LIMITS[name]).T
    result = computed(device, name, [x.astype(dtype) for x in operands])
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_documented_special_values(device, name):
    *operands, expected = np.asarray(DOCUMENTED[name]).T
    result = computed(device, name, [x.astype(np.float32) for x in operands])
    np.testing.assert_array_equal(result, expected.astype(np.float32))


@pytest.mark.parametrize("name", ["gamma", "gammasgn", "i1", "i1e", "erf", "erfinv", "cbrt"])
def test_sign_of_zero(device, formulas_only, name):
    x = np.asarray([0.0, -0.0], np.float32)
    assert np.signbit(computed(device, name, [x])).tolist() == [False, True]


def test_sinc_of_integers_is_almost_zero(device):
    x = np.asarray([1.0, -3.0, 40.0], np.float32)
    assert np.all(np.abs(computed(device, "sinc", [x])) < 1e-6)


# -- calls that did not return ----------------------------------------------------------------------------------------

FAR = {
    (0.25, 0.5, 2.0**62): math.inf,
    (-3.8, 7.76, math.inf): math.inf,
    (2.0, 3.0, math.inf): math.inf,
    (2.0, 3.0, -math.inf): 0.0,
    (-0.5, 2.0, -math.inf): math.inf,
    (-3.0, 2.0, math.inf): -math.inf,
    (-2.0, -3.5, math.inf): math.inf,
    (0.0, 2.0, math.inf): 1.0,
    (0.0, 2.0, -math.inf): 1.0,
    (1e6, 1.0, -1e12): 0.0,
    (2.0, 2.0, -math.inf): 0.0,
    (1.0, -2.0, 1e12): math.inf,
    (5.0, 1e12, 1e12): math.nan,
}
"""Operands of ``hyp1f1`` far from 0, and the limits, whose sign is that of Γ(b) / Γ(a) or of a polynomial."""


@pytest.mark.parametrize("operands", FAR, ids=repr)
def test_hyp1f1_far_from_zero_returns_its_limit(device, operands):
    if not device.implements("special.hyp1f1"):
        pytest.skip(f"{device} has no hyp1f1")
    a, b, x = operands
    result = xp.special.hyp1f1(a, b, xp.asarray([x, 1.0]))
    expect(result, np.asarray([FAR[operands], float(mp.hyp1f1(a, b, 1)) if b != -2 else math.inf]), ulp=8, signs=False)


@pytest.mark.parametrize("operands", [(-2.5, -1.5, 1e12), (0.5, 1e5, -1e12), (2.0, 2e4, -1e12)], ids=repr)
def test_hyp1f1_beyond_the_series_has_the_exact_sign_and_magnitude(device, operands):
    if not device.implements("special.hyp1f1"):
        pytest.skip(f"{device} has no hyp1f1")
    a, b, x = operands
    exact = mp.hyp1f1(a, b, x)
    expected = float(exact) if abs(exact) < 1e300 else math.copysign(math.inf, exact)
    assert float(xp.special.hyp1f1(a, b, xp.asarray(x))) == pytest.approx(expected, rel=1e-6)


def test_multigammaln_of_a_large_dimension_returns(device):
    a = xp.asarray([6e5])
    exact = sum(math.lgamma(6e5 - j / 2) for j in range(10**5)) + 10**5 * (10**5 - 1) / 4 * math.log(math.pi)
    assert float(xp.special.multigammaln(a, 10**5)[0]) == pytest.approx(exact, rel=1e-6)
    with pytest.raises(ValueError, match="from 1 to 10000000"):
        xp.special.multigammaln(xp.asarray([math.inf]), 2**62)
