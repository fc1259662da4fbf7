"""Donated arguments: Arrays whose memory the results of a call may take, and which raise afterwards."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Never

from .._core.array import Array
from .._core.calls import wrap
from .._core.trees import TreeObject, flatten

__all__ = ["Donation"]


class Donated:
    """The native array of a donated Array: every use raises RuntimeError."""

    __slots__ = ()

    def _raise(self, *args: Any, **options: Any) -> Never:
        raise RuntimeError(
            "this Array was donated to a function of xtensor.fuse (donate=), whose results have its memory; use the "
            "results, or donate a copy: x.copy()"
        )

    __array_ufunc__ = __array_function__ = __array__ = __getattr__ = __getitem__ = __setitem__ = _raise
    __len__ = __iter__ = __bool__ = __int__ = __float__ = __complex__ = __index__ = __dlpack__ = _raise
    __copy__ = __deepcopy__ = __reduce_ex__ = __format__ = __str__ = __repr__ = _raise


DONATED = Donated()


def arrays_in(trees: Sequence[Any]) -> list[Array]:
    """Return the Arrays in nested arguments."""
    return [leaf for leaf in flatten(trees)[0] if leaf.__class__ is Array]


class Donation:
    """The Arrays that a call takes from the caller.

    Parameters
    ----------
    trees
        The donated arguments.

    Attributes
    ----------
    arrays
        Their Arrays.
    surrendered
        Whether their memory is given up, so that the function cannot compute them again.
    """

    def __init__(self, trees: Sequence[Any]) -> None:
        self.arrays = arrays_in(trees)
        self.surrendered = False
        self._taken: list[tuple[Array, Any]] = []
        self._natives: list[Any] = []

    def limit(self, assigned: Collection[tuple[int, str]], objects: Sequence[Any]) -> None:
        """Leave out the Arrays in attributes of objects to which the function assigns nothing."""
        replaced = {id(x) for number, name in assigned for x in arrays_in([vars(objects[number]).get(name)])}
        held = {id(x) for item in objects if isinstance(item, TreeObject) for x in arrays_in([item])}
        self.arrays = [x for x in self.arrays if id(x) in replaced or id(x) not in held]

    def take(self, arrays: Sequence[Array], natives: list[Any], returned: Collection[int]) -> list[Array | None]:
        """Take the Arrays, and return the arguments of the call with new Arrays for those that it returns itself."""
        self._natives = natives
        donated = {id(x) for x in self.arrays}
        given: list[Array | None] = []
        for index, array in enumerate(arrays):
            if id(array) not in donated:
                given.append(array)
            elif index in returned:
                given.append(wrap(array._native, array._device))
            else:
                given.append(None)
        for array in {id(x): x for x in self.arrays}.values():
            self._taken.append((array, array._native))
            array._native = DONATED
        return given

    def surrender(self) -> None:
        """Give up the memory: nothing refers to it from now on but the replay."""
        self.surrendered = True
        self._natives.clear()
        self._taken.clear()

    def give_back(self) -> None:
        """Give the Arrays back, where the function has to compute or an error is raised."""
        for array, native in self._taken:
            array._native = native
        self._taken.clear()

    def finish(self, result: Any, arguments: Any) -> None:
        """Take the Arrays after the function itself has computed: those that are no results, and in no object."""
        objects = list(_objects(arguments))
        used = {id(x) for x in arrays_in([result, *objects])}
        for array in self.arrays:
            if id(array) not in used:
                array._native = DONATED


def _objects(tree: Any) -> list[Any]:
    """Return the objects in nested arguments."""
    if isinstance(tree, TreeObject):
        return [tree]
    items = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (list, tuple)) else ()
    return [item for part in items for item in _objects(part)]
