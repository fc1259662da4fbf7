"""Cases in which Arrays depart from NumPy on every device, with their error or result, and the reason."""

from __future__ import annotations

__all__ = ["DEPARTURES", "OFF_HOST"]

COMPLEX = "The standard does not permit casts of complex numbers to real ones, which drop the imaginary components."
MATRIX = "A matrix multiplies by the rules of its own class, which does not answer here; Arrays refuse it."
MEMORY = "The memory layout is a device's own; numpy.asarray(x) has these attributes on the host."
NDARRAY = "NumPy compares its own class of arrays only, and takes the truth value of any other."
STRINGS = "Texts and None are not numbers: only NumPy converts them where it assigns."

IDENTITY = "Python compares an operand that is neither array nor number by identity."

DEPARTURES: dict[str, tuple[type[Exception] | bool, str]] = {
    "c.astype(float)": (TypeError, COMPLEX),
    "x[0, 0] = c[0, 0]": (TypeError, COMPLEX),
    "np.matrix([[1.0, 2.0], [3.0, 4.0]]) * x": (TypeError, MATRIX),
    "np.matrix([1.0, 2.0, 3.0]) * v": (TypeError, MATRIX),
    **{f"x.{name}": (AttributeError, MEMORY) for name in ("ctypes", "data")},
    "x == None": (False, IDENTITY),
    'x == "a"': (False, IDENTITY),
    "x != None": (True, IDENTITY),
    "np.testing.assert_equal(x, x)": (ValueError, NDARRAY),
    "np.testing.assert_equal(x, y)": (ValueError, NDARRAY),
    "np.testing.assert_almost_equal(x, x)": (ValueError, NDARRAY),
    'x[0, 0] = "a"': (TypeError, STRINGS),
    'x[0, 0] = "1.5"; x': (TypeError, STRINGS),
    "x[0, 0] = None": (TypeError, STRINGS),
}
"""The cases, which a test runs on every device."""

OFF_HOST: dict[str, tuple[type[Exception] | None, str]] = {
    "x.base": (AttributeError, MEMORY),
    "np.put(v, [5], 1)": (None, "An index out of bounds is an error on devices of the host only."),
    "[float(q) for q in np.nditer(x)]": (TypeError, "An iterator of NumPy's needs the memory of its operands."),
    "np.nditer([x, v]).shape": (TypeError, "An iterator of NumPy's needs the memory of its operands."),
}
"""The cases that depart only where an Array's memory is not the host's."""
