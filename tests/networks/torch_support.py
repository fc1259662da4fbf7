"""Layers and optimizers next to those of PyTorch, with the same weights and inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd

torch = pytest.importorskip("torch", reason="PyTorch is installed in the environment networks of tox")
torch.set_num_threads(1)

TOLERANCES = {"float64": 1e-10, "float32": 2e-5}
"""Largest differences, relative to the largest element."""


def arrays(seed: int, *shapes: Any, dtype: str = "float64") -> list[np.ndarray]:
    """Normally distributed arrays."""
    rng = np.random.default_rng(seed)
    return [np.asarray(rng.normal(size=shape)).astype(dtype) for shape in shapes]


def state_of(module: Any) -> dict[str, np.ndarray]:
    """The state of a module of PyTorch, as arrays of their own."""
    return {name: np.array(x.detach().numpy()) for name, x in module.state_dict().items()}


def assert_near(actual: Any, expected: Any, dtype: str, what: str) -> None:
    """Fail where an Array differs from a tensor."""
    expected = np.asarray(expected.detach().numpy() if hasattr(expected, "detach") else expected)
    actual = np.asarray(xp.to_numpy(actual))
    assert actual.shape == expected.shape, what
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=TOLERANCES[dtype] * scale, err_msg=what)


def tensors(values: Any) -> list[Any]:
    """The arrays of a result: the result itself, or all in nested tuples."""
    if isinstance(values, (tuple, list)):
        return [x for value in values for x in tensors(value)]
    return [] if values is None else [values]


def assert_like_torch(ours: Any, theirs: Any, inputs: list[Any], dtype: str, call: Any = None) -> None:
    """Fail unless outputs, gradients of floating-point inputs and parameters, and buffers are those of PyTorch.

    The parameters are PyTorch's initial ones, with noise, so that none is 0 or 1.
    """
    rng = np.random.default_rng(3)
    theirs = theirs.to(getattr(torch, dtype))
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter += torch.from_numpy(0.1 * rng.normal(size=parameter.shape).astype(dtype))
    ours = ours.astype(dtype)
    ours.load_state_dict(state_of(theirs))
    run = call or (lambda module, *values: module(*values))
    given = [torch.from_numpy(x.copy()) if isinstance(x, np.ndarray) else x for x in inputs]
    for x in given:
        if isinstance(x, torch.Tensor) and x.is_floating_point():
            x.requires_grad_(True)
    expected = tensors(run(theirs, *given))
    weights = [np.asarray(rng.normal(size=tuple(y.shape))).astype(dtype) for y in expected]
    sum((y * torch.from_numpy(w)).sum() for y, w in zip(expected, weights, strict=True)).backward()

    def loss(module: Any, floating: Any, others: Any) -> Any:
        values = [f if o is None else o for f, o in zip(floating, others, strict=True)]
        outputs = tensors(run(module, *values))
        terms = [xp.sum(y * xp.asarray(w)) for y, w in zip(outputs, weights, strict=True)]
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total, outputs

    is_float = [isinstance(x, np.ndarray) and x.dtype.kind == "f" for x in inputs]
    as_arrays = [xp.asarray(x) if isinstance(x, np.ndarray) else x for x in inputs]
    floating = [x if flag else None for x, flag in zip(as_arrays, is_float, strict=True)]
    others = [None if flag else x for x, flag in zip(as_arrays, is_float, strict=True)]
    (_, outputs), (slopes, of_inputs) = autograd.value_and_grad(loss, (0, 1), has_aux=True)(ours, floating, others)
    for number, (y, z) in enumerate(zip(outputs, expected, strict=True)):
        assert_near(y, z, dtype, f"output {number}")
    for number, (g, x) in enumerate(zip(of_inputs, given, strict=True)):
        if g is not None and x.grad is not None:
            assert_near(g, x.grad, dtype, f"gradient of input {number}")
    gradients = dict(slopes.named_parameters())
    for name, parameter in theirs.named_parameters():
        if parameter.grad is not None:
            assert_near(gradients[name], parameter.grad, dtype, f"gradient of {name}")
    for name, buffer in theirs.named_buffers():
        assert_near(dict(ours.named_buffers())[name], buffer, dtype, f"buffer {name}")
