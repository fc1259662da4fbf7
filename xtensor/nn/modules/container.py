"""Containers of modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from ..._core.array import Array
from ..._core.errors import describe
from .module import Module, Parameter

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]

Part = TypeVar("Part", Module, Array)
"""Modules or parameters of a container."""


def _check_module(module: Any, name: str) -> Module:
    if not isinstance(module, Module):
        is_list = name == "Sequential" and isinstance(module, (list, tuple))
        remedy = "pass Sequential(*layers)" if is_list else "make layers of functions by subclasses of Module"
        raise TypeError(f"{name}() takes modules, not {describe(module)}; {remedy}")
    return module


class _Numbered(Module):
    """A container whose modules have numbers as names."""

    def _modules(self) -> list[Module]:
        return [value for value in vars(self).values() if isinstance(value, Module)]

    def _set(self, modules: Iterable[Any]) -> None:
        checked = [_check_module(module, type(self).__name__) for module in modules]
        attributes = vars(self)
        for name in [name for name, value in attributes.items() if isinstance(value, Module)]:
            del attributes[name]
        for number, module in enumerate(checked):
            attributes[str(number)] = module

    def __len__(self) -> int:
        return len(self._modules())

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules())

    def __getitem__(self, index: Any) -> Any:
        modules = self._modules()
        if not isinstance(index, slice):
            return modules[index]
        part = type(self).__new__(type(self))
        part._set(modules[index])
        return part

    def __setitem__(self, index: int, module: Module) -> None:
        modules = self._modules()
        modules[index] = module
        self._set(modules)

    def __delitem__(self, index: Any) -> None:
        modules = self._modules()
        del modules[index]
        self._set(modules)

    def append(self, module: Module) -> Any:
        """Add a module at the end; return the container."""
        self._set([*self._modules(), module])
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Add modules at the end; return the container."""
        self._set([*self._modules(), *modules])
        return self

    def insert(self, index: int, module: Module) -> None:
        """Insert a module before an index."""
        modules = self._modules()
        modules.insert(index, module)
        self._set(modules)


class Sequential(_Numbered):
    """Modules that are called one after the other.

    Parameters
    ----------
    modules
        The modules, or one dict of modules by name.

    Raises
    ------
    TypeError
        If an argument is not a module.
    """

    def __init__(self, *modules: Any) -> None:
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            for name, module in modules[0].items():
                setattr(self, name, _check_module(module, "Sequential"))
        else:
            self._set(modules)

    def forward(self, x: Any) -> Any:
        """Return the output of the last module, each of which is given that of the one before."""
        for module in self._modules():
            x = module(x)
        return x


class ModuleList(_Numbered):
    """List of modules.

    Parameters
    ----------
    modules
        The modules.

    Raises
    ------
    TypeError
        If an item is not a module.
    """

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        self._set(modules)


class _Named(Module, Generic[Part]):
    """A container whose parts have names, in the order of their insertion."""

    kind: ClassVar[Any]

    def _parts(self) -> dict[str, Part]:
        return {name: value for name, value in vars(self).items() if isinstance(value, self.kind)}

    def __getitem__(self, name: str) -> Part:
        return self._parts()[name]

    def __delitem__(self, name: str) -> None:
        del vars(self)[name]

    def __contains__(self, name: str) -> bool:
        return name in self._parts()

    def __len__(self) -> int:
        return len(self._parts())

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts())

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._parts().keys()

    def values(self) -> Iterable[Part]:
        """Return the modules or parameters."""
        return self._parts().values()

    def items(self) -> Iterable[tuple[str, Part]]:
        """Return the names, each with its module or parameter."""
        return self._parts().items()


class ModuleDict(_Named[Module]):
    """Dict of modules, in the order of their names' insertion.

    Parameters
    ----------
    modules
        The modules by name.

    Raises
    ------
    TypeError
        If a value is not a module.
    """

    kind = Module

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        self.update(modules or {})

    def update(self, modules: Mapping[str, Module]) -> None:
        """Set modules by name."""
        for name, module in modules.items():
            self[name] = module

    def __setitem__(self, name: str, module: Module) -> None:
        vars(self)[name] = _check_module(module, "ModuleDict")


class ParameterList(Module):
    """List of parameters, whose names are their numbers.

    Parameters
    ----------
    values
        Arrays, or what :func:`xtensor.asarray` takes.
    """

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self.extend(values)

    def _parameters(self) -> list[Array]:
        return [value for value in vars(self).values() if value.__class__ is Array]

    def __len__(self) -> int:
        return len(self._parameters())

    def __iter__(self) -> Iterator[Array]:
        return iter(self._parameters())

    def __getitem__(self, index: Any) -> Any:
        values = self._parameters()[index]
        return ParameterList(values) if isinstance(index, slice) else values

    def __setitem__(self, index: int, value: Any) -> None:
        vars(self)[str(range(len(self))[index])] = Parameter(value)

    def append(self, value: Any) -> ParameterList:
        """Add a parameter at the end; return the list."""
        vars(self)[str(len(self))] = Parameter(value)
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add parameters at the end; return the list."""
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """Return the shapes and dtypes that ``repr`` shows."""
        return ", ".join([f"{name}: {x.dtype}{list(x.shape)}" for name, x in enumerate(self)])


class ParameterDict(_Named[Array]):
    """Dict of parameters, in the order of their names' insertion.

    Parameters
    ----------
    parameters
        Arrays, or what :func:`xtensor.asarray` takes, by name.
    """

    kind = Array

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        self.update(parameters or {})

    def update(self, values: Mapping[str, Any]) -> None:
        """Set parameters by name."""
        for name, value in values.items():
            self[name] = value

    def __setitem__(self, name: str, value: Any) -> None:
        vars(self)[name] = Parameter(value)

    def extra_repr(self) -> str:
        """Return the shapes and dtypes that ``repr`` shows."""
        return ", ".join([f"{name}: {x.dtype}{list(x.shape)}" for name, x in self.items()])
