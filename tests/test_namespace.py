"""Names and signatures of the namespace: those of the standard, those about devices, and no undocumented ones."""

from __future__ import annotations

import inspect
import re
import types
import typing
from itertools import chain

import numpy as np
import pytest

import xtensor as xp
from xtensor import _ops
from xtensor.backend import TABLE

BEYOND = sorted(["cross", *(name for names in _ops.NUMPY.values() for name in names)])
"""Functions of the namespace beyond the standard."""


def words(text: str) -> list[str]:
    return text.split()


UNARY = words(
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan "
    "log log10 log1p log2 logical_not negative positive real reciprocal round sign signbit sin sinh sqrt square tan "
    "tanh trunc"
)
BINARY = words(
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal "
    "floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum "
    "minimum multiply nextafter not_equal pow remainder subtract"
)

LINALG_BEYOND = words("cond lstsq multi_dot norm solve_triangular tensorinv tensorsolve")
FFT_BEYOND = words("fft2 ifft2 irfft2 rfft2")
"""Functions of the extensions beyond the standard."""

MATRICES = {
    "matmul": "x1, x2, /",
    "matrix_transpose": "x, /",
    "tensordot": "x1, x2, /, *, axes=2",
    "vecdot": "x1, x2, /, *, axis=-1",
}

CHAPTERS: dict[str, dict[str, str]] = {
    "Creation Functions": {
        "arange": "start, /, stop=None, step=1, *, dtype=None, device=None",
        "asarray": "obj, /, *, dtype=None, device=None, copy=None",
        "empty": "shape, *, dtype=None, device=None",
        "empty_like": "x, /, *, dtype=None, device=None",
        "eye": "n_rows, n_cols=None, /, *, k=0, dtype=None, device=None",
        "from_dlpack": "x, /, *, device=None, copy=None",
        "full": "shape, fill_value, *, dtype=None, device=None",
        "full_like": "x, /, fill_value, *, dtype=None, device=None",
        "linspace": "start, stop, /, num, *, dtype=None, device=None, endpoint=True",
        "meshgrid": "*arrays, indexing='xy'",
        "ones": "shape, *, dtype=None, device=None",
        "ones_like": "x, /, *, dtype=None, device=None",
        "tril": "x, /, *, k=0",
        "triu": "x, /, *, k=0",
        "zeros": "shape, *, dtype=None, device=None",
        "zeros_like": "x, /, *, dtype=None, device=None",
    },
    "Data Type Functions": {
        "astype": "x, dtype, /, *, copy=True, device=None",
        "can_cast": "from_, to, /",
        "finfo": "type, /",
        "iinfo": "type, /",
        "isdtype": "dtype, kind",
        "result_type": "*arrays_and_dtypes",
    },
    "Element-wise Functions": {
        **dict.fromkeys(UNARY, "x, /"),
        **dict.fromkeys(BINARY, "x1, x2, /"),
        "clip": "x, /, min=None, max=None",
    },
    "Indexing Functions": {
        "take": "x, indices, /, *, axis=None",
        "take_along_axis": "x, indices, /, *, axis=-1",
    },
    "Inspection": {"__array_namespace_info__": ""},
    "Linear Algebra Functions": MATRICES,
    "Manipulation Functions": {
        "broadcast_arrays": "*arrays",
        "broadcast_shapes": "*shapes",
        "broadcast_to": "x, /, shape",
        "concat": "arrays, /, *, axis=0",
        "expand_dims": "x, /, axis",
        "flip": "x, /, *, axis=None",
        "moveaxis": "x, source, destination, /",
        "permute_dims": "x, /, axes",
        "repeat": "x, repeats, /, *, axis=None",
        "reshape": "x, /, shape, *, copy=None",
        "roll": "x, /, shift, *, axis=None",
        "squeeze": "x, /, axis",
        "stack": "arrays, /, *, axis=0",
        "tile": "x, repetitions, /",
        "unstack": "x, /, *, axis=0",
    },
    "Searching Functions": {
        "argmax": "x, /, *, axis=None, keepdims=False",
        "argmin": "x, /, *, axis=None, keepdims=False",
        "count_nonzero": "x, /, *, axis=None, keepdims=False",
        "nonzero": "x, /",
        "searchsorted": "x1, x2, /, *, side='left', sorter=None",
        "where": "condition, x1, x2, /",
    },
    "Set Functions": {
        "isin": "x1, x2, /, *, invert=False",
        "unique_all": "x, /",
        "unique_counts": "x, /",
        "unique_inverse": "x, /",
        "unique_values": "x, /",
    },
    "Sorting Functions": {
        "argsort": "x, /, *, axis=-1, descending=False, stable=True",
        "sort": "x, /, *, axis=-1, descending=False, stable=True",
    },
    "Statistical Functions": {
        "cumulative_prod": "x, /, *, axis=None, dtype=None, include_initial=False",
        "cumulative_sum": "x, /, *, axis=None, dtype=None, include_initial=False",
        "max": "x, /, *, axis=None, keepdims=False",
        "mean": "x, /, *, axis=None, keepdims=False",
        "min": "x, /, *, axis=None, keepdims=False",
        "prod": "x, /, *, axis=None, dtype=None, keepdims=False",
        "std": "x, /, *, axis=None, correction=0.0, keepdims=False",
        "sum": "x, /, *, axis=None, dtype=None, keepdims=False",
        "var": "x, /, *, axis=None, correction=0.0, keepdims=False",
    },
    "Utility Functions": {
        "all": "x, /, *, axis=None, keepdims=False",
        "any": "x, /, *, axis=None, keepdims=False",
        "diff": "x, /, *, axis=-1, n=1, prepend=None, append=None",
    },
}
"""Signatures of the standard's functions, by chapter."""

LINALG: dict[str, str] = {
    **dict.fromkeys(words("det eig eigh eigvals eigvalsh inv slogdet svdvals"), "x, /"),
    **MATRICES,
    "cholesky": "x, /, *, upper=False",
    "cross": "x1, x2, /, *, axis=-1",
    "diagonal": "x, /, *, offset=0",
    "matrix_norm": "x, /, *, keepdims=False, ord='fro'",
    "matrix_power": "x, n, /",
    "matrix_rank": "x, /, *, rtol=None",
    "outer": "x1, x2, /",
    "pinv": "x, /, *, rtol=None",
    "qr": "x, /, *, mode='reduced'",
    "solve": "x1, x2, /",
    "svd": "x, /, *, full_matrices=True",
    "trace": "x, /, *, offset=0, dtype=None",
    "vector_norm": "x, /, *, axis=None, keepdims=False, ord=2",
}

FFT: dict[str, str] = {
    **dict.fromkeys(words("fft hfft ifft ihfft irfft rfft"), "x, /, *, n=None, axis=-1, norm='backward'"),
    **dict.fromkeys(words("fftn ifftn irfftn rfftn"), "x, /, *, s=None, axes=None, norm='backward'"),
    **dict.fromkeys(words("fftfreq rfftfreq"), "n, /, *, d=1.0, dtype=None, device=None"),
    **dict.fromkeys(words("fftshift ifftshift"), "x, /, *, axes=None"),
}

CONSTANTS = words("e inf nan newaxis pi")
DTYPES = words("bool complex128 complex64 float32 float64 int16 int32 int64 int8 uint16 uint32 uint64 uint8")
EXTENSIONS = words("fft linalg")

DEVICES: dict[str, str] = {
    "backends": "",
    "best_device": "function=None, /, *args, min_free_memory=0, **kwargs",
    "default_device": "",
    "device": "spec",
    "devices": "",
    "register_backend": "backend",
    "set_backend_priority": "names",
    "set_default_device": "spec",
    "use_device": "spec",
}
"""Signatures of the functions about devices, which are beyond the standard."""

OWN = (
    *("Array", "Device", "estimate", "fuse", "profile", "to_numpy", "transfers", "vmap"),
    *("BackendUnavailableError", "DeviceMismatchError", "OutOfMemoryError", "UnknownValueError"),
    *("__array_api_version__", "__version__"),
    "float16",
    *("autograd", "engines", "lib", "nn", "optim", "random", "special"),
    *BEYOND,
    # Elementwise functions beyond the standard, of which the table has a row.
    *(name for name, row in TABLE.items() if row.kind == "elementwise" and row.numpy),
)

FUNCTIONS = {
    **{name: (getattr(xp, name), signature) for chapter in CHAPTERS.values() for name, signature in chapter.items()},
    **{f"linalg.{name}": (getattr(xp.linalg, name), signature) for name, signature in LINALG.items()},
    **{f"fft.{name}": (getattr(xp.fft, name), signature) for name, signature in FFT.items()},
}
"""Every function of the standard, with its signature in the standard."""

SECTION = {
    **{name: chapter for chapter, functions in CHAPTERS.items() for name in functions},
    **{f"linalg.{name}": "Linear Algebra Extension" for name in LINALG},
    **{f"linalg.{name}": "Linear Algebra Functions" for name in MATRICES},
    **{f"fft.{name}": "Fourier Transform Extension" for name in FFT},
}


def signature_text(function: typing.Any) -> str:
    """Return a function's signature without annotations and parentheses."""
    signature = inspect.signature(function)
    parameters = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))[1:-1]


def test_dir_lists_exactly_the_documented_names():
    standard = {*chain.from_iterable(CHAPTERS.values()), *CONSTANTS, *DTYPES, *EXTENSIONS}
    assert sorted(dir(xp)) == sorted({*standard, *DEVICES, *OWN})


def test_dir_of_linalg_lists_exactly_the_documented_names():
    assert sorted(dir(xp.linalg)) == sorted((*LINALG, *LINALG_BEYOND))


def test_dir_of_fft_lists_exactly_the_documented_names():
    assert sorted(dir(xp.fft)) == sorted((*FFT, *FFT_BEYOND))


@pytest.mark.parametrize("module", [xp, xp.linalg, xp.fft], ids=lambda module: module.__name__)
def test_dir_equals_all_without_duplicates(module):
    assert sorted(module.__all__) == sorted(dir(module))
    assert len(set(module.__all__)) == len(module.__all__)


EXTENDED = {
    "all": "x, /, *, axis=None, keepdims=False, out=None",
    "any": "x, /, *, axis=None, keepdims=False, out=None",
    "diff": "x, /, n=1, *, axis=-1, prepend=None, append=None",
    "empty_like": "x, /, *, dtype=None, device=None, shape=None",
    "full_like": "x, /, fill_value, *, dtype=None, device=None, shape=None",
    "mean": "x, /, *, axis=None, keepdims=False, dtype=None",
    "ones_like": "x, /, *, dtype=None, device=None, shape=None",
    "squeeze": "x, /, axis=None",
    "std": "x, /, *, axis=None, correction=0.0, keepdims=False, ddof=None",
    "var": "x, /, *, axis=None, correction=0.0, keepdims=False, ddof=None",
    "where": "condition, x1=None, x2=None, /",
    "zeros_like": "x, /, *, dtype=None, device=None, shape=None",
}
"""Signatures that also accept NumPy's calls ``diff(x, 2)``, ``where(c)``, ``std(x, ddof=1)``, ``any(x, out=None)``,
``mean(x, dtype=…)``, ``squeeze(x)`` and ``ones_like(x, shape=…)``."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signature_is_that_of_the_standard(name):
    function, signature = FUNCTIONS[name]
    assert signature_text(function) == EXTENDED.get(name, signature)


@pytest.mark.parametrize("name", DEVICES)
def test_signature_of_device_function_is_as_documented(name):
    assert signature_text(getattr(xp, name)) == DEVICES[name]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstring_names_the_standards_section(name):
    text = " ".join(inspect.getdoc(FUNCTIONS[name][0]).split())
    assert f"Standard 2025.12, {SECTION[name]}" in text


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstring_describes_every_parameter(name):
    function = FUNCTIONS[name][0]
    text = inspect.getdoc(function)
    for parameter in inspect.signature(function).parameters:
        assert parameter in text, f"{parameter} is not described"


@pytest.mark.parametrize("name", [*FUNCTIONS, *DEVICES])
def test_every_parameter_and_the_result_are_annotated(name):
    function = FUNCTIONS[name][0] if name in FUNCTIONS else getattr(xp, name)
    signature = inspect.signature(function)
    annotations = {parameter.name: parameter.annotation for parameter in signature.parameters.values()}
    annotations["return"] = signature.return_annotation
    assert [key for key, annotation in annotations.items() if annotation is inspect.Parameter.empty] == []


@pytest.mark.parametrize("name", [*FUNCTIONS, *DEVICES, *("Array", "Device", "transfers")])
def test_function_has_its_public_name_and_a_docstring(name):
    documented = FUNCTIONS[name][0] if name in FUNCTIONS else getattr(xp, name)
    assert documented.__name__ == name.rpartition(".")[2]
    assert inspect.getdoc(documented)


@pytest.mark.parametrize("name", MATRICES)
def test_linalg_shares_the_main_namespaces_function(name):
    assert getattr(xp.linalg, name) is getattr(xp, name)


CONSTANT_VALUES = {"e": np.e, "inf": np.inf, "newaxis": None, "pi": np.pi}


@pytest.mark.parametrize("name", CONSTANT_VALUES)
def test_constant_has_its_value(name):
    assert getattr(xp, name) == CONSTANT_VALUES[name]


def test_nan_is_a_float_unequal_to_itself():
    assert isinstance(xp.nan, float)
    assert xp.nan != xp.nan


@pytest.mark.parametrize("name", [*DTYPES, "float16"])
def test_dtype_is_a_numpy_dtype(name):
    assert isinstance(getattr(xp, name), np.dtype)
    assert getattr(xp, name) == np.dtype(name)


ARRAY_METHODS: dict[str, str] = {
    **dict.fromkeys(words("__abs__ __bool__ __complex__ __dlpack_device__ __float__ __index__ __int__"), "self, /"),
    **dict.fromkeys(words("__invert__ __neg__ __pos__"), "self, /"),
    **dict.fromkeys(words("__eq__ __ge__ __gt__ __le__ __lt__ __ne__"), "self, other, /"),
    **{
        f"__{prefix}{name}__": "self, other, /"
        for name in words("add and floordiv lshift matmul mod mul or pow rshift sub truediv xor")
        for prefix in ("", "r", "i")
    },
    "__array_namespace__": "self, /, *, api_version=None",
    "__dlpack__": "self, /, *, stream=None, max_version=None, dl_device=None, copy=None",
    "__getitem__": "self, key, /",
    "__setitem__": "self, key, value, /",
}

ARRAY_ATTRIBUTES = words("T device dtype mT ndim shape size")


@pytest.mark.parametrize("name", ARRAY_METHODS)
def test_signature_of_array_method_is_that_of_the_standard(name):
    assert signature_text(getattr(xp.Array, name)) == ARRAY_METHODS[name]


def test_device_parameter_of_to_device_is_positional_only():
    parameters = list(inspect.signature(xp.Array.to_device).parameters.values())
    assert [parameter.kind for parameter in parameters] == [
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.KEYWORD_ONLY,
    ]
    assert (parameters[2].name, parameters[2].default) == ("stream", None)


@pytest.mark.parametrize("name", ARRAY_ATTRIBUTES)
def test_array_attribute_is_a_documented_property(name):
    attribute = inspect.getattr_static(xp.Array, name)
    assert inspect.isdatadescriptor(attribute)
    assert attribute.__doc__


@pytest.mark.parametrize("name", ARRAY_ATTRIBUTES)
def test_array_attribute_is_read_only(device, name):
    x = xp.ones((2, 2))
    with pytest.raises(AttributeError):
        setattr(x, name, 1)


def test_version_of_the_standard():
    assert xp.__array_api_version__ == "2025.12"


@pytest.mark.parametrize("version", [None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"])
def test_array_namespace_accepts_every_published_version(device, version):
    assert xp.ones(1).__array_namespace__(api_version=version) is xp


@pytest.mark.parametrize("version", ["", "2020.12", "2026.12", "2025.1", 2025.12, b"2025.12", ("2025.12",)], ids=repr)
def test_array_namespace_refuses_unknown_versions(device, version):
    with pytest.raises(ValueError, match="version"):
        xp.ones(1).__array_namespace__(api_version=version)


def test_namespace_is_a_module():
    assert isinstance(xp.ones(1).__array_namespace__(), types.ModuleType)


NAMED = [
    name
    for name, (function, _) in FUNCTIONS.items()
    if any(item.kind is item.KEYWORD_ONLY for item in inspect.signature(function).parameters.values())
    and not any(item.kind is item.VAR_POSITIONAL for item in inspect.signature(function).parameters.values())
]
"""The standard's functions with parameters that are given by name."""


@pytest.mark.parametrize("name", NAMED)
def test_argument_that_is_given_by_name_is_refused_by_position(name):
    function, _ = FUNCTIONS[name]
    before = [item for item in inspect.signature(function).parameters.values() if item.kind is not item.KEYWORD_ONLY]
    with pytest.raises(TypeError, match=re.escape(f"but {len(before) + 1} were given; ")) as error:
        function(*[None] * (len(before) + 1))
    assert str(error.value).endswith(f": {function.__name__}({signature_text(function)})")


@pytest.mark.parametrize(
    ("name", "arguments", "remedy"),
    [
        ("sum", (0,), "1 positional argument but 2 were given; use axis=0: sum(x, /, *, axis=None, dtype=None,"),
        ("sum", ((0, 1), "float32"), "1 positional argument but 3 were given; use axis=(0, 1), dtype='float32': "),
        ("sort", (1,), "use axis=1: "),
        ("concat", (1,), "use axis=1: "),
        ("tril", (-1,), "use k=-1: "),
        ("diff", (1, 0), "from 1 to 2 positional arguments but 3 were given; use axis=0: "),
        ("zeros", (float,), "use dtype=<class 'float'>: "),
        ("asarray", (float,), "use dtype=<class 'float'>: "),
        ("take", ([0], 0), "2 positional arguments but 3 were given; use axis=0: "),
        ("reshape", ((4,), "F"), "2 positional arguments but 3 were given; pass the others by name: reshape("),
        ("linalg.svd", (False,), "use full_matrices=False: "),
        ("fft.fft", (4, 1), "use n=4, axis=1: "),
    ],
)
def test_error_names_the_parameter_at_that_position_in_numpy(name, arguments, remedy):
    with pytest.raises(TypeError, match=re.escape(remedy)):
        FUNCTIONS[name][0](xp.ones((2, 2), device="cpu"), *arguments)
