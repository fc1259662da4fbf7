"""HIPS autograd's tests: ``autograd.numpy`` is NumPy on Arrays, the transforms are those of ``xtensor.autograd``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import scipy

import xtensor as xp
from conformance.peers.stand_in import Finder, Namespace, Unavailable, as_array
from conformance.peers.state import state
from xtensor import autograd as ours

STEP = 1e-6
TOLERANCE = 1e-5

LEFT_OUT = ("test_tests", "test_performance", "test_vspaces", "test_graphs")
"""Files about the checks themselves, the speed and the inner classes of the peer."""


ENVIRONMENT = {"SCIPY_ARRAY_API": "1"}
"""SciPy's functions of Arrays call those of xtensor, which have derivatives."""


def files(source: Path) -> list[Path]:
    """Return the files of tests in a checkout of HIPS autograd."""
    return [path for path in sorted((source / "tests").glob("test_*.py")) if path.stem not in LEFT_OUT]


def chapter(path: Path) -> str:
    """Return the row of the table for a file of tests."""
    return path.stem.removeprefix("test_").replace("_", " ")


def install(source: Path) -> None:
    """Put the stand-ins into ``sys.modules``."""
    autograd = Unavailable("autograd")
    autograd.__dict__.update(TRANSFORMS)
    modules: dict[str, ModuleType] = {
        "autograd": autograd,
        "autograd.numpy": Namespace(np, "autograd.numpy", partial=True),
        "autograd.core": _module("core", make_vjp=make_vjp, make_jvp=make_jvp),
        "autograd.test_util": _module("test_util", **CHECKS),
        "autograd.wrap_util": _module("wrap_util", unary_to_nary=unary_to_nary),
        "autograd.differential_operators": _module("differential_operators", **TRANSFORMS),
        "autograd.scipy": Namespace(scipy, "autograd.scipy"),
        **{f"autograd.{name}": _module(name) for name in ("builtins", "extend", "misc", "tracer")},
    }
    # NumPy's own have no protocol and return NumPy's arrays.
    modules["autograd.numpy"].__dict__.update(c_=xp.c_, r_=xp.r_)
    modules["autograd.numpy.random"] = modules["autograd.numpy"].random
    modules["autograd.numpy.linalg"] = modules["autograd.numpy"].linalg
    sys.modules.update(modules)
    for name, module in modules.items():
        parent, _, child = name.rpartition(".")
        if parent:
            modules[parent].__dict__[child] = module
    sys.meta_path.insert(0, Finder(("autograd",), _of_scipy))
    sys.path.insert(0, str(source / "tests"))


def _of_scipy(name: str) -> ModuleType | None:
    """Return the stand-in for ``autograd.scipy.…``: SciPy's module, or its object of that name."""
    parent, _, child = name.removeprefix("autograd.").rpartition(".")
    if not parent.startswith("scipy"):
        return None
    try:
        return Namespace(import_module(f"{parent}.{child}"), name)
    except ImportError:
        found = getattr(import_module(parent), child, None)
        return None if found is None else Namespace(found, name)


def _module(name: str, **attributes: Any) -> Unavailable:
    module = Unavailable(f"autograd.{name}")
    module.__dict__.update(attributes)
    return module


# -- transforms --------------------------------------------------------------------------------------------------------


def unary_to_nary(operator: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operator on functions of several arguments, from one on functions of one argument."""

    @wraps(operator)
    def nary(f: Callable[..., Any], argnum: Any = 0, *options: Any, **named: Any) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            several = isinstance(argnum, (list, tuple))
            numbers = argnum if several else (argnum,)

            def unary(*changed: Any) -> Any:
                values = list(args)
                for number, value in zip(numbers, changed[0] if several else changed, strict=True):
                    values[number] = value
                return f(*values, **kwargs)

            x = tuple(args[number] for number in numbers) if several else args[argnum]
            return operator(unary, x, *options, **named)

        return call

    return nary


def _argument(x: Any) -> Any:
    """Return an argument that xtensor differentiates: integers of Python as floats, NumPy's values as Arrays."""
    if isinstance(x, (int, float, complex)) and not isinstance(x, bool):
        state.arrays += 1
        return float(x) if isinstance(x, int) else x
    if isinstance(x, (tuple, list)):
        return type(x)([_argument(item) for item in x])
    if isinstance(x, dict):
        return {key: _argument(item) for key, item in x.items()}
    return as_array(x, scalars=True)


def make_vjp(f: Callable[..., Any], x: Any) -> tuple[Callable[..., Any], Any]:
    """Return the pullback and the value."""
    value, pull = ours.vjp(f, _argument(x))
    return (lambda cotangent: pull(_argument(cotangent))[0]), value


def make_jvp(f: Callable[..., Any], x: Any) -> Callable[..., Any]:
    """Return the function of a tangent."""
    return lambda tangent: ours.jvp(f, (_argument(x),), (_argument(tangent),))


def _elementwise(f: Callable[..., Any], x: Any) -> Any:
    value, pull = ours.vjp(f, _argument(x))
    return pull(xp.ones_like(value))[0]


def _derivative(f: Callable[..., Any], x: Any) -> Any:
    x = xp.asarray(_argument(x))
    return ours.jvp(f, (x,), (xp.ones_like(x),))[1]


def _of_argument(transform: Callable[..., Any]) -> Callable[..., Any]:
    return unary_to_nary(lambda f, x: transform(f)(_argument(x)))


grad = _of_argument(ours.grad)
jacobian = _of_argument(ours.jacobian)


def tensor_jacobian_product(f: Callable[..., Any], argnum: int = 0) -> Callable[..., Any]:
    """Return a function of the arguments and a tensor: the derivative of its contraction with the result."""

    def contraction(*args: Any) -> Any:
        tensor = xp.asarray(args[-1])
        return xp.tensordot(tensor, xp.asarray(f(*args[:-1])), axes=tensor.ndim)

    return lambda *args: jacobian(contraction, argnum)(*args[:-1], _argument(args[-1]))


def hessian_tensor_product(f: Callable[..., Any], argnum: int = 0) -> Callable[..., Any]:
    """Return a function of the arguments and a tensor: the derivative of its contraction with the gradient."""
    return tensor_jacobian_product(grad(f, argnum), argnum)


def make_ggnvp(f: Callable[..., Any], g: Callable[..., Any] | None = None, f_argnum: int = 0) -> Callable[..., Any]:
    """Return the product of a generalized Gauss-Newton matrix, of a loss g of the result, and a vector."""

    def maker(f: Callable[..., Any], x: Any) -> Callable[..., Any]:
        pull, value = make_vjp(f, x)
        loss = g or (lambda y: xp.sum(y * y) / 2)
        product, _ = make_vjp(ours.grad(loss), value)
        return lambda v: pull(product(make_jvp(f, x)(v)[1]))

    made: Callable[..., Any] = unary_to_nary(maker)(f, f_argnum)
    return made


TRANSFORMS: dict[str, Any] = {
    "checkpoint": ours.checkpoint,
    "deriv": unary_to_nary(_derivative),
    "elementwise_grad": unary_to_nary(_elementwise),
    "grad": grad,
    "grad_and_aux": unary_to_nary(lambda f, x: ours.grad(f, has_aux=True)(_argument(x))),
    "hessian_tensor_product": hessian_tensor_product,
    "hessian_vector_product": hessian_tensor_product,
    "hessian": _of_argument(ours.hessian),
    "holomorphic_grad": unary_to_nary(lambda f, x: ours.grad(lambda z: xp.real(f(z)))(_argument(x))),
    "jacobian": jacobian,
    "make_ggnvp": make_ggnvp,
    "make_hvp": unary_to_nary(lambda f, x: make_vjp(ours.grad(f), x)),
    "make_jvp": unary_to_nary(make_jvp),
    "make_vjp": unary_to_nary(make_vjp),
    "tensor_jacobian_product": tensor_jacobian_product,
    "vector_jacobian_product": tensor_jacobian_product,
    "value_and_grad": _of_argument(ours.value_and_grad),
    "dict": dict,
    "isinstance": isinstance,
    "list": list,
    "tuple": tuple,
}


# -- checks ------------------------------------------------------------------------------------------------------------


def _leaves(x: Any) -> list[np.ndarray[Any, Any]]:
    if isinstance(x, (tuple, list)):
        return [leaf for item in x for leaf in _leaves(item)]
    if isinstance(x, dict):
        return [leaf for key in sorted(x) for leaf in _leaves(x[key])]
    return [np.asarray(xp.to_numpy(x) if isinstance(x, xp.Array) else x)]


def _like(x: Any, make: Callable[[np.ndarray[Any, Any]], Any]) -> Any:
    if isinstance(x, (tuple, list)):
        return type(x)([_like(item, make) for item in x])
    if isinstance(x, dict):
        return {key: _like(item, make) for key, item in x.items()}
    return as_array(make(_leaves(x)[0]), scalars=True)


def _random(x: Any) -> Any:
    def make(a: np.ndarray[Any, Any]) -> Any:
        values = np.random.randn(*a.shape) + (1j * np.random.randn(*a.shape) if a.dtype.kind == "c" else 0)
        return np.asarray(values, dtype=a.dtype if a.dtype.kind in "fc" else np.float64)

    return _like(x, make)


def _moved(x: Any, direction: Any, step: float) -> Any:
    moves = iter(_leaves(direction))
    return _like(x, lambda a: np.asarray(a + step * next(moves)))


def _close(found: float, expected: float, words: str) -> None:
    if not abs(found - expected) <= TOLERANCE * max(1.0, abs(found), abs(expected)):
        raise AssertionError(f"{words}: {found!r}, finite differences: {expected!r}")


def _dot(a: Any, b: Any) -> float:
    return float(sum(np.real(np.sum(p * q)) for p, q in zip(_leaves(a), _leaves(b), strict=True)))


@unary_to_nary
def check_grads(f: Callable[..., Any], x: Any, modes: Any = ("fwd", "rev"), order: int = 2) -> None:
    """Compare the derivatives, forward and reverse, with finite differences in a random direction."""
    x = _argument(x)
    direction, value = _random(x), f(x)
    weights = _random(value)
    ahead, behind = (_dot(weights, f(_moved(x, direction, step))) for step in (STEP / 2, -STEP / 2))
    slope = (ahead - behind) / STEP
    if "fwd" in modes:
        _close(_dot(weights, make_jvp(f, x)(direction)[1]), slope, "forward")
        if order > 1:
            check_grads(lambda x, v: make_jvp(f, x)(v)[1], (0, 1), modes, order - 1)(x, direction)
    if "rev" in modes:
        pulled = make_vjp(f, x)[0](weights)
        assert [a.shape for a in _leaves(pulled)] == [a.shape for a in _leaves(x)], "shape of the gradient"
        _close(_dot(pulled, direction), slope, "reverse")
        if order > 1:
            check_grads(lambda x, v: make_vjp(f, x)[0](v), (0, 1), modes, order - 1)(x, weights)


def combo_check(f: Callable[..., Any], *options: Any, **named: Any) -> Callable[..., None]:
    """Return a check of all combinations of arguments."""

    def check(*args: Any, **kwargs: Any) -> None:
        keywords = [[(key, value) for value in values] for key, values in kwargs.items()]
        for values in product(*args):
            for pairs in product(*keywords):
                check_grads(f, *options, **named)(*values, **dict(pairs))

    return check


def check_equivalent(a: Any, b: Any) -> None:
    """Compare two values."""
    for p, q in zip(_leaves(a), _leaves(b), strict=True):
        np.testing.assert_allclose(p, q, rtol=TOLERANCE, atol=TOLERANCE)


CHECKS: dict[str, Any] = {
    "check_equivalent": check_equivalent,
    "check_grads": check_grads,
    "combo_check": combo_check,
    "scalar_close": lambda a, b: abs(a - b) < STEP or abs(a - b) / abs(a + b) < STEP,
}
