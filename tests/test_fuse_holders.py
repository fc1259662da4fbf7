"""Fused functions and values that nothing in Python names: caches, C's containers, absent attributes, descriptors."""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import xtensor as xp
from xtensor import fuse

if xp.device("cpu")._provider.generator("cpu") is None:
    pytest.skip("needs a generator of kernels, the extra xtensor[llvm]", allow_module_level=True)

IMPORTS = """
import array, collections, contextvars, ctypes, functools, mmap, operator, queue, sys, threading, types, weakref
import numpy as np, xtensor as xp
"""

CACHED = "@functools.lru_cache\ndef table():\n    return {}\n"
OBJECT = "class C:\n    {}\nc = C()\n"
TRY = """
class C: pass
c = C()
def read():
    try:
        return c.rate
    except AttributeError:
        return 1.0
"""

CHANGES = {
    "a list that a cached function keeps": (CACHED.format("[1.0]"), "x * table()[0]", "table()[0] = 3.0"),
    "a list that is kept before": (CACHED.format("[1.0]") + "table()", "x * table()[0]", "table()[0] = 3.0"),
    "an Array that is kept before": (
        CACHED.format("xp.ones(3)") + "table()",
        "x * table()",
        "kept = table(); kept *= 3.0",
    ),
    "an array of NumPy that is kept": (CACHED.format("np.ones(3)"), "x * table()", "kept = table(); kept *= 3.0"),
    "a bounded cache": (
        CACHED.format("[1.0]").replace("lru_cache", "lru_cache(maxsize=2)"),
        "x * table()[0]",
        "table()[0] = 3.0",
    ),
    "an object that is kept": (
        OBJECT.format("rate = 1.0") + CACHED.format("C()"),
        "x * table().rate",
        "table().rate = 3.0",
    ),
    "a cache that is emptied": (
        "rates = [1.0]\n" + CACHED.format("rates[0]") + "table()\nrates[0] = 3.0",
        "x * table()",
        "table.cache_clear()",
    ),
    "an array of Python": ("held = array.array('d', [1.0])", "x * held[0]", "held[0] = 3.0"),
    "a view of memory": ("held = array.array('d', [1.0]); v = memoryview(held)", "x * v[0]", "held[0] = 3.0"),
    "a number of C": ("held = ctypes.c_double(1.0)", "x * held.value", "held.value = 3.0"),
    "an array of C": ("held = (ctypes.c_double * 2)(1.0, 2.0)", "x * held[0]", "held[0] = 3.0"),
    "mapped memory": ("held = mmap.mmap(-1, 8)", "x * held[0]", "held[0] = 3"),
    "a read-only mapping": (
        "inner = {'a': 1.0}; held = types.MappingProxyType(inner)",
        "x * held['a']",
        "inner['a'] = 3.0",
    ),
    "values of a dict": ("inner = {'a': 1.0}; held = inner.values()", "x * sum(held)", "inner['a'] = 3.0"),
    "a context variable": (
        "held = contextvars.ContextVar('held', default=1.0)",
        "x * held.get()",
        "held.set(3.0)",
    ),
    "a weak reference": (OBJECT.format("rate = 1.0") + "r = weakref.ref(c)", "x * r().rate", "c.rate = 3.0"),
    "a weak proxy": (OBJECT.format("rate = 1.0") + "r = weakref.proxy(c)", "x * r.rate", "c.rate = 3.0"),
    "a dict of weak references": (
        OBJECT.format("rate = 1.0") + "r = weakref.WeakValueDictionary(c=c)",
        "x * r['c'].rate",
        "c.rate = 3.0",
    ),
    "hasattr, of an object": (OBJECT.format("pass"), "x * 3 if hasattr(c, 'fast') else x", "c.fast = 1"),
    "hasattr, of its class": (OBJECT.format("pass"), "x * 3 if hasattr(c, 'fast') else x", "C.fast = 1"),
    "getattr with a default": (OBJECT.format("pass"), "x * getattr(c, 'rate', 1.0)", "c.rate = 3.0"),
    "getattr of a class": (OBJECT.format("rate = 1.0") + "name = 'rate'", "x * getattr(C, name)", "C.rate = 3.0"),
    "getattr by a name in a list": (
        OBJECT.format("rate = 1.0") + "names = ['rate']",
        "x * getattr(c, names[0])",
        "C.rate = 3.0",
    ),
    "attrgetter": (
        OBJECT.format("rate = 1.0") + "get = operator.attrgetter('rate')",
        "x * get(c)",
        "c.rate = 3.0",
    ),
    "an AttributeError that is caught": (TRY, "x * read()", "c.rate = 3.0"),
    "one of a class": (TRY, "x * read()", "C.rate = 3.0"),
    "a slot that is not set": (
        OBJECT.format("__slots__ = ('rate',)"),
        "x * getattr(c, 'rate', 1.0)",
        "c.rate = 3.0",
    ),
    "vars": (OBJECT.format("pass") + "c.a = 1.0", "x * len(vars(c))", "c.b = 1.0"),
    "__getattr__": (
        OBJECT.format("def __getattr__(self, name): return 1.0"),
        "x * c.rate",
        "c.rate = 3.0",
    ),
    "an attribute of a function": (
        "def helper(x): return x * helper.rate\nhelper.rate = 1.0",
        "helper(x)",
        "helper.rate = 3.0",
    ),
    "defaults": ("def helper(x, rate=1.0): return x * rate", "helper(x)", "helper.__defaults__ = (3.0,)"),
    "defaults of keywords": (
        "def helper(x, *, rate=1.0): return x * rate",
        "helper(x)",
        "helper.__kwdefaults__ = {'rate': 3.0}",
    ),
    "the class of an object": (
        OBJECT.format("def go(self, x): return x * 1") + "class Other:\n    def go(self, x): return x * 3\n",
        "c.go(x)",
        "c.__class__ = Other",
    ),
    "isinstance": (
        OBJECT.format("pass") + "class Other(C): pass\n",
        "x * 3 if isinstance(c, Other) else x",
        "c.__class__ = Other",
    ),
    "a property": (
        OBJECT.format("rate = property(lambda self: 1.0)"),
        "x * c.rate",
        "C.rate = property(lambda self: 3.0)",
    ),
    "the closure of a property": (
        "def make(held):\n    return property(lambda self: held[0])\nheld = [1.0]\n"
        + OBJECT.format("rate = make(held)")
        + "del make",
        "x * c.rate",
        "held[0] = 3.0",
    ),
    "a property of the class's class": (
        "def make(held):\n    return property(lambda self: held[0])\nheld = [1.0]\n"
        "class Meta(type):\n    rate = make(held)\nclass C(metaclass=Meta): pass\ndel make",
        "x * C.rate",
        "held[0] = 3.0",
    ),
    "a static method": (
        OBJECT.format("go = staticmethod(lambda x: x * 1)"),
        "c.go(x)",
        "C.go = staticmethod(lambda x: x * 3)",
    ),
    "a property that was computed": (
        OBJECT.format("rate = functools.cached_property(lambda self: 1.0)") + "C.rate.__set_name__(C, 'rate')",
        "x * c.rate",
        "c.rate = 3.0",
    ),
    "a method that super finds": (
        "class Base:\n    def rate(self): return 1.0\n"
        "class C(Base):\n    def rate(self): return 0.0\n    def go(self, x): return x * super().rate()\nc = C()",
        "c.go(x)",
        "Base.rate = lambda self: 3.0",
    ),
    "an attribute of a class of lists": (
        "class C(list): rate = 1.0\nc = C([1.0])",
        "x * c[0] * c.rate",
        "c.rate = 3.0",
    ),
    "an attribute of a class of arrays": (
        "class C(np.ndarray): pass\nc = np.ones(3).view(C)\nc.rate = 1.0",
        "x * c.rate",
        "c.rate = 3.0",
    ),
    "a list in an array of objects": (
        "held = np.empty(1, dtype=object); held[0] = [1.0]",
        "x * held[0][0]",
        "held[0][0] = 3.0",
    ),
    "the shape of an array": ("held = np.ones(3)", "x * held.ndim", "held.resize((3, 1), refcheck=False)"),
    "the dtype of an array": ("held = np.ones(1)", "x * held.dtype.itemsize", "held = held.astype('f4')"),
    "a polynomial of NumPy": ("p = np.poly1d([1.0, 2.0])", "x * p(2.0)", "p.coeffs[0] = 3.0"),
    "a module that the function imports": (
        "def read():\n    import settings_of_the_user\n    return settings_of_the_user.rate\n",
        "x * read()",
        "sys.modules['settings_of_the_user'].rate = 3.0",
    ),
}


def values(x: Any) -> list[float]:
    return xp.to_numpy(x).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_that_no_name_tells_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = types.ModuleType("settings_of_the_user")
    settings.rate = 1.0  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "settings_of_the_user", settings)
    setup, expression, change = CHANGES[name]
    scope: dict[str, Any] = {"__name__": "user"}
    exec(f"{IMPORTS}{setup}\ndef function(x): return {expression}\n", scope)
    fused = fuse(scope["function"])
    with xp.use_device("cpu"):
        x = xp.asarray([1.0, 2.0, 4.0])
        before = values(scope["function"](x))
        assert [values(fused(x)) for _ in range(3)] == [before] * 3
        exec(change, scope)
        after = values(scope["function"](x))
        assert after != before
        assert [values(fused(x)) for _ in range(3)] == [after] * 3


@pytest.mark.parametrize(
    ("setup", "expression"),
    [
        (CACHED.format("xp.ones(3)"), "x * table()"),
        (
            OBJECT.format("rate = functools.cached_property(lambda self: xp.ones(3))")
            + "C.rate.__set_name__(C, 'rate')",
            "x * c.rate",
        ),
    ],
    ids=["cache", "property"],
)
def test_arrays_of_the_recording_are_not_kept(setup: str, expression: str) -> None:
    scope: dict[str, Any] = {"__name__": "user"}
    exec(f"{IMPORTS}{setup}\ndef function(x): return {expression}\n", scope)
    with xp.use_device("cpu"):
        x = xp.asarray([1.0, 2.0, 4.0])
        with pytest.raises(TypeError, match="cannot change"):
            fuse(scope["function"])(x)
        assert values(scope["function"](x)) == [1.0, 2.0, 4.0]  # the function makes its own
        assert values(fuse(scope["function"])(x)) == [1.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("setup", "expression"),
    [
        ("q = queue.SimpleQueue()\nq.put(1.0)", "x * q.get()"),
        ("np.save(path, np.ones(3))", "x * np.load(path)"),
        ("np.save(path, np.ones(3))", "x * xp.load(path)"),
        ("np.ones(3).tofile(path)", "x * xp.asarray(np.fromfile(path))"),
    ],
    ids=["queue", "numpy.load", "load", "fromfile"],
)
def test_what_another_call_would_give_again_raises(setup: str, expression: str, tmp_path: Any) -> None:
    scope: dict[str, Any] = {"__name__": "user", "path": str(tmp_path / "w.npy")}
    exec(f"{IMPORTS}{setup}\ndef function(x): return {expression}\n", scope)
    with pytest.raises(TypeError, match="queue|calls"):
        fuse(scope["function"])(xp.ones(3, device="cpu"))


def test_a_users_module_may_begin_with_the_name_of_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("xtensor_models")
    monkeypatch.setitem(sys.modules, "xtensor_models", module)
    exec("RATE = 1.0\ndef helper(x): return x * RATE\n", module.__dict__)
    helper: Any = module.helper
    fused = fuse(lambda x: helper(x))
    x = xp.ones(2, device="cpu")
    assert values(fused(x)) == [1.0, 1.0]
    module.RATE = 3.0  # type: ignore[attr-defined]
    assert values(fused(x)) == [3.0, 3.0]


def test_a_class_may_have_a_descriptor_in_the_place_of_its_modules_name() -> None:
    """As Cython's classes have."""
    scope: dict[str, Any] = {"__name__": "user", "xp": xp}
    exec("class C:\n    __module__ = property(lambda self: 'user')\n    rate = 2.0\nc = C()", scope)
    exec("def function(x): return x * c.rate if hasattr(c, 'rate') else x", scope)
    fused = fuse(scope["function"])
    x = xp.ones(2, device="cpu")
    assert [values(fused(x)) for _ in range(2)] == [[2.0, 2.0]] * 2


def test_names_that_an_installed_package_lacks_are_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each name of ``hasattr`` for each function, class and member of the package would be thousands of guards."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    names = [f"name_{number}" for number in range(30)]
    parts = [
        "import enum, functools",
        "class Kind(enum.Enum):\n    FIRST = 1\n    SECOND = 2",
        *(f"class C{number}: pass" for number in range(10)),
        "@functools.lru_cache\ndef table(): return [1.0] * 100",
        f"def rate(value): return sum(hasattr(value, name) for name in {names}) + table()[0]",
        f"def helper(x): return x * (rate(Kind.FIRST) + {' + '.join(f'rate(C{number})' for number in range(10))})",
    ]
    (folder / "installed_package.py").write_text("\n".join(parts))
    monkeypatch.syspath_prepend(str(folder))
    fused = fuse(importlib.import_module("installed_package").helper)
    x = xp.ones(2, device="cpu")
    assert values(fused(x)) == [11.0, 11.0]
    ((recorded,),) = fused._plans.values()
    assert len(recorded.guards.exact) < 60
    assert not recorded.guards.states
