"""Compute with SciPy on every device of this machine: prices of options, and the volatility they imply.

    python -m pip install ".[special]" && python examples/scipy_special.py

With ``SCIPY_ARRAY_API=1``, SciPy's functions take xtensor arrays and give them back on the device they came from.
``scipy.special.ndtr`` of an Array is ``xtensor.special.ndtr``: the special function of the device's own library.
"""

from __future__ import annotations

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # read when SciPy is imported

import time
from typing import Any

import numpy as np
from scipy import special

import xtensor as xp

Data = Any
"""What SciPy computes with: a NumPy array or an xtensor Array."""

RATE = 0.03
"""The interest rate, a year."""


def price(volatility: Data, spot: Data, strike: Data, years: Data) -> Data:
    """The price of a European call option, in the model of Black and Scholes (J. Political Economy 81, 1973)."""
    space = spot.__array_namespace__()
    spread = volatility * space.sqrt(years)
    d1 = (space.log(spot / strike) + (RATE + 0.5 * volatility * volatility) * years) / spread
    return spot * special.ndtr(d1) - strike * space.exp(-RATE * years) * special.ndtr(d1 - spread)


def implied_volatility(paid: Data, spot: Data, strike: Data, years: Data) -> Data:
    """The volatility at which an option costs what was paid for it, between 0.01 and 2, by bisection."""
    space = spot.__array_namespace__()
    low, high = space.full_like(spot, 0.01), space.full_like(spot, 2.0)
    for _ in range(44):
        middle = 0.5 * (low + high)
        cheap = price(middle, spot, strike, years) < paid
        low, high = space.where(cheap, middle, low), space.where(cheap, high, middle)
    return low


def main() -> None:
    """Price a grid of options on NumPy and on every device, and find their volatilities again."""
    strike, years = (grid.ravel() for grid in np.meshgrid(np.linspace(80.0, 120.0, 41), np.linspace(0.1, 2.0, 20)))
    options = np.full_like(strike, 100.0), strike, years
    volatility = 0.2 + 0.1 * np.abs(strike / 100.0 - 1.0)
    expected = price(volatility, *options)

    print(f"{'device':<14} {'options':>8} {'seconds':>8} {'prices off by':>14} {'volatilities off by':>20}")
    for device in xp.devices():
        here = [xp.asarray(values, device=device) for values in options]
        started = time.perf_counter()
        paid = price(xp.asarray(volatility, device=device), *here)
        found = implied_volatility(paid, *here)
        device.synchronize()
        seconds = time.perf_counter() - started
        if paid.device is not device or found.device is not device:
            raise SystemExit(f"the results left {device}")
        errors = [
            np.max(np.abs(np.asarray(result.to_device("cpu")) - wanted))
            for result, wanted in ((paid, expected), (found, volatility))
        ]
        print(f"{device!s:<14} {found.size:>8} {seconds:>8.3f} {errors[0]:>14.1e} {errors[1]:>20.1e}")
        if max(errors) > 1e-6:
            raise SystemExit(f"{device} and NumPy disagree")


if __name__ == "__main__":
    main()
