"""Views of arrays on transforms: what is written to a view is written to its array, and the other way round.

The native arrays of a transform such as ``grad`` are values that share no memory, so that an assignment gives an Array
another one. An Array that integers and slices select, or whose elements are those of another one in another order, is
linked with the Array that it was made of: each write is repeated for those that would share the memory without the
transform.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary, ref

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .backend import Native
from .calls import call
from .compiled import track
from .device import Device
from .indexing import is_plain
from .operands import lift_to_device_of
from .operations import Operation
from .wrapping import downwards, with_links

__all__ = [
    "Call",
    "contiguous",
    "is_reshaped_view",
    "is_selection",
    "keep_strides",
    "layout_of",
    "link",
    "rearranged",
    "written",
]


class Call:
    """An operation with arguments, as a function of a device and a native array."""

    __slots__ = ("args", "operation", "options")

    def __init__(self, operation: Operation, *args: Any, **options: Any) -> None:
        self.operation, self.args, self.options = operation, args, options

    def __call__(self, device: Device, native: Native) -> Native:
        return call(self.operation, device, native, *self.args, **self.options)


class Rearranged:
    """The elements of an Array in another order or shape: the call that gives them, and the one that undoes it."""

    __slots__ = ("inverse", "read")

    def __init__(self, read: Call, inverse: Call) -> None:
        self.read, self.inverse = read, inverse


class Selection:
    """How an Array was selected from another one.

    Attributes
    ----------
    base
        The other Array.
    view
        The integers and slices, or how the elements were rearranged.
    owner
        Weak reference to the Array that was selected. Copies of it may have the same native array.
    """

    __slots__ = ("base", "owner", "view")

    def __init__(self, base: Any, view: Any, owner: ref[Any]) -> None:
        self.base, self.view, self.owner = base, view, owner

    def read(self, device: Any, native: Native) -> Native:
        """Return the view of a native array of the other Array."""
        view = self.view
        return view.read(device, native) if view.__class__ is Rearranged else device.getitem(native, view)

    def write(self, device: Any, native: Native, values: Native) -> Native:
        """Return a native array of the other Array, with the values of the view written to it."""
        view = self.view
        if view.__class__ is Rearranged:
            return device.setitem(native, ..., view.inverse(device, values))
        return device.setitem(native, view, values)


def rearranged(base: Any, x: Any, read: Call, inverse: Call) -> None:
    """Remember that an Array of a transform is a view of another one, in another order or shape."""
    if x._device._library.links_views:
        if x._native is base._native:
            x._native = x._device.getitem(x._native, ...)
        link(base, Rearranged(read, inverse), x)


def is_reshaped_view(base: Any, x: Any) -> bool:
    """Whether an Array that is another one in a new shape shares its memory without transforms."""
    try:
        np.reshape(_layout(base), x.shape, copy=False)
    except ValueError:
        return False
    return True


def contiguous(x: Any) -> Any:
    """Return a vector, or a copy of it if its elements are apart in memory, without transforms."""
    if not (x._device.level or x._device.host):
        return x
    layout = _layout(x)
    return x if layout.size < 2 or layout.strides[-1] == layout.itemsize else x.copy()


def layout_of(x: Any) -> Any:
    """Return an array with the flags and strides that an Array has without transforms, not to be read.

    None for arrays without strides. A recording holds for arguments of these layouts alone.

    Raises
    ------
    NotImplementedError
        Within a transform of a device off the host whose arrays have strides.
    """
    *transforms, (device, (native,)) = downwards(x._device, x._native)
    for transform, _ in transforms:
        transform._library.read_layout()
    if not hasattr(native, "strides"):
        return None
    if device is x._device:
        if hasattr(native, "flags"):
            return native
        return as_strided(np.empty(1, np.int8), native.shape, native.strides)  # which count elements
    if not device.host:
        raise NotImplementedError(
            f"the layout of an array in memory is not known within a transform on device {device}; name order='C' or "
            "order='F'"
        )
    return _layout(x)


def _layout(x: Any) -> Any:
    """Return a NumPy array of the layout that an Array has without transforms, not to be read.

    The native array of a view is another one after each write, whose layout tells nothing: it is that of the array that
    was viewed, as it was selected and rearranged. Arrays off the host are row-major.
    """
    selection = _selection(x, x._native)
    if selection is None:
        return as_strided(np.empty(1, np.int8), x.shape, _strides(x, x._native))
    view, layout = selection.view, _layout(selection.base)
    if view.__class__ is not Rearranged:
        return layout[view]
    return getattr(np, view.read.operation.name)(layout, *view.read.args, **view.read.options)


def _strides(x: Any, native: Native) -> Any:
    """Return how many elements lie between the neighbours along each axis of an Array without transforms.

    A native array that came in the place of another one by a write knows the other one's.
    """
    *transforms, (device, (value,)) = downwards(x._device, native)
    for _, (traced,) in transforms:
        known = getattr(traced, "strides_before", None)
        if known is not None:
            return known[len(known) - x.ndim :]  # of an array of batches, without their axes
    if not device.host:
        return np.cumprod((1, *x.shape[:0:-1]))[::-1][: x.ndim]
    memory = device._library.to_host(value)  # with the axes of batches first
    return np.asarray(memory.strides[memory.ndim - x.ndim :], np.int64) // memory.itemsize


def keep_strides(x: Any, of: Any) -> None:
    """Let an Array of a transform, whose value is a copy of another Array, have the other one's layout."""
    before = getattr(of._native, "strides", None)
    if before is not None and before != x._native.value.strides:
        x._native.strides_before = _strides(of, of._native)


def link(base: Any, view: Any, x: Any) -> None:
    """Remember that an Array of a transform is a view of another one: by integers and slices, or rearranged."""
    x._native.selection = Selection(base, view, ref(x))
    native = base._native
    if not hasattr(native, "selections"):
        native.selections = WeakValueDictionary()
    native.selections[id(x)] = x


def is_selection(value: Any, base: Any, key: Any) -> bool:
    """Whether a value is what a key selects from an Array, and linked with it: ``base[key] += 1`` assigns that."""
    selection = _selection(value, getattr(value, "_native", None))
    return selection is not None and selection.base is base and is_plain(key) and bool(selection.view == key)


def written(x: Any, before: Native) -> None:
    """Write what was written to an Array to those linked with it. ``before`` is its native array before the write."""
    top, changed = x, [(x, before)]
    try:
        while (selection := _selection(top, changed[-1][1])) is not None:
            base = selection.base
            lift_to_device_of(base, top)
            changed.append((base, base._native))
            base._native = selection.write(base._device, base._native, top._native)
            top = base
    except Exception:
        for array, native in changed:
            array._native = native
        raise
    for array, native in changed:
        with_links(array._native, native)
    top._native.strides_before = _strides(top, changed[-1][1])
    waiting = [top]
    while waiting:
        base = waiting.pop()
        for view in list(getattr(base._native, "selections", {}).values()):
            native = view._native
            selection = _selection(view, native)
            if selection is None or selection.base is not base:
                continue
            if view is not x:
                selected = selection.read(base._device, base._native)
                view._native, view._device = with_links(selected, native), base._device
                track(view)
            waiting.append(view)


def _selection(x: Any, native: Native) -> Selection | None:
    """How an Array with a native array was selected; None for one that is linked with no other."""
    selection: Selection | None = getattr(native, "selection", None)
    return selection if selection is not None and selection.owner() is x else None
