"""Differences from NumPy by intention, each with the section of the documentation that states it."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Intention:
    """An intended difference.

    Attributes
    ----------
    pattern
        Regular expression of the text ``Class: message | line of the test``.
    page
        Section of the documentation that states the difference.
    """

    pattern: str
    page: str

    def matches(self, text: str) -> bool:
        """Whether an error of a test shows this difference."""
        return re.search(self.pattern, text, re.DOTALL) is not None


INTENTIONS: tuple[Intention, ...] = tuple(
    Intention(pattern, page)
    for page, patterns in {
        "troubleshooting.md#fused-functions-derivatives-and-arrays-without-values": (r"^NotDifferentiableError: ",),
        "troubleshooting.md#dtypes-and-values": (
            r"does not cast to \w+, which has no imaginary components",
            r"cannot cast \S+ to \w+ in an assignment",
        ),
        "numpy.md": (r"ACTUAL: '?Array\(.*DESIRED: '?array\(", r"Array\(.* == ['\"(]*array\("),
        "numpy.md#dtypes": (
            r"a dtype of booleans or numbers",
            r"takes numbers, booleans and Arrays",
            r"not dtype (object|<U|str|datetime|timedelta)",
        ),
        "numpy.md#elements": (
            r"np\.generic\b",
            r"^AttributeError: 'Array' object has no attribute 'is_integer'",
            r"\| .*(isinstance|type)\(.*np\.(float|int|bool|complex|str)\w*",
            r"\| .*is (a\.dtype\.type|dtype\.type)",
        ),
        "numpy.md#parameters": (
            r"^ValueError: x\.T needs an array of two dimensions",
            r"^TypeError: \w+\(\) takes Arrays, NumPy arrays and scalars, not (list|tuple)",
            r"^AttributeError: 'Array' object has no attribute '(data|ctypes|resize|__array_(interface|struct)__)'",
            r"cupy: <class 'bool'>\s+numpy: <class 'numpy.ndarray'>",
            r"^AttributeError: property '(shape|dtype|strides|real|imag)' of 'Array' object has no setter",
        ),
        "numpy.md#subclasses-of-numpys-array": (r"subclass",),
    }.items()
    for pattern in patterns
)
