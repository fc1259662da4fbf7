"""Random calls of every operation under ``vmap``, beside a loop over the examples."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from calls import Call, difference, flat, on_device, palette, random_call
from keys import Access, random_access
from sources import Source, ascending, source
from strategies import quiet

import xtensor as xp

SIZE = 3

READ = Call("expand_dims", "function", {})
"""Reads and assignments move elements as they are, as this operation does."""

WITHOUT_BATCHES = {
    "nonzero": "the shapes of its results depend on values",
    "unique_all": "the shapes of its results depend on values",
    "unique_counts": "the shapes of its results depend on values",
    "unique_inverse": "the shapes of its results depend on values",
    "unique_values": "the shapes of its results depend on values",
    "repeat": "the shape of its result depends on the repeats",
    "bincount": "its length depends on values, without minlength",
}
"""Operations that batches do not have, with the reason."""


class BatchedCall:
    """A call some of whose operands have a value for each example.

    Attributes
    ----------
    call
        The call of the first example.
    operands
        The examples of each operand that has a batch, by the parameter and the number in a list.
    axis
        The axis of the examples.
    """

    def __init__(self, rng: Random, name: str) -> None:
        self.call = random_call(rng, name)
        self.call.arguments.pop("out", None)
        values = palette(rng, name)
        found: list[Any] = []
        for key, value in self.call.arguments.items():
            if isinstance(value, Source) and key != "out":
                found.append((key, None, value))
            elif isinstance(value, list):
                found += [(key, number, item) for number, item in enumerate(value) if isinstance(item, Source)]
        chosen = [item for item in found if rng.random() < 0.6] or found[:1]
        self.operands: dict[Any, list[Source]] = {}
        for key, number, first in chosen:
            others = [source(rng, first.host.dtype, first.host.shape, values) for _ in range(SIZE - 1)]
            if (name, key) == ("searchsorted", "x1"):
                others = [ascending(item) for item in others]
            if self.call.way == "in-place operator":
                others = [Source(item.host, "plain") for item in others]  # views of broadcast arrays are read-only
            if key in ("indices", "sorter", "repeats", "shift"):
                others = [Source(permuted(rng, first.host), "plain") for _ in range(SIZE - 1)]
            self.operands[key, number] = [first, *others]
        self.axis = rng.choice([0, -1])

    def example(self, number: int) -> Call:
        """Return the call of one example."""
        return self.call._replace(arguments=self._with({key: items[number] for key, items in self.operands.items()}))

    def _with(self, replaced: dict[Any, Any]) -> dict[str, Any]:
        arguments = dict(self.call.arguments)
        for (key, number), value in replaced.items():
            if number is None:
                arguments[key] = value
            else:
                arguments[key] = [*arguments[key][:number], value, *arguments[key][number + 1 :]]
        return arguments

    def on(self, device: xp.Device) -> Any:
        """Return the results of all examples at once, or the class of the exception."""
        keys = list(self.operands)
        batches = []
        for items in self.operands.values():
            batches.append(xp.moveaxis(xp.stack([item.on(device) for item in items]), 0, self.axis))

        def function(*arrays: xp.Array) -> Any:
            arguments = self._with(dict(zip(keys, arrays, strict=True)))
            return self.call.of({name: on_device(value, device) for name, value in arguments.items()})

        with quiet(), xp.use_device(device), xp.transfers("allow"):
            try:
                return xp.vmap(function, in_axes=self.axis)(*batches)
            except Exception as error:
                return error


def permuted(rng: Random, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    flat_values = values.reshape(-1).tolist()
    rng.shuffle(flat_values)
    return np.asarray(flat_values, dtype=values.dtype).reshape(values.shape)


def outcome_of(batched: BatchedCall, device: xp.Device) -> str | None:
    """Describe how the batch differs from the loop over its examples; None if it does not."""
    with quiet(), xp.use_device(device):
        found = batched.on(device)
    examples = [batched.example(number) for number in range(SIZE)]
    expected = [example.on(device) for example in examples]
    name = batched.call.name
    errors = [item for item in expected if isinstance(item, type)]
    if isinstance(found, Exception):
        if errors:
            return None
        is_nonzero = name == "where" and "x1" not in batched.call.arguments
        if isinstance(found, (NotImplementedError, xp.UnknownValueError)) and (is_nonzero or name in WITHOUT_BATCHES):
            return None
        if isinstance(found, IndexError) and all(item.size == 0 for item in flat(expected)):
            return None  # indices of a selection without elements are not checked
        return f"{type(found).__name__}: {found}"
    if errors and all(item.size == 0 for item in flat(found)):
        return None  # of rows without elements some have no maximum
    if errors and device.backend == "strict":
        return None  # it refuses what the standard leaves open, which is defined for the arrays of the whole batch
    if errors:
        return f"no error, and the loop raises {errors[0].__name__}"
    if any(has_root_of_infinity(example) for example in examples):
        return None  # NumPy takes the square root for one exponent of 1/2, and not for several
    for number, (example, right) in enumerate(zip(examples, expected, strict=True)):
        left = (
            type(found)([item[number, ...] for item in found])
            if type(found) in (list, tuple)
            else (tuple(item[number, ...] for item in found) if isinstance(found, tuple) else found[number, ...])
        )
        different = difference(example, left, right)
        if different is not None:
            return f"{different} in example {number}: {left!r}, and the loop gives {right!r}"
    return None


def has_root_of_infinity(call: Call) -> bool:
    """Whether a power to 1/2 may be the square root, which differs at -inf and -0.0."""
    if call.name not in ("pow", "float_power"):
        return False
    values = [item.host if isinstance(item, Source) else np.asarray(item) for item in call.arguments.values()]
    return any(x.dtype.kind in "fc" and bool((x == 0.5).any()) for x in values)


class BatchedAccess:
    """A read or an assignment some of whose arrays have a value for each example."""

    def __init__(self, rng: Random) -> None:
        self.access = random_access(rng)
        access = self.access
        found: list[tuple[Any, Source]] = [("x", access.x)]
        parts = access.key if isinstance(access.key, tuple) else (access.key,)
        found += [(number, part) for number, part in enumerate(parts) if isinstance(part, Source)]
        if isinstance(access.value, Source):
            found.append(("value", access.value))
        chosen = [item for item in found if rng.random() < 0.6] or [rng.choice(found)]
        self.has_batch_of_masks = any(isinstance(name, int) and item.host.dtype.kind == "b" for name, item in chosen)
        self.operands: dict[Any, list[Source]] = {}
        repeats = any(isinstance(part, Source) and part.host.dtype.kind != "b" for part in parts)
        for name, first in chosen:
            if name == "value" and repeats:
                others = [Source(first.host + number, "plain") for number in (1, 2)]
            else:
                others = [Source(permuted(rng, first.host), "plain") for _ in range(SIZE - 1)]
            if name == "x":
                first = Source(first.host, "plain")
            self.operands[name] = [first, *(Source(item.host.astype(first.host.dtype), "plain") for item in others)]

    def _with(self, replaced: dict[Any, Any]) -> Access:
        key = self.access.key
        parts = list(key) if isinstance(key, tuple) else [key]
        for number in [name for name in replaced if isinstance(name, int)]:
            parts[number] = replaced[number]
        return Access(
            replaced.get("x", self.access.x),
            tuple(parts) if isinstance(key, tuple) else parts[0],
            replaced.get("value", self.access.value),
        )

    def example(self, number: int) -> Access:
        return self._with({name: items[number] for name, items in self.operands.items()})

    def on(self, device: xp.Device) -> Any:
        names = list(self.operands)
        batches = [xp.stack([item.on(device) for item in items]) for items in self.operands.values()]

        def function(*arrays: xp.Array) -> Any:
            access = self._with(dict(zip(names, arrays, strict=True)))
            x, key, value = (on_device(item, device) for item in (access.x, access.key, access.value))
            if value is None:
                return x[key]
            x = xp.asarray(x, copy=True)
            x[key] = value
            return x

        with quiet(), xp.use_device(device):
            try:
                return xp.vmap(function)(*batches)
            except Exception as error:
                return error


def outcome_of_access(batched: BatchedAccess, device: xp.Device) -> str | None:
    """Describe how an access of the batch differs from the loop over its examples; None if it does not."""
    found = batched.on(device)
    expected = [batched.example(number).on(device) for number in range(SIZE)]
    errors = [item for item in expected if isinstance(item, type)]
    if isinstance(found, Exception):
        refused = isinstance(found, NotImplementedError) and batched.has_batch_of_masks
        refused = refused or (device.backend == "strict" and isinstance(found, IndexError))
        refused = refused or (isinstance(found, IndexError) and batched.access.indexes_an_empty_array)
        return None if errors or refused else f"{type(found).__name__}: {found}"
    if errors:
        unchecked = device.backend == "strict" or batched.access.indexes_an_empty_array or has_false(batched.access.key)
        return None if unchecked else f"no error, and the loop raises {errors[0].__name__}"
    for number, right in enumerate(expected):
        different = difference(READ, found[number, ...], right)
        if different is not None:
            return f"{different} in example {number}: {found[number, ...]!r}, and the loop gives {right!r}"
    return None


def has_false(key: Any) -> bool:
    return any(part is False for part in (key if isinstance(key, tuple) else (key,)))
