"""Names of PyTorch, JAX and dask that xtensor has under another name, and what to write for them.

A program that is moved from one of these libraries looks for them; the error names the remedy. NumPy's names that the
standard has under another one are in ``STANDARD_NAMES`` of :mod:`xtensor._ops`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["ATTRIBUTES", "FUNCTIONAL", "NAMESPACE", "ForeignAttribute", "add_foreign_attributes", "explain", "missing"]

PYTORCH: dict[str, str] = {
    "Tensor": "xtensor.Array",
    "as_tensor": "xtensor.asarray(data)",
    "bmm": "xtensor.matmul(x1, x2)",
    "cat": "xtensor.concat(arrays, axis=0)",
    "clamp": "xtensor.clip(x, min, max)",
    "compile": "xtensor.fuse(f)",
    "cuda": "xtensor.device('cuda').memory() and its other methods",
    "flatten": "xtensor.reshape(x, (-1,))",
    "from_numpy": "xtensor.asarray(a)",
    "gather": "xtensor.take_along_axis(x, indices, axis=axis)",
    "index_select": "xtensor.take(x, indices, axis=axis)",
    "inference_mode": "not needed: only functions under xtensor.autograd record",
    "is_tensor": "isinstance(x, xtensor.Array)",
    "logsumexp": "xtensor.special.logsumexp(x, axis=axis)",
    "manual_seed": "xtensor.random.default_rng(seed), a generator whose methods draw the numbers",
    "masked_select": "x[mask]",
    "mm": "xtensor.matmul(x1, x2)",
    "mul": "xtensor.multiply(x1, x2)",
    "no_grad": "not needed: only functions under xtensor.autograd record, and stop_gradient(x) there is a constant",
    "norm": "xtensor.linalg.vector_norm(x)",
    "numel": "x.size",
    "permute": "xtensor.permute_dims(x, axes)",
    "rand": "xtensor.random.default_rng(seed).random(shape)",
    "randint": "xtensor.random.default_rng(seed).integers(low, high, shape)",
    "randn": "xtensor.random.default_rng(seed).standard_normal(shape)",
    "randperm": "xtensor.random.default_rng(seed).permutation(n)",
    "relu": "xtensor.nn.functional.relu(x)",
    "rsqrt": "1 / xtensor.sqrt(x)",
    "set_default_dtype": "dtype= of the creation functions",
    "set_grad_enabled": "not needed: only functions under xtensor.autograd record",
    "sigmoid": "xtensor.special.expit(x)",
    "softmax": "xtensor.nn.functional.softmax(x, axis=-1)",
    "sub": "xtensor.subtract(x1, x2)",
    "tensor": "xtensor.asarray(data)",
    "topk": "xtensor.argsort(x, descending=True), whose first k elements are the indices",
    "unbind": "xtensor.unstack(x, axis=0)",
    "unsqueeze": "xtensor.expand_dims(x, axis=axis)",
}
"""Names of ``torch`` and what xtensor has for them."""

JAX: dict[str, str] = {
    "block_until_ready": "x.device.synchronize()",
    "device_get": "xtensor.to_numpy(x)",
    "device_put": "x.to_device(device)",
    "disable_jit": "a call of the function itself, not of xtensor.fuse(f)",
    "eval_shape": "the function called with arrays of device 'meta'",
    "grad": "xtensor.autograd.grad(f)",
    "hessian": "xtensor.autograd.hessian(f)",
    "jacfwd": "xtensor.autograd.jacobian(f, mode='forward')",
    "jacrev": "xtensor.autograd.jacobian(f)",
    "jit": "xtensor.fuse(f)",
    "jvp": "xtensor.autograd.jvp(f, primals, tangents)",
    "lax": "the functions of the namespace, with Python's loops and conditions",
    "numpy": "the namespace xtensor itself",
    "pmap": "the device 'dask', whose arrays are computed in chunks",
    "value_and_grad": "xtensor.autograd.value_and_grad(f)",
    "vjp": "xtensor.autograd.vjp(f, x)",
}
"""Names of ``jax`` and ``jax.numpy`` and what xtensor has for them."""

DASK: dict[str, str] = {
    "compute": "xtensor.engines.compute(*arrays)",
    "from_array": "xtensor.asarray(a, device='dask')",
    "from_zarr": "xtensor.engines.from_zarr(store)",
    "map_blocks": "the function called with arrays of device 'dask'",
    "persist": "xtensor.engines.persist(*arrays)",
    "rechunk": "xtensor.engines.rechunk(x, chunks)",
    "to_zarr": "xtensor.engines.to_zarr(x, store)",
}
"""Names of ``dask`` and ``dask.array`` and what xtensor has for them."""

NAMESPACE = {"PyTorch": PYTORCH, "JAX": JAX, "dask": DASK}
"""The names of each library that are looked for in the main namespace."""

FUNCTIONAL: dict[str, dict[str, str]] = {
    "PyTorch": {
        "pad": "xtensor.pad(x, widths)",
    }
}
"""Names of ``torch.nn.functional`` and what xtensor has for them."""

ATTRIBUTES: dict[str, tuple[str, str]] = {
    "add_": ("PyTorch", "x += y"),
    "at": ("JAX", "an assignment, x[index] = value or x[index] += value: Arrays can be written to"),
    "backward": ("PyTorch", "xtensor.autograd.backward(x)"),
    "block_until_ready": ("JAX", "x.device.synchronize()"),
    "chunks": ("dask", "xtensor.engines.chunks(x)"),
    "clone": ("PyTorch", "x.copy()"),
    "contiguous": ("PyTorch", "x.copy()"),
    "copy_": ("PyTorch", "x[...] = y"),
    "cpu": ("PyTorch", "x.to_device('cpu')"),
    "cuda": ("PyTorch", "x.to_device('cuda')"),
    "detach": ("PyTorch", "xtensor.autograd.stop_gradient(x)"),
    "dim": ("PyTorch", "x.ndim"),
    "div_": ("PyTorch", "x /= y"),
    "double": ("PyTorch", "x.astype(xtensor.float64)"),
    "expand": ("PyTorch", "xtensor.broadcast_to(x, shape)"),
    "fill_": ("PyTorch", "x.fill(value)"),
    "float": ("PyTorch", "x.astype(xtensor.float32)"),
    "half": ("PyTorch", "x.astype(xtensor.float16)"),
    "index_select": ("PyTorch", "xtensor.take(x, indices, axis=axis)"),
    "int": ("PyTorch", "x.astype(xtensor.int32)"),
    "is_cuda": ("PyTorch", "x.device.name.startswith('cuda')"),
    "long": ("PyTorch", "x.astype(xtensor.int64)"),
    "map_blocks": ("dask", "the function called with x itself"),
    "masked_fill": ("PyTorch", "xtensor.where(mask, value, x)"),
    "masked_fill_": ("PyTorch", "x[mask] = value"),
    "mul_": ("PyTorch", "x *= y"),
    "numel": ("PyTorch", "x.size"),
    "permute": ("PyTorch", "xtensor.permute_dims(x, axes)"),
    "requires_grad": ("PyTorch", "xtensor.autograd.variable(x), or xtensor.autograd.grad(f)"),
    "requires_grad_": ("PyTorch", "xtensor.autograd.variable(x), or xtensor.autograd.grad(f)"),
    "sub_": ("PyTorch", "x -= y"),
    "to": ("PyTorch", "x.to_device(device), or x.astype(dtype)"),
    "type": ("PyTorch", "x.astype(dtype)"),
    "unsqueeze": ("PyTorch", "xtensor.expand_dims(x, axis=axis)"),
    "zero_": ("PyTorch", "x.fill(0)"),
}
"""Attributes of arrays of other libraries, with the library and what xtensor has for them."""

KEYWORDS: dict[str, str] = {
    "device_type": "device=",
    "dim": "axis=",
    "dims": "axis=",
    "input": "the first argument, by position",
    "keepdim": "keepdims=",
    "memory_format": "no parameter: the memory of an Array is in row-major order",
    "non_blocking": "no parameter: copies keep their order",
    "other": "the second argument, by position",
    "pin_memory": "no parameter",
    "requires_grad": "no parameter: xtensor.autograd.grad(f) differentiates f, xtensor.autograd.variable(x) records",
    "unbiased": "correction=1",
}
"""Keywords of PyTorch's functions and what the standard's have for them."""

POSITIONAL: dict[str, str] = {
    "broadcast_to": "pass shape as one tuple",
    "permute_dims": "pass axes as one tuple",
    "reshape": "pass shape as one tuple",
    "round": "NumPy's round(x, decimals) is x.round(decimals)",
    "clip": "use min= and max=",
    "view": "PyTorch's x.view(shape) is x.reshape(shape)",
}
"""Remedies for arguments that a function does not take by position, by the function's name."""

UNEXPECTED = re.compile(r"(?:\w+\.)*(\w+)\(\):? got an unexpected keyword argument '(\w+)'(?:\. Did you mean .*)?")
TOO_MANY = re.compile(r"(?:\w+\.)*(\w+)\(\) takes .* positional arguments? but \d+ (?:was|were) given")
"""Python's messages for arguments that a function does not take."""

SHAPE = re.compile(r"view\(\) takes a dtype .*, not .* \((?:int|tuple)\)")
"""The message for a shape, which PyTorch's ``view`` takes."""


def missing(module: str, name: str, names: dict[str, dict[str, str]]) -> AttributeError:
    """Return the error for a name that a module does not have; it names the remedy for another library's name."""
    known = [(library, remedies[name]) for library, remedies in names.items() if name in remedies]
    remedy = "".join(f"; {library}'s {name} is {text}" for library, text in known)
    return AttributeError(f"module {module!r} has no attribute {name!r}{remedy}")


def explain(error: TypeError) -> None:
    """Add the remedy to Python's message for an argument that a function does not take."""
    text = str(error)
    unexpected = UNEXPECTED.fullmatch(text)
    if unexpected is not None and unexpected[2] in KEYWORDS:
        error.args = (f"{text}; PyTorch's {unexpected[2]}= is {KEYWORDS[unexpected[2]]}",)
        return
    too_many = TOO_MANY.fullmatch(text)
    if too_many is not None and too_many[1] in POSITIONAL:
        error.args = (f"{text}; {POSITIONAL[too_many[1]]}",)
    elif SHAPE.fullmatch(text):
        error.args = (f"{text}; {POSITIONAL['view']}",)


class ForeignAttribute:
    """Attribute of another library's arrays: an Array does not have it, and the error names the remedy."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type | None = None) -> object:
        library, remedy = ATTRIBUTES[self._name]
        subject = (
            f"type object {owner.__name__!r}" if instance is None and owner else f"{type(instance).__name__!r} object"
        )
        try:
            raise AttributeError(
                f"{subject} has no attribute {self._name!r}; {library}'s x.{self._name} is {remedy}",
                name=self._name,
                obj=instance,
            )
        except AttributeError as error:
            error.__traceback__ = None  # so that the traceback ends at the user's line
            raise


def add_foreign_attributes(cls: type, absent: Callable[[Any], Iterable[str]]) -> None:
    """Give a class of arrays the attributes of other libraries' arrays, which raise, and hide them from :func:`dir`.

    Parameters
    ----------
    absent
        Returns further names that an array does not have.
    """

    def names(self: object) -> list[str]:
        return sorted(set(object.__dir__(self)) - ATTRIBUTES.keys() - set(absent(self)))

    def names_of_class(self: type) -> list[str]:
        return sorted(set(type.__dir__(self)) - ATTRIBUTES.keys())

    for name in ATTRIBUTES:
        if not hasattr(cls, name):
            setattr(cls, name, ForeignAttribute(name))
    cls.__dir__ = names  # type: ignore[assignment,method-assign]
    type(cls).__dir__ = names_of_class  # type: ignore[assignment,method-assign]
