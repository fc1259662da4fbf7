"""Lines of LLVM's representation, with a name for each value."""

from __future__ import annotations

__all__ = ["Lines"]


class Lines:
    """Writes the instructions of a function."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names = (f"%t{number}" for number in range(1 << 30))

    def let(self, instruction: str) -> str:
        """Write an instruction; return the name of its value."""
        name = next(self.names)
        self.lines.append(f"  {name} = {instruction}")
        return name

    def at(self, kind: str, base: str, index: str | int) -> str:
        """Write the address of an element; return its name."""
        return self.let(f"getelementptr {kind}, ptr {base}, i64 {index}")
