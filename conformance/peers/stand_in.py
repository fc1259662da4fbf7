"""Stand-ins for the modules of a peer: NumPy's own functions, whose new arrays are Arrays of a device."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, wraps
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np

import xtensor as xp
from conformance.peers.state import InapplicableError, state


def as_array(value: Any, scalars: bool) -> Any:
    """Return NumPy's arrays of numbers as Arrays, also in tuples and lists, and NumPy's scalars on request."""
    if value.__class__ is np.ndarray or (scalars and isinstance(value, np.generic)):
        if state.plain or value.dtype.kind not in "biufc" or value.dtype.char in "gG" or not value.dtype.isnative:
            return value
        state.arrays += 1
        return xp.asarray(value, device=state.device)
    if value.__class__ in (tuple, list):
        return value.__class__([as_array(item, scalars) for item in value])
    return value


def first_array(values: Iterable[Any]) -> Any:
    """Return the first Array among values and the items of sequences, or None."""
    for value in values:
        if isinstance(value, xp.Array):
            return value
        if isinstance(value, (list, tuple)) and (found := first_array(value)) is not None:
            return found
    return None


CONVERSIONS = frozenset((np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray))
"""NumPy's functions whose result is an Array with ``like=`` alone; for the peer, it is one of its own arrays."""


class Function:
    """A function of NumPy. What it creates without an Array among its arguments becomes Arrays."""

    def __init__(self, function: Callable[..., Any], scalars: bool) -> None:
        self.__wrapped__ = function
        self._scalars = scalars

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call NumPy's function."""
        array = first_array((*args, *kwargs.values()))
        if array is not None:
            state.arrays += 1
            if self.__wrapped__ in CONVERSIONS:
                kwargs.setdefault("like", array)
            return self.__wrapped__(*args, **kwargs)
        return as_array(self.__wrapped__(*args, **kwargs), self._scalars)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        # A ufunc of the stand-in is an instance of numpy.ufunc.
        return type(self.__wrapped__)

    def __eq__(self, other: object) -> bool:
        return self.__wrapped__ == getattr(other, "__wrapped__", other)

    def __hash__(self) -> int:
        return hash(self.__wrapped__)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bind as a function does, because tests store functions in classes."""
        return self if instance is None or isinstance(self.__wrapped__, np.ufunc) else _Bound(self, instance)


class _Bound:
    def __init__(self, function: Function, instance: Any) -> None:
        self._function, self._instance = function, instance

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(self._instance, *args, **kwargs)


class _Arrays(type(np.ndarray)):  # type: ignore[misc]
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, np.ndarray) or (cls is NDArray and isinstance(value, xp.Array))

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is NDArray:
            return as_array(np.ndarray(*args, **kwargs), scalars=False)
        return super().__call__(*args, **kwargs)


class NDArray(np.ndarray, metaclass=_Arrays):
    """Stand-in for ``numpy.ndarray``: Arrays are its instances, and tests derive classes from it."""


class Namespace(ModuleType):
    """Stand-in for a module of NumPy or SciPy, whose functions are :class:`Function` objects.

    Parameters
    ----------
    module
        The module whose attributes are used, or another object with attributes.
    name
        Name of the stand-in.
    scalars
        Whether the scalars that functions return become Arrays.
    partial
        Whether names that the module does not have are :class:`Unavailable` parts of the peer.
    """

    def __init__(self, module: Any, name: str, scalars: bool = False, partial: bool = False) -> None:
        super().__init__(name, module.__doc__)
        self.__path__: list[str] = []
        self._module, self._scalars, self._partial = module, scalars, partial
        _namespaces[getattr(module, "__name__", name), scalars] = self
        # Tests read the dictionary of a module, too.
        for attribute, value in list(vars(module).items()):
            if not attribute.startswith("__"):
                self.__dict__[attribute] = self._stand_in(value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_module") or (name.startswith("__") and self._partial):
            raise AttributeError(name)
        if self._partial and not hasattr(self._module, name):
            return Unavailable(f"{self.__name__}.{name}")
        return self._stand_in(getattr(self._module, name))

    def _stand_in(self, value: Any) -> Any:
        if isinstance(value, ModuleType):
            return namespace_of(value, self)
        if value is np.ndarray:
            return NDArray
        if isinstance(value, np.ufunc) or (callable(value) and not isinstance(value, type)):
            return Function(value, self._scalars)
        return value


_namespaces: dict[tuple[str, bool], ModuleType] = {}

TESTS_IN_C = frozenset(f"numpy._core._{name}_tests" for name in ("multiarray", "operand_flag", "rational", "umath"))
"""NumPy's functions in C that take an argument for an ndarray without a check."""


def namespace_of(module: ModuleType, parent: Namespace) -> ModuleType:
    """Return the stand-in for a module of the same library; other modules stand for themselves."""
    if module.__name__ == "numpy.testing":
        return assertions()
    if module.__name__.split(".")[0] not in ("numpy", "scipy") or module.__name__.startswith("numpy.testing"):
        return module
    if module.__name__ in TESTS_IN_C:
        return Unavailable(module.__name__)
    key = module.__name__, parent._scalars
    if key not in _namespaces:
        Namespace(module, module.__name__, parent._scalars, parent._partial)
    return _namespaces[key]


@cache
def assertions() -> ModuleType:
    """Return ``numpy.testing`` with assertions on the values of Arrays."""
    module = ModuleType("numpy.testing")
    for name, value in vars(np.testing).items():
        compares = name.startswith("assert_") and not name.startswith(("assert_raises", "assert_warns", "assert_no_"))
        module.__dict__[name] = _on_values(value) if compares and callable(value) else value
    return module


def _on_values(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*values_of(args), **{key: values_of(value) for key, value in kwargs.items()})

    return call


def values_of(value: Any) -> Any:
    """Return Arrays as NumPy's arrays, also in sequences; a 0-d Array as a scalar, which NumPy returns."""
    if isinstance(value, xp.Array):
        return xp.to_numpy(value)[()]
    if value.__class__ in (tuple, list):
        return value.__class__([values_of(item) for item in value])
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make([values_of(item) for item in value])
    return value


class Unavailable(ModuleType):
    """Part of a peer without a stand-in. It can be imported; a test that calls it is not applicable."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value: Any = sys.modules.get(f"{self.__name__}.{name}")
        if value is None:
            value = Unavailable(f"{self.__name__}.{name}")
        self.__dict__[name] = value
        return value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Stop the test; while a module is imported, return a part of the same kind."""
        if state.running:
            raise InapplicableError(f"{self.__name__} has no stand-in")
        return self

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __lt__(self, other: object) -> bool:
        return False

    __le__ = __gt__ = __ge__ = __lt__

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return ()

    def __enter__(self) -> Any:
        return self()

    def __exit__(self, *details: object) -> None:
        pass


class Finder(MetaPathFinder, Loader):
    """Import the modules of a peer that are not in ``sys.modules``.

    Parameters
    ----------
    packages
        Names of the packages of the peer.
    create
        Function of a module's name that returns its stand-in; None for :class:`Unavailable`.
    """

    def __init__(self, packages: Sequence[str], create: Callable[[str], ModuleType | None]) -> None:
        self._packages, self._create = packages, create

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the description of any module of the peer."""
        return ModuleSpec(name, self, is_package=True) if name.partition(".")[0] in self._packages else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the stand-in."""
        return self._create(spec.name) or Unavailable(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing, because a stand-in is complete."""


def importer(replaced: Callable[[ModuleType], ModuleType]) -> Callable[..., Any]:
    """Return an ``__import__`` whose modules are replaced, for the modules of tests alone."""
    original = builtins.__import__

    def import_(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        return replaced(original(name, globals, locals, fromlist, level))

    return import_
