"""Python's operators on Arrays: each computes the elementwise function of its name.

The operations are named before their chapters declare them; see :func:`xtensor._core.operations.operation`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .dispatch import binary_operator, reflected_operator, unary_operator
from .inplace import inplace_operator

if TYPE_CHECKING:
    from .annotations import Operand
    from .array import Array

__all__ = ["Operators"]


class Operators:
    """The operators of an Array."""

    __slots__ = ()

    @unary_operator("abs")
    def __abs__(self, /) -> Array: ...

    @unary_operator("negative")
    def __neg__(self, /) -> Array: ...

    @unary_operator("positive")
    def __pos__(self, /) -> Array: ...

    @unary_operator("bitwise_invert")
    def __invert__(self, /) -> Array: ...

    @binary_operator("equal")
    def __eq__(self, other: Operand, /) -> Array: ...  # type: ignore[override]

    @binary_operator("not_equal")
    def __ne__(self, other: Operand, /) -> Array: ...  # type: ignore[override]

    def __hash__(self: Any) -> int:
        """Return the hash of the only element's value, as elements are keys of dictionaries; TypeError with axes.

        Assignments in place change the hash: do not make them while the array is a key.
        """
        if self._native.ndim:
            raise TypeError(f"unhashable type: 'Array' of shape {self.shape}; only 0-d arrays have a hash")
        return hash(self.item())

    @binary_operator("less")
    def __lt__(self, other: Operand, /) -> Array: ...

    @binary_operator("less_equal")
    def __le__(self, other: Operand, /) -> Array: ...

    @binary_operator("greater")
    def __gt__(self, other: Operand, /) -> Array: ...

    @binary_operator("greater_equal")
    def __ge__(self, other: Operand, /) -> Array: ...

    @binary_operator("add")
    def __add__(self, other: Operand, /) -> Array: ...

    @reflected_operator("add")
    def __radd__(self, other: Operand, /) -> Array: ...

    @inplace_operator("add")
    def __iadd__(self, other: Operand, /) -> Array: ...

    @binary_operator("subtract")
    def __sub__(self, other: Operand, /) -> Array: ...

    @reflected_operator("subtract")
    def __rsub__(self, other: Operand, /) -> Array: ...

    @inplace_operator("subtract")
    def __isub__(self, other: Operand, /) -> Array: ...

    @binary_operator("multiply")
    def __mul__(self, other: Operand, /) -> Array: ...

    @reflected_operator("multiply")
    def __rmul__(self, other: Operand, /) -> Array: ...

    @inplace_operator("multiply")
    def __imul__(self, other: Operand, /) -> Array: ...

    @binary_operator("divide")
    def __truediv__(self, other: Operand, /) -> Array: ...

    @reflected_operator("divide")
    def __rtruediv__(self, other: Operand, /) -> Array: ...

    @inplace_operator("divide")
    def __itruediv__(self, other: Operand, /) -> Array: ...

    @binary_operator("floor_divide")
    def __floordiv__(self, other: Operand, /) -> Array: ...

    @reflected_operator("floor_divide")
    def __rfloordiv__(self, other: Operand, /) -> Array: ...

    @inplace_operator("floor_divide")
    def __ifloordiv__(self, other: Operand, /) -> Array: ...

    @binary_operator("remainder")
    def __mod__(self, other: Operand, /) -> Array: ...

    @reflected_operator("remainder")
    def __rmod__(self, other: Operand, /) -> Array: ...

    @inplace_operator("remainder")
    def __imod__(self, other: Operand, /) -> Array: ...

    @binary_operator("pow")
    def __pow__(self, other: Operand, /) -> Array: ...

    @reflected_operator("pow")
    def __rpow__(self, other: Operand, /) -> Array: ...

    @inplace_operator("pow")
    def __ipow__(self, other: Operand, /) -> Array: ...

    @binary_operator("matmul")
    def __matmul__(self, other: Operand, /) -> Array: ...

    @reflected_operator("matmul")
    def __rmatmul__(self, other: Operand, /) -> Array: ...

    @inplace_operator("matmul")
    def __imatmul__(self, other: Operand, /) -> Array: ...

    @binary_operator("bitwise_and")
    def __and__(self, other: Operand, /) -> Array: ...

    @reflected_operator("bitwise_and")
    def __rand__(self, other: Operand, /) -> Array: ...

    @inplace_operator("bitwise_and")
    def __iand__(self, other: Operand, /) -> Array: ...

    @binary_operator("bitwise_or")
    def __or__(self, other: Operand, /) -> Array: ...

    @reflected_operator("bitwise_or")
    def __ror__(self, other: Operand, /) -> Array: ...

    @inplace_operator("bitwise_or")
    def __ior__(self, other: Operand, /) -> Array: ...

    @binary_operator("bitwise_xor")
    def __xor__(self, other: Operand, /) -> Array: ...

    @reflected_operator("bitwise_xor")
    def __rxor__(self, other: Operand, /) -> Array: ...

    @inplace_operator("bitwise_xor")
    def __ixor__(self, other: Operand, /) -> Array: ...

    @binary_operator("bitwise_left_shift")
    def __lshift__(self, other: Operand, /) -> Array: ...

    @reflected_operator("bitwise_left_shift")
    def __rlshift__(self, other: Operand, /) -> Array: ...

    @inplace_operator("bitwise_left_shift")
    def __ilshift__(self, other: Operand, /) -> Array: ...

    @binary_operator("bitwise_right_shift")
    def __rshift__(self, other: Operand, /) -> Array: ...

    @reflected_operator("bitwise_right_shift")
    def __rrshift__(self, other: Operand, /) -> Array: ...

    @inplace_operator("bitwise_right_shift")
    def __irshift__(self, other: Operand, /) -> Array: ...

    def __divmod__(self: Any, other: Operand, /) -> tuple[Array, Array]:
        quotient = self.__floordiv__(other)
        return quotient if quotient is NotImplemented else (quotient, self % other)

    def __rdivmod__(self: Any, other: Operand, /) -> tuple[Array, Array]:
        quotient = self.__rfloordiv__(other)
        return quotient if quotient is NotImplemented else (quotient, self.__rmod__(other))
