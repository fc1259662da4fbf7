"""Module: the base class of layers and networks, an ordinary object and a tree of Arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, Self

from ... import _ops as xp
from ..._core.array import Array
from ..._core.device import Device
from ..._core.dtypes import kind_of
from ..._core.errors import describe
from ..._core.html import escape, table
from ..._core.remedies import add_foreign_methods
from ..._core.trees import Memo, TreeObject, flatten, with_arrays
from ...random import Generator

__all__ = ["IncompatibleKeys", "Module", "Parameter", "is_parameter"]


class IncompatibleKeys(NamedTuple):
    """The keys that :meth:`Module.load_state_dict` did not load."""

    missing_keys: list[str]
    unexpected_keys: list[str]


def Parameter(data: Any) -> Array:  # noqa: N802 # PyTorch's name
    """Return an Array. Every Array of floating point that is an attribute of a module is a parameter.

    Parameters
    ----------
    data
        An Array, which is returned itself, or what :func:`xtensor.asarray` takes.

    Returns
    -------
    Array
        The parameter.
    """
    return data if data.__class__ is Array else xp.asarray(data)


def is_parameter(x: Array) -> bool:
    """Whether an Array is of floating point."""
    return kind_of(x.dtype) in "fc"


class Module(TreeObject):
    """Base class of layers and networks.

    A module is an ordinary mutable object. Its attributes that are Arrays or modules, or lists, tuples and dicts of
    them, are the parts of the network; Arrays of floating point are its parameters. Other attributes are settings. A
    subclass defines :meth:`forward`.

    A module is also a tree of Arrays: :func:`xtensor.autograd.value_and_grad` differentiates a function with respect to
    it, :func:`xtensor.fuse` compiles a function of it. Both give the function a copy, and set what the function assigns
    to attributes of the copy, such as statistics, on the module itself.

    Attributes
    ----------
    training
        Whether layers such as dropout behave as in training; see :meth:`train` and :meth:`eval`.

    Examples
    --------
    >>> import xtensor as xp
    >>> from xtensor import nn
    >>> class Network(nn.Module):
    ...     def __init__(self, rng):
    ...         self.hidden = nn.Linear(4, 8, rng=rng)
    ...         self.output = nn.Linear(8, 2, rng=rng)
    ...     def forward(self, x):
    ...         return self.output(nn.functional.relu(self.hidden(x)))
    >>> Network(xp.random.default_rng(0))(xp.ones((3, 4), dtype=xp.float32)).shape
    (3, 2)
    """

    training: bool = True
    _computes_in_short: ClassVar[bool] = False
    _short: Any = None
    _buffers: frozenset[str] = frozenset()
    _temporary: frozenset[str] = frozenset()
    _frozen: frozenset[str] = frozenset()
    _hooks: tuple[Callable[..., Any], ...] = ()

    def __tree_constants__(self) -> Collection[str]:
        return self._buffers | self._frozen

    # -- computation --------------------------------------------------------------------------------------------------

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the output; a subclass defines it. Call the module itself, which also calls the hooks."""
        raise NotImplementedError(f"{type(self).__name__} defines no method forward(self, ...)")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the output of :meth:`forward`, after the hooks."""
        output = self.forward(*args, **kwargs)
        for hook in self._hooks:
            replaced = hook(self, args, output)
            output = output if replaced is None else replaced
        return output

    def _shortened(self, *arrays: Array | None) -> tuple[Any, ...]:
        """Return Arrays of floating point in the dtype of :func:`xtensor.nn.autocast`; unchanged without it."""
        if self._short is None:
            return arrays
        return tuple([None if x is None else xp.astype(x, self._short, copy=False) for x in arrays])

    def register_forward_hook(self, hook: Callable[..., Any]) -> Callable[[], None]:
        """Call ``hook(module, args, output)`` after each call of the module.

        Parameters
        ----------
        hook
            The function. Its result takes the position of the output, unless it is None.

        Returns
        -------
        Callable
            A function without arguments that removes the hook.
        """
        self._hooks = (*self._hooks, hook)

        def remove() -> None:
            self._hooks = tuple([known for known in self._hooks if known is not hook])

        return remove

    def train(self, mode: bool = True) -> Self:
        """Set ``training`` of this module and all modules in it; return the module."""
        if not isinstance(mode, bool):
            raise ValueError(f"train(): mode is a bool, not {describe(mode)}")
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Set ``training`` of this module and all modules in it to False; return the module."""
        return self.train(False)

    # -- parts --------------------------------------------------------------------------------------------------------

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield the names and modules directly in this one; in a list or dict they are ``"layers.0"``."""
        memo = Memo((self,))
        for name, value in _positions(self):
            if isinstance(value, Module) and memo.number(value) is None:
                yield name, value

    def children(self) -> Iterator[Module]:
        """Yield the modules directly in this one."""
        for _, module in self.named_children():
            yield module

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """Yield the names and modules of the tree, this one with the name ``prefix`` first; each module once."""
        return _named_modules(self, prefix, Memo())

    def modules(self) -> Iterator[Module]:
        """Yield this module and all modules in it; each module once."""
        for _, module in self.named_modules():
            yield module

    def apply(self, function: Callable[[Module], Any]) -> Self:
        """Call a function with each module, those in a module before it; return the module."""
        for module in self.children():
            module.apply(function)
        function(self)
        return self

    def _named_arrays(self, prefix: str = "") -> Iterator[tuple[str, Module, str, Array]]:
        """Yield the path, owner, attribute and Array of each position of the tree."""
        for name, value in _positions(self):
            if isinstance(value, Module):
                yield from value._named_arrays(f"{prefix}{name}.")
            else:
                yield f"{prefix}{name}", self, name.partition(".")[0], value

    def named_parameters(self, prefix: str = "") -> Iterator[tuple[str, Array]]:
        """Yield the names and parameters, frozen ones among them; an Array of two attributes once."""
        memo = Memo()
        for path, owner, name, x in self._named_arrays(prefix and f"{prefix}."):
            if name not in owner._buffers and is_parameter(x) and memo.number(x) is None:
                yield path, x

    def parameters(self) -> Iterator[Array]:
        """Yield the parameters, frozen ones among them."""
        for _, x in self.named_parameters():
            yield x

    def named_buffers(self, prefix: str = "") -> Iterator[tuple[str, Array]]:
        """Yield the names and Arrays that are no parameters: registered buffers, and Arrays of integers and bools."""
        memo = Memo()
        for path, owner, name, x in self._named_arrays(prefix and f"{prefix}."):
            if (name in owner._buffers or not is_parameter(x)) and memo.number(x) is None:
                yield path, x

    def buffers(self) -> Iterator[Array]:
        """Yield the Arrays that are no parameters."""
        for _, x in self.named_buffers():
            yield x

    def register_buffer(self, name: str, array: Array | None, persistent: bool = True) -> None:
        """Set an attribute to an Array that is no parameter.

        Parameters
        ----------
        name
            Name of the attribute.
        array
            The Array; None reserves the name.
        persistent
            Whether it is part of :meth:`state_dict`.
        """
        self._buffers |= {name}
        if not persistent:
            self._temporary |= {name}
        setattr(self, name, array)

    def freeze(self, *names: str) -> Self:
        """Exclude parameters from differentiation and from optimizers; return the module.

        Parameters
        ----------
        names
            Attributes of this module. Default: all parameters of this module and of all modules in it.

        Raises
        ------
        AttributeError
            If the module has no attribute of a name.
        """
        for owner, name in self._chosen(names):
            owner._frozen |= {name}
        return self

    def unfreeze(self, *names: str) -> Self:
        """Undo :meth:`freeze`; return the module."""
        for owner, name in self._chosen(names):
            owner._frozen -= {name}
        return self

    def _chosen(self, names: tuple[str, ...]) -> list[tuple[Module, str]]:
        if not names:
            return [(owner, name) for _, owner, name, x in self._named_arrays() if is_parameter(x)]
        chosen: list[tuple[Module, str]] = []
        for name in names:
            value = getattr(self, name)
            chosen += value._chosen(()) if isinstance(value, Module) else [(self, name)]
        return chosen

    # -- values -------------------------------------------------------------------------------------------------------

    def state_dict(self, prefix: str = "") -> dict[str, Array]:
        """Return the parameters and persistent buffers by name, with PyTorch's names."""
        return {path: x for path, owner, name, x in self._named_arrays(prefix) if name not in owner._temporary}

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> IncompatibleKeys:
        """Set parameters and buffers by name, in the dtypes and on the devices that they have.

        Parameters
        ----------
        state_dict
            Arrays, or what :func:`xtensor.asarray` takes, by name.
        strict
            Whether the names must be those of :meth:`state_dict`.

        Returns
        -------
        IncompatibleKeys
            The missing and the unexpected names, both empty if ``strict``.

        Raises
        ------
        TypeError
            If ``state_dict`` is not a mapping.
        RuntimeError
            If a shape is another one, or names differ and ``strict`` is true. The module is unchanged then.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"load_state_dict() takes a dict of Arrays by name, not {describe(state_dict)}")
        own = self.state_dict()
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        errors = []
        if strict and unexpected:
            errors.append(f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
        if strict and missing:
            errors.append(f"Missing key(s) in state_dict: {_quoted(missing)}. ")
        replaced: dict[int, Array] = {}
        for name, x in own.items():
            if name in state_dict:
                value = state_dict[name]
                value = value if value.__class__ is Array else xp.asarray(value)
                if value.shape != x.shape:
                    errors.append(
                        f"size mismatch for {name}: copying a param with shape {value.shape} from checkpoint, the "
                        f"shape in current model is {x.shape}."
                    )
                    continue
                replaced[id(x)] = xp.astype(value.to_device(x.device), x.dtype, copy=True)
        if errors:
            lines = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{lines}")
        self._replace(lambda x: replaced.get(id(x), x))
        return IncompatibleKeys(missing, unexpected)

    def to_device(self, device: str | Device) -> Self:
        """Move all Arrays and generators of random numbers to a device; return the module."""
        self._replace(lambda x: x.to_device(device))
        for module in self.modules():
            for name, value in vars(module).items():
                if isinstance(value, Generator):
                    setattr(module, name, Generator(value.bit_generator, device))
        return self

    def astype(self, dtype: Any) -> Self:
        """Cast all Arrays of floating point to a dtype; return the module."""
        self._replace(lambda x: xp.astype(x, dtype, copy=False) if is_parameter(x) else x)
        return self

    def _replace(self, function: Callable[[Array], Array]) -> None:
        """Replace all Arrays by functions of them; an Array of two attributes stays one.

        The modules, lists and dicts stay the same objects, to which others may refer.
        """
        memo, copies = Memo(), list[Any]()
        leaves, tree = flatten(self, memo)
        tree.build([function(leaf) for leaf in leaves], copies)
        arrays = {id(x): new for x, new in zip(memo.items, copies, strict=True) if not isinstance(x, TreeObject)}
        for module in memo.items:
            if isinstance(module, TreeObject):
                attributes = vars(module)
                attributes.update({name: with_arrays(value, arrays) for name, value in attributes.items()})

    # -- text ---------------------------------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows; a subclass may define it."""
        return ""

    def __repr__(self) -> str:
        lines = [f"({name}): " + repr(module).replace("\n", "\n  ") for name, module in self.named_children()]
        extra = self.extra_repr()
        if not lines:
            return f"{type(self).__name__}({extra})"
        return f"{type(self).__name__}(\n  " + "\n  ".join([*([extra] if extra else []), *lines]) + "\n)"

    def _repr_html_(self) -> str:
        """Return the parameters as a table for notebooks."""
        parameters = list(self.named_parameters())
        rows = [(name, str(tuple(x.shape)), str(x.dtype), f"{x.size:,}") for name, x in parameters]
        total = sum([x.size for _, x in parameters])
        text = f"<pre>{escape(repr(self))}</pre>"
        return text + table([("parameter", "shape", "dtype", "numbers"), *rows, ("all", "", "", f"{total:,}")], words=3)


add_foreign_methods(Module, "model")


def _quoted(names: list[str]) -> str:
    return ", ".join([f'"{name}"' for name in names])


def _positions(module: Module) -> Iterator[tuple[str, Any]]:
    """Yield the names of the Arrays and modules in attributes of a module, and in containers there."""
    for name, value in vars(module).items():
        yield from _within(name, value)


def _within(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if value.__class__ is Array or isinstance(value, Module):
        yield name, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _within(f"{name}.{key}", item)
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from _within(f"{name}.{number}", item)


def _named_modules(module: Module, prefix: str, memo: Memo) -> Iterator[tuple[str, Module]]:
    if memo.number(module) is not None:
        return
    yield prefix, module
    for name, value in _positions(module):
        if isinstance(value, Module):
            yield from _named_modules(value, f"{prefix}.{name}" if prefix else name, memo)
