"""Views of arrays on transforms: what is written to a view is written to its array, and the other way round.

The native arrays of a transform such as ``grad`` are values that share no memory, so that an assignment gives an Array
another one. An Array that integers and slices select is linked with the Array that it was selected from: each write is
repeated for those that would share the memory without the transform.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakValueDictionary, ref

from .backend import Native
from .compiled import track
from .dispatch import lift_to_device_of
from .indexing import is_plain
from .wrapping import with_links

__all__ = ["is_selection", "link", "written"]


class Selection(NamedTuple):
    """How an Array was selected from another one.

    Attributes
    ----------
    base
        The other Array.
    key
        The integers and slices.
    owner
        Weak reference to the Array that was selected. Copies of it may have the same native array.
    """

    base: Any
    key: Any
    owner: ref[Any]


def link(base: Any, key: Any, x: Any) -> None:
    """Remember that an Array of a transform was selected from another one by integers and slices."""
    x._native.selection = Selection(base, key, ref(x))
    native = base._native
    if not hasattr(native, "selections"):
        native.selections = WeakValueDictionary()
    native.selections[id(x)] = x


def is_selection(value: Any, base: Any, key: Any) -> bool:
    """Whether a value is what a key selects from an Array, and linked with it: ``base[key] += 1`` assigns that."""
    selection = _selection(value, getattr(value, "_native", None))
    return selection is not None and selection.base is base and is_plain(key) and bool(selection.key == key)


def written(x: Any, before: Native) -> None:
    """Write what was written to an Array to those linked with it. ``before`` is its native array before the write."""
    top, changed = x, [(x, before)]
    try:
        while (selection := _selection(top, changed[-1][1])) is not None:
            base = selection.base
            lift_to_device_of(base, top)
            changed.append((base, base._native))
            base._native = base._device.setitem(base._native, selection.key, top._native)
            top = base
    except Exception:
        for array, native in changed:
            array._native = native
        raise
    for array, native in changed:
        with_links(array._native, native)
    waiting = [top]
    while waiting:
        base = waiting.pop()
        for view in list(getattr(base._native, "selections", {}).values()):
            native = view._native
            selection = _selection(view, native)
            if selection is None or selection.base is not base:
                continue
            if view is not x:
                selected = base._device.getitem(base._native, selection.key)
                view._native, view._device = with_links(selected, native), base._device
                track(view)
            waiting.append(view)


def _selection(x: Any, native: Native) -> Selection | None:
    """How an Array with a native array was selected; None for one that is linked with no other."""
    selection: Selection | None = getattr(native, "selection", None)
    return selection if selection is not None and selection.owner() is x else None
