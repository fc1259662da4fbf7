"""Compute option prices and implied volatilities with SciPy on every device of this machine but those of engines.

    python -m pip install ".[special]" && python examples/scipy_special.py

With ``SCIPY_ARRAY_API=1``, SciPy's functions take xtensor arrays and return arrays on the same device.
``scipy.special.ndtr`` of an Array calls ``xtensor.special.ndtr``.
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
"""A NumPy array or an xtensor Array."""

RATE = 0.03
"""Interest rate per year."""


def price(volatility: Data, spot: Data, strike: Data, years: Data) -> Data:
    """Return the price of a European call option (Black and Scholes, J. Political Economy 81, 1973)."""
    namespace = spot.__array_namespace__()
    spread = volatility * namespace.sqrt(years)
    d1 = (namespace.log(spot / strike) + (RATE + 0.5 * volatility * volatility) * years) / spread
    return spot * special.ndtr(d1) - strike * namespace.exp(-RATE * years) * special.ndtr(d1 - spread)


def implied_volatility(paid: Data, spot: Data, strike: Data, years: Data) -> Data:
    """Return the volatility between 0.01 and 2 at which an option has the price ``paid``, by bisection."""
    namespace = spot.__array_namespace__()
    low, high = namespace.full_like(spot, 0.01), namespace.full_like(spot, 2.0)
    for _ in range(44):
        middle = 0.5 * (low + high)
        cheap = price(middle, spot, strike, years) < paid
        low, high = namespace.where(cheap, middle, low), namespace.where(cheap, high, middle)
    return low


def main() -> None:
    """Compute prices and implied volatilities of a grid of options on NumPy and on every device."""
    strike, years = (grid.ravel() for grid in np.meshgrid(np.linspace(80.0, 120.0, 41), np.linspace(0.1, 2.0, 20)))
    options = np.full_like(strike, 100.0), strike, years
    volatility = 0.2 + 0.1 * np.abs(strike / 100.0 - 1.0)
    expected = price(volatility, *options)

    print(f"{'device':<14} {'options':>8} {'seconds':>8} {'prices off by':>14} {'volatilities off by':>20}")
    for device in [device for device in xp.devices() if not device.lazy]:
        try:
            operands = [xp.asarray(values, device=device) for values in options]
        except xp.BackendUnavailableError as error:
            print(f"{device!s:<14} {error.reason}")
            continue
        except TypeError as error:  # the device has no float64
            print(f"{device!s:<14} {error}")
            continue
        started = time.perf_counter()
        paid = price(xp.asarray(volatility, device=device), *operands)
        implied = implied_volatility(paid, *operands)
        device.synchronize()
        seconds = time.perf_counter() - started
        if paid.device is not device or implied.device is not device:
            raise SystemExit(f"the results are on {paid.device} and {implied.device}, not on {device}")
        errors = [
            np.max(np.abs(np.asarray(result.to_device("cpu")) - wanted))
            for result, wanted in ((paid, expected), (implied, volatility))
        ]
        print(f"{device!s:<14} {implied.size:>8} {seconds:>8.3f} {errors[0]:>14.1e} {errors[1]:>20.1e}")
        if max(errors) > 1e-6:
            raise SystemExit(f"the results of {device} and NumPy differ")


if __name__ == "__main__":
    main()
