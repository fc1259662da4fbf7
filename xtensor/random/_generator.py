"""The class Generator, of one mixin for each family of distributions, and ``default_rng``."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

from .._core.checks import check_integer
from .._core.device import Device
from .._core.devices import resolve
from .._core.errors import describe
from .._fuse.draws import note_streams, recorded
from .._vmap.draws import for_each_example
from ._host_draws import drawn_by_host
from ._multivariate import Vectors
from ._permutations import Permutations
from ._philox import Philox, Seed

__all__ = ["LEGACY", "Generator", "default_rng"]

LEGACY = {
    "rand": "random",
    "randint": "integers",
    "randn": "standard_normal",
    "random_integers": "integers",
    "random_sample": "random",
    "ranf": "random",
    "sample": "random",
}
"""Functions of ``numpy.random`` whose methods of a generator have another name."""


class Generator(Permutations, Vectors):
    """Random numbers on a device, with the methods of :class:`numpy.random.Generator`.

    Parameters
    ----------
    bit_generator
        The stream of random words.
    device
        Device of the results. Default: the default device.

    Attributes
    ----------
    bit_generator
        The stream, with its seed sequence and its state.

    Raises
    ------
    TypeError
        If ``bit_generator`` is not a :class:`Philox`.
    """

    __slots__ = ("__weakref__",)

    def __init__(self, bit_generator: Philox, device: str | Device | None = None) -> None:
        if not isinstance(bit_generator, Philox):
            raise TypeError(
                f"Generator() takes an xtensor.random.Philox, not {describe(bit_generator)}; make a generator with "
                "xtensor.random.default_rng(seed)"
            )
        super().__init__(bit_generator, resolve(device))

    if not TYPE_CHECKING:  # type checkers report names that do not exist themselves

        def __getattr__(self, name: str) -> NoReturn:
            remedy = f"; numpy.random.{name} is rng.{LEGACY[name]} of a generator" if name in LEGACY else ""
            raise AttributeError(f"'Generator' object has no attribute {name!r}{remedy}", name=name, obj=self)

    def __repr__(self) -> str:
        return f"Generator(Philox, device={str(self._device)!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {"bit_generator": self.bit_generator, "device": self._device}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.bit_generator, self._device = state["bit_generator"], state["device"]

    def spawn(self, n_children: int) -> list[Generator]:
        """Return new generators on the same device, whose streams are independent of this one and of each other.

        Parameters
        ----------
        n_children
            The number of generators.

        Raises
        ------
        TypeError
            If it is not an integer.
        ValueError
            If it is negative.
        """
        number = check_integer(n_children, "spawn", "n_children")
        if number < 0:
            raise ValueError(f"spawn(): n_children is {number}; it is 0 or more")
        return [Generator(stream, self._device) for stream in self.bit_generator.spawn(number)]


note_streams(Philox)
for _name in [name for name in dir(Generator) if not name.startswith("_")]:
    _method = getattr(Generator, _name)
    if isinstance(_method, FunctionType):
        _method.__qualname__ = f"Generator.{_name}"  # for Python's messages, which name the mixin otherwise
        setattr(Generator, _name, for_each_example(recorded(drawn_by_host(_method))))


def default_rng(seed: Seed | Philox | Generator = None, *, device: str | Device | None = None) -> Generator:
    """Return a generator of random numbers.

    Parameters
    ----------
    seed
        None for entropy of the operating system; an integer or a sequence of integers, 0 or more; a
        :class:`numpy.random.SeedSequence`; a :class:`Philox`, whose stream is continued; a :class:`Generator`, which is
        returned.
    device
        Device of the results. Default: the default device, or the given generator's.

    Returns
    -------
    Generator
        The same seed gives the same integers and uniform numbers on every device, and the same normal numbers within 2
        units in the last place.

    Raises
    ------
    TypeError
        If the seed is of another type, such as a generator of NumPy.
    ValueError
        If an integer of the seed is negative, or the given generator is on another device.
    """
    if isinstance(seed, Generator):
        if device is not None and resolve(device) is not seed.device:
            raise ValueError(
                f"default_rng(): the generator is on device {seed.device}, not {resolve(device)}; make one with "
                "Generator(rng.bit_generator, device)"
            )
        return seed
    return Generator(seed if isinstance(seed, Philox) else Philox(seed), device)
