"""Lines of LLVM's representation, with a name for each value."""

from __future__ import annotations

__all__ = ["Lines"]

TYPES = {"f": ("float", 4), "e": ("half", 2)}
"""LLVM's types of scales and offsets by NumPy's letters, and their bytes."""


class Lines:
    """Writes the instructions of a function.

    Attributes
    ----------
    kind, size
        LLVM's type of scales and offsets, and its bytes.
    near
        Whether prefetches are to the first cache. Its lines are those of the vectors where the rows are long.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.kind, self.size = TYPES["f"]
        self.near = True
        self.names = (f"%t{number}" for number in range(1 << 30))

    def let(self, instruction: str) -> str:
        """Write an instruction; return the name of its value."""
        name = next(self.names)
        self.lines.append(f"  {name} = {instruction}")
        return name

    def at(self, kind: str, base: str, index: str | int) -> str:
        """Write the address of an element; return its name."""
        return self.let(f"getelementptr {kind}, ptr {base}, i64 {index}")

    def number(self, base: str, index: str, count: int = 1) -> str:
        """Write the numbers of a scale's type at an index as those of float; return their name."""
        array, floats = (self.kind, "float") if count == 1 else (f"<{count} x {self.kind}>", f"<{count} x float>")
        number = self.let(f"load {array}, ptr {self.at(self.kind, base, index)}, align {self.size}")
        return number if self.kind == "float" else self.let(f"fpext {array} {number} to {floats}")

    def interleaved(self, vectors: list[str], rounds: int, kind: str, lanes: int) -> list[str]:
        """Write the interleaved elements of the first and the second half of some vectors, several times.

        A round moves the highest bit of the elements' positions to the end: three rounds transpose 8 rows.
        """
        half = len(vectors) // 2
        for _ in range(rounds):
            made = []
            for first, second in zip(vectors[:half], vectors[half:], strict=True):
                for begin in (0, lanes // 2):
                    order = ", ".join(f"i32 {begin + i // 2 + i % 2 * lanes}" for i in range(lanes))
                    made.append(self.let(f"shufflevector {kind} {first}, {kind} {second}, <{lanes} x i32> <{order}>"))
            vectors = made
        return vectors

    def prefetch(self, place: str) -> None:
        """Write a prefetch of the line of the caches at an address: to the first cache, or to the second one."""
        self.lines.append(f"  call void @llvm.prefetch.p0(ptr {place}, i32 0, i32 {3 if self.near else 1}, i32 1)")
