"""Names, methods and keywords of PyTorch, JAX and dask: the error says what xtensor has for them, and that exists."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import pytest

import xtensor as xp
from xtensor import nn, optim
from xtensor._core import remedies

DOCS = Path(__file__).resolve().parents[1] / "docs"

PAGES = {name: (DOCS / f"coming-from-{name}.md").read_text(encoding="utf-8") for name in ("pytorch", "jax")}

NAMES = [(library, name) for library, names in remedies.NAMESPACE.items() for name in names]

TEXTS = [
    *[
        text
        for table in (remedies.NAMESPACE, *remedies.CHAPTERS.values())
        for names in table.values()
        for text in names.values()
    ],
    *[text for _, text in remedies.ATTRIBUTES.values()],
    *[text for methods in remedies.METHODS.values() for text in methods.values()],
    *remedies.KEYWORDS.values(),
    *remedies.POSITIONAL.values(),
]


def found(path: str) -> object:
    """Return what a dotted path from the namespace names."""
    value: object = xp
    for part in path.split(".")[1:]:
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("text", TEXTS)
def test_remedy_names_what_exists(text):
    for path in re.findall(r"xtensor(?:\.\w+)+", text):
        assert found(path) is not None
    model = xp.nn.Linear(2, 2)
    objects = {"x": xp.ones(1), "model": model, "optimizer": xp.optim.SGD(model, lr=0.1)}
    for subject, name in re.findall(r"(?<![\w.])(x|model|optimizer)\.(\w+)", text):
        assert hasattr(objects[subject], name) or name == "name"


@pytest.mark.parametrize(("library", "name"), NAMES)
def test_name_of_another_library_has_its_remedy(library, name):
    remedy = remedies.NAMESPACE[library][name]
    with pytest.raises(AttributeError, match=re.escape(f"{library}'s {name} is {remedy}")):
        getattr(xp, name)


@pytest.mark.parametrize(
    ("module", "library", "name"),
    [
        (module, library, name)
        for module, libraries in remedies.CHAPTERS.items()
        for library, names in libraries.items()
        for name in names
    ],
)
def test_name_in_a_module_has_its_remedy(module, library, name):
    remedy = remedies.CHAPTERS[module][library][name]
    message = f"module '{module}' has no attribute '{name}'; {library}'s {name} is {remedy}"
    with pytest.raises(AttributeError, match=re.escape(message)):
        getattr(found(module), name)


@pytest.mark.parametrize("module", remedies.CHAPTERS)
def test_unknown_name_in_a_module_has_pythons_message(module):
    with pytest.raises(AttributeError, match=re.escape(f"module '{module}' has no attribute 'no_such_name'") + "$"):
        _ = found(module).no_such_name


@pytest.mark.parametrize("name", ["bernoulli", "categorical", "fold_in", "split"])
def test_random_function_of_another_library_has_its_remedy(name):
    with pytest.raises(AttributeError, match=re.escape("rng = xtensor.random.default_rng(seed)")):
        getattr(xp.random, name)


@pytest.mark.parametrize("name", remedies.ATTRIBUTES)
def test_attribute_of_another_librarys_array_has_its_remedy(name, device):
    library, remedy = remedies.ATTRIBUTES[name]
    x = xp.ones(2, device=device)
    with pytest.raises(AttributeError, match=re.escape(f"{library}'s x.{name} is {remedy}")):
        getattr(x, name)
    assert not hasattr(xp.Array, name)  # libraries recognise classes by such names
    assert name not in dir(x)


MODEL = nn.Linear(2, 2, rng=0)

OBJECTS = {"model": MODEL, "optimizer": optim.SGD(MODEL)}


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, methods in remedies.METHODS.items() for name in methods]
)
def test_method_of_pytorchs_modules_and_optimizers_has_its_remedy(kind, name):
    remedy = remedies.METHODS[kind][name]
    with pytest.raises(AttributeError, match=re.escape(f"PyTorch's {kind}.{name} is {remedy}")):
        getattr(OBJECTS[kind], name)
    assert name not in dir(OBJECTS[kind])
    for method in re.findall(rf"{kind}\.(\w+)\(", remedy):
        assert callable(getattr(OBJECTS[kind], method))


def test_module_has_a_method_that_its_class_defines():
    class Mine(nn.Module):
        def to(self, place):
            return place

    assert Mine().to(3) == 3
    assert "to" in dir(Mine())


@pytest.mark.parametrize(
    "call",
    [
        lambda x, **dim: xp.sum(x, **dim),
        lambda x, **dim: xp.median(x, **dim),
        lambda x, **dim: xp.linalg.norm(x, **dim),
        lambda x, **dim: xp.fft.fft(x, **dim),
        lambda x, **dim: xp.nn.functional.softmax(x, **dim),
        lambda x, **dim: xp.special.logsumexp(x, **dim),
        lambda x, **dim: x.sum(**dim),
        lambda x, **dim: x.cumsum(**dim),
    ],
)
def test_keyword_of_pytorch_names_the_standards(call, device):
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'dim'; PyTorch's dim= is axis="):
        call(xp.ones((2, 2), device=device), dim=0)


@pytest.mark.parametrize(
    ("call", "remedy"),
    [
        (
            lambda: xp.zeros(3, order="C"),
            "zeros() got an unexpected keyword argument 'order'; NumPy's order= is no param",
        ),
        (
            lambda: xp.reshape(xp.ones(4), (2, 2), order="F"),
            "NumPy's order= is no parameter: new Arrays are in row-major",
        ),
        (lambda: xp.sum(xp.ones(3), out=xp.ones(())), "NumPy's out= is a parameter of NumPy's function alone"),
        (lambda: xp.sort(xp.ones(3), kind="stable"), "NumPy's kind= is no parameter: every sort is stable"),
        (lambda: xp.clip(xp.ones(3), a_min=0.0), "NumPy's a_min= is min="),
    ],
    ids=["zeros", "reshape", "out", "kind", "a_min"],
)
def test_keyword_of_numpy_alone_names_the_remedy(call, remedy):
    with pytest.raises(TypeError, match=re.escape(remedy)):
        call()


def test_keyword_of_no_library_has_no_remedy():
    with pytest.raises(TypeError, match=r"^sum\(\) got an unexpected keyword argument 'colour'$"):
        xp.sum(xp.ones(2), colour=0)


def test_message_of_a_method_does_not_name_its_class():
    with pytest.raises(TypeError, match=r"^max\(\) got an unexpected keyword argument 'dim'; PyTorch's dim= is axis=$"):
        xp.ones(2).max(dim=0)


@pytest.mark.parametrize(
    ("call", "remedy"),
    [
        (lambda: xp.ones(2, 3), "pass shape as one tuple"),
        (lambda: xp.ones((2, 3), xp.float32), "use dtype='float32'"),
        (lambda: xp.permute_dims(xp.ones((2, 3)), 1, 0), "pass axes as one tuple"),
        (lambda: xp.concat(xp.ones(2), xp.ones(2)), "pass the arrays in one list"),
        (lambda: xp.sum(xp.ones(2), xp.ones(2)), "pass the others by name"),
        (lambda: xp.round(xp.ones(2), 2), r"NumPy's round\(x, decimals\) is x.round\(decimals\)"),
    ],
)
def test_arguments_by_position_have_a_remedy_that_fits_them(call, remedy):
    with pytest.raises(TypeError, match=remedy):
        call()


MARK = 8642.5
"""An element that no message may contain."""


@pytest.mark.parametrize(
    "call",
    [
        lambda x: xp.concat(x, x),
        lambda x: xp.sum(x, x),
        lambda x: xp.convolve(x, x, x),
        lambda x: xp.trim_zeros(x, [x]),
        lambda x: xp.fft.fft(x, norm=x),
        lambda x: xp.fft.fftn(x, s=[x]),
        lambda x: xp.fft.fft2(xp.ones((2, 2)), s=[x]),
        lambda x: xp.linalg.qr(xp.ones((2, 2)), mode=(x, x)),
        lambda x: xp.median(x, method=x),
        lambda x: xp.nn.functional.softmax(x, axis=[x]),
        lambda x: xp.random.default_rng(0).multivariate_normal([0.0], [[1.0]], method=x),
        lambda x: xp.zeros(x),
        lambda x: x["a", x],
        lambda x: xp.device(x),
        lambda x: xp.full(2, [x]),
    ],
)
def test_message_shows_dtype_and_shape_of_an_array_and_no_element(call):
    x = xp.asarray([MARK, MARK], device="numpy")
    with pytest.raises(Exception) as raised:  # noqa: PT011 - of any class
        call(x)
    assert "8642" not in str(raised.value)


@pytest.mark.parametrize("page", PAGES)
def test_page_names_what_exists(page):
    paths = re.findall(r"`(xp(?:\.\w+)+)", PAGES[page]) + re.findall(r"`(autograd\.\w+)", PAGES[page])
    assert len(paths) > 10
    for path in paths:
        assert found(path if path.startswith("xp.") else f"xtensor.{path}") is not None


@pytest.mark.parametrize("name", ["astype", "copy", "device", "numpy", "to_device"])
def test_method_that_the_pages_name_exists(name):

    assert hasattr(xp.ones(1), name)


def test_foreign_names_do_not_hinder_copies_of_an_array(device):
    x = xp.asarray([1.0, 2.0], device=device)
    assert xp.all(copy.deepcopy(x) == x)


@pytest.mark.parametrize("shape", [(-1,), (3, 1), ((3, 1),)])
def test_view_of_another_shape_has_its_remedy(shape):
    with pytest.raises(TypeError, match=re.escape("PyTorch's x.view(shape) is x.reshape(shape)")):
        xp.ones(3).view(*shape)


@pytest.mark.parametrize(
    ("kind", "name"), [("gpu", "cuda:0"), ("mps", "mlx:metal"), ("tpu:0", "jax:tpu:0"), ("xpu", "sycl:gpu:0")]
)
def test_device_of_another_library_has_its_remedy(kind, name):
    with pytest.raises(ValueError, match=f"there is no device '{kind}'; .*{name}.*; devices here: "):
        xp.device(kind)


def test_attributes_of_pytorchs_modules_and_optimizers_have_their_remedies():
    model = xp.nn.Linear(2, 2)
    for kind, subject in (("model", model), ("optimizer", xp.optim.SGD(model, lr=0.1))):
        for name, remedy in remedies.METHODS[kind].items():
            with pytest.raises(AttributeError, match=re.escape(f"{name} is {remedy}")):
                getattr(subject, name)
        with pytest.raises(AttributeError, match="has no attribute 'x'$"):
            _ = subject.x


@pytest.mark.parametrize("name", ["seed", "manual_seed", "PRNGKey", "RandomState"])
def test_seed_of_another_library_has_its_remedy(name):
    with pytest.raises(AttributeError, match=re.escape("rng = xtensor.random.default_rng(seed)")):
        getattr(xp.random, name)
