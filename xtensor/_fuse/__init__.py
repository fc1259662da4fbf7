"""``xtensor.fuse``: one kernel, or as few as its reductions allow, of what a function computes elementwise."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, ParamSpec, TypeVar, overload

from .._core.checks import check_function
from .functions import Fused, check_names, generator_of

__all__ = ["Fused", "fuse", "generator_of"]

P = ParamSpec("P")
R = TypeVar("R")


@overload
def fuse(function: Callable[P, R], /, *, static: Collection[str] = (), donate: Collection[str] = ()) -> Fused[P, R]: ...


@overload
def fuse(*, static: Collection[str] = (), donate: Collection[str] = ()) -> Callable[[Callable[P, R]], Fused[P, R]]: ...


def fuse(function: Any = None, /, *, static: Collection[str] = (), donate: Collection[str] = ()) -> Any:
    """Make a function that computes the elementwise operations of another one in as few kernels as possible.

    The function is recorded at its first call with arguments of certain shapes and dtypes: it runs once, as written.
    Later calls replay the recording: neighbouring elementwise operations are one pass over memory, and a reduction
    takes the operations before it into its own pass. Products of matrices, sorting and other functions are called in
    between.

    Parameters
    ----------
    function
        A function of Arrays, numbers, and nested lists, tuples and dicts of them. Arguments of the classes float and
        complex may change from call to call; those of other classes, int among them, are part of what is recorded.
    static
        Names of arguments of the class float or complex whose values the function looks at.
    donate
        Names of arguments whose Arrays the caller does not use again, such as parameters that a training step returns
        anew: their memory is free for the results. Such an Array raises RuntimeError when it is used after the call.
        Attributes of an object to which the function assigns nothing stay.

    Returns
    -------
    Fused
        A function of the same arguments. Its results are those of ``function`` up to the last digits, as kernels and
        the library may round differently. Floating-point warnings are not issued. On a device without a generator of
        kernels it calls ``function``.

    Raises
    ------
    TypeError
        When the function is recorded, if it looks at a value of an array or of a number (``if x > 0``), writes to an
        argument or an array from outside, changes a name or an attribute, draws from a generator of NumPy or Python, or
        returns something else than Arrays and numbers. Errors of the function itself are raised as they are.

    Notes
    -----
    Arrays from outside are read anew by each call. A later call compares the other values from outside that the
    function read (global names, closures, attributes of ``self``), and records anew where one has changed.

    Examples
    --------
    >>> import xtensor as xp
    >>> @xp.fuse
    ... def length(x, y):
    ...     return xp.sqrt(x * x + y * y)
    >>> length(xp.asarray([3.0]), xp.asarray([4.0]))
    Array([5.])
    """
    if function is None:
        return lambda function: fuse(function, static=static, donate=donate)
    check_function(function, "fuse")
    static, donate = [(names,) if isinstance(names, str) else names for names in (static, donate)]
    check_names(function, {"static": static, "donate": donate})
    return Fused(function, static, donate)


def explain(function: Callable[..., Any], /) -> Callable[..., None]:
    """Make a function that prints what :func:`xtensor.fuse` makes of another one for its arguments.

    The text names each kernel with its operations, each call between kernels with the line that made it, the checks and
    guards of a replay, and the largest memory of arrays that a replay holds besides its arguments.

    Parameters
    ----------
    function
        A function, or one that :func:`xtensor.fuse` returned.

    Returns
    -------
    function
        A function of the same arguments. It records the function and replays it once, and returns None.

    Raises
    ------
    TypeError
        If ``function`` is not a function.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.fuse.explain(lambda x: xp.sum(x * x))(xp.asarray([3.0]))  # doctest: +SKIP
    """
    check_function(function, "explain")
    fused = function if isinstance(function, Fused) else Fused(function, ())

    def explained(*args: Any, **kwargs: Any) -> None:
        print(fused.explained(args, kwargs))

    return explained


fuse.explain = explain  # type: ignore[attr-defined]
