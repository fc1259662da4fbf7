"""The state of a stream of random words: a key, a position, and the seed from which both began."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
from numpy.random import SeedSequence

from .._core.errors import describe, shortened
from .._core.repeats import remembered
from .._vmap.draws import Batch, present_batches

__all__ = ["Philox", "Seed"]

Seed: TypeAlias = int | Sequence[int] | np.ndarray[Any, Any] | SeedSequence | None
"""The arguments of :class:`numpy.random.SeedSequence`, and such a sequence itself."""

LAST = 2**64
"""Bound of the position, in words: one stream gives as many."""


class Philox:
    """Stream of random words by Philox4x64-10, and the position in it.

    Word ``i`` is a function of the key and of ``i``, so that any part of the stream can be computed anywhere. The words
    are those of :class:`numpy.random.Philox` with the same seed.

    Parameters
    ----------
    seed
        None for entropy of the operating system; an integer or a sequence of integers, 0 or more; or a
        :class:`numpy.random.SeedSequence`.

    Attributes
    ----------
    seed_seq
        The seed sequence, from which :meth:`spawn` derives others.
    key
        Two words of 64 bits.
    made_in
        The calls of ``vmap`` in which a seed or a state began the stream: their examples get the same numbers.

    Raises
    ------
    TypeError
        If the seed is of another type.
    ValueError
        If an integer of the seed is negative.

    Notes
    -----
    Threads may share a stream: each draw takes a range of positions for itself.

    Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011).
    """

    __slots__ = ("_lock", "_position", "key", "made_in", "seed_seq")

    def __init__(self, seed: Seed = None) -> None:
        self.made_in: tuple[Batch, ...] = () if seed is None else present_batches()
        self.seed_seq = _seed_sequence(seed)
        first, second = self.seed_seq.generate_state(2, np.uint64)
        self.key = (int(first), int(second))
        self._position = 0
        self._lock = threading.Lock()

    def take(self, words: int) -> int:
        """Reserve words and return the number of the first one; half a word that is left over is skipped."""
        with self._lock:
            start = -(-self._position // 2)
            self._advance(2 * (start + words))
        return start

    def take_halves(self, halves: int) -> int:
        """Reserve halves of words, the low half of a word first, and return the number of the first one."""
        with self._lock:
            start = self._position
            self._advance(start + halves)
        return start

    @property
    def position(self) -> int:
        """The position of the next number, in halves of words."""
        return self._position

    @contextmanager
    def rewound(self, position: int) -> Iterator[None]:
        """Go back to a position meanwhile, and on from the present one afterwards."""
        with self._lock:
            present, self._position = self._position, position
        try:
            yield
        finally:
            with self._lock:
                self._position = present

    def _advance(self, position: int) -> None:
        if position > 2 * LAST:
            raise OverflowError(
                f"the stream ends at 2**64 words; word {position // 2} was requested; use spawn() for another stream"
            )
        self._position = position

    def spawn(self, n_children: int) -> list[Philox]:
        """Return new streams, independent of this one and of each other, as :meth:`numpy.random.Philox.spawn`."""
        children = [Philox(child) for child in self.seed_seq.spawn(n_children)]
        for child in children:
            child.made_in = self.made_in
        return children

    @property
    def state(self) -> dict[str, Any]:
        """The key and the position, in halves of words: assign a state to continue from there.

        Raises
        ------
        TypeError, ValueError
            If the assigned state is not one of a ``Philox``.
        """
        return {"bit_generator": "Philox", "key": self.key, "position": self._position}

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        if not isinstance(state, dict):
            raise TypeError(f"state must be a dict; it is {describe(state)}; assign what the property state returned")
        try:
            name, (first, second), position = (state[key] for key in ("bit_generator", "key", "position"))
            values = int(first), int(second), int(position)
        except (KeyError, TypeError, ValueError):
            name, values = None, (0, 0, 0)
        if name != "Philox" or not all(0 <= v < 2**64 for v in values[:2]) or not 0 <= values[2] <= 2 * LAST:
            raise ValueError(
                "state must be for a Philox RNG: a dict of 'bit_generator', 'key' (two words of 64 bits) and "
                f"'position' (in halves of words), not {shortened(state)}; assign what the property state returned"
            )
        self.made_in = present_batches()
        with self._lock:
            self.key, self._position = values[:2], values[2]

    def __getstate__(self) -> dict[str, Any]:
        return {"state": self.state, "seed_seq": self.seed_seq}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._lock = threading.Lock()
        self.seed_seq = state["seed_seq"]
        self.state = state["state"]


def _seed_sequence(seed: Seed) -> SeedSequence:
    if isinstance(seed, SeedSequence):
        return seed
    if hasattr(seed, "bit_generator") or hasattr(seed, "random_raw") or isinstance(seed, np.random.RandomState):
        raise TypeError(
            f"a seed is None, an integer, a sequence of integers or a SeedSequence, not {describe(seed)}; of NumPy's "
            "generators, pass rng.bit_generator.seed_seq"
        )
    try:
        return SeedSequence(remembered(lambda: SeedSequence().entropy) if seed is None else seed)
    except TypeError as error:
        raise TypeError(
            f"{error}; a seed is None, an integer, a sequence of integers or a SeedSequence, not {describe(seed)}"
        ) from None
    except ValueError as error:
        raise ValueError(f"{error}; the integers of a seed are 0 or more, not {shortened(seed)}") from None
