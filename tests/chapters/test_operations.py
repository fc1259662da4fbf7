"""Table of operations: rows agree with the functions on every device, and a new operation is one declaration."""

from __future__ import annotations

import operator
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from arguments import call, call_conditions
from good_arguments import GOOD, public_function
from strategies import supported

import xtensor as xp
from xtensor.backend import TABLE

TEMPLATE = Path(__file__).resolve().parents[2] / "examples" / "backend_template"

ROWS = {
    name: row
    for name, row in TABLE.items()
    if row.declared
    and row.kind not in ("special", "network", "signal", "random", "composed", "assignment")
    and name not in ("complex_of", "may_have_infinity")
}


def arrays_in(value):
    """Return the Arrays in an argument or a dict of arguments, including those in sequences."""
    values = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else (value,)
    arrays = []
    for item in values:
        if isinstance(item, xp.Array):
            arrays.append(item)
        elif isinstance(item, (tuple, list)):
            arrays += arrays_in(item)
    return arrays


def test_every_row_is_declared():
    assert [name for name, row in TABLE.items() if not row.declared] == []


@pytest.mark.parametrize("name", ROWS)
def test_row_has_a_public_function(name):
    assert callable(public_function(name))


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.numpy])
def test_row_names_an_existing_numpy_function(name):
    function = np
    for part in ROWS[name].numpy.split("."):
        function = getattr(function, part)
    assert callable(function)


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.dtype not in ("argument", "several")])
def test_result_has_the_dtype_of_its_row(device, name):
    row, arguments = ROWS[name], GOOD[name]()
    with call_conditions(name):
        result = call(public_function(name), arguments)
    operands = [x.dtype for x in arrays_in(arguments)] or [device.default_dtypes["real floating"]]
    promoted = xp.result_type(*operands[: row.operands or 1]) if row.operands else operands[0]
    expected = {
        "promoted": promoted,
        "bool": np.dtype(bool),
        "component": np.finfo(promoted).dtype if promoted.kind in "fc" else promoted,
        "accumulated": promoted if promoted.kind in "fc" else device.default_dtypes["integral"],
        "complex": np.result_type(promoted, np.complex64),
        "byte": np.dtype(np.uint8),
        "double": np.result_type(promoted, device.default_dtypes["real floating"]),
        "index": device.default_dtypes["indexing"],
    }
    assert result.dtype == supported(expected[row.dtype], device)


@pytest.mark.parametrize(
    "name", [name for name, row in ROWS.items() if row.shape in ("broadcast", "same", "reduced", "stack")]
)
def test_result_has_the_shape_of_its_row(device, name):
    row, arguments = ROWS[name], GOOD[name]()
    with call_conditions(name):
        result = call(public_function(name), arguments)
    shapes = [x.shape for x in arrays_in(arguments)]
    if row.shape == "broadcast":
        expected = np.broadcast_shapes(*shapes)
    elif row.shape == "same":
        expected = shapes[0]
    else:
        expected = () if row.shape == "reduced" else shapes[0][:-2]
    assert result.shape == expected


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.kind == "elementwise" and row.operator])
def test_operator_of_a_row_returns_the_functions_result(name):
    row, x = ROWS[name], next(iter(GOOD[name]().values()))
    operands = (x,) * row.operands
    left, right = getattr(operator, row.operator)(*operands), public_function(name)(*operands)
    assert np.array_equal(np.asarray(left.to_device("cpu")), np.asarray(right.to_device("cpu")))


# -- profiles, tracebacks and warnings --------------------------------------------------------------------------------


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, check=True
    )


WARNING = """
import sys, types
code = compile('''import xtensor as xp
x = xp.asarray([0.0, 1.0], device="cpu")
for _ in range(3):
    {statement}
{statement}
''', "user.py", "exec")
module = types.ModuleType("user")
exec(code, module.__dict__)
"""


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("xp.log(x)", "divide by zero encountered in log"),
        ("1.0 / x", "divide by zero encountered in divide"),
        ("xp.nanmax(xp.log(x))", "divide by zero encountered in log"),
        ("xp.floor_divide(x, 0.0)", "encountered in floor_divide"),
        ("y = x + 1.0; y /= 0.0", "divide by zero encountered in divide"),
    ],
)
def test_warning_is_reported_once_for_each_line_of_user_code(statement, message):
    done = run(WARNING.format(statement=statement))
    lines = [line for line in done.stderr.splitlines() if message in line]
    # NumPy may warn of several kinds, of each once for a line.
    assert sorted({line.partition(": ")[0] for line in lines}) == ["user.py:4", "user.py:5"], done.stderr
    assert len(set(lines)) == len(lines), done.stderr
    assert "dispatch.py" not in done.stderr


def test_warning_filter_error_raises():
    code = """
        import warnings, xtensor as xp
        warnings.simplefilter("error")
        try:
            xp.log(xp.asarray(0.0, device="cpu"))
        except RuntimeWarning as error:
            print(error)
    """
    assert "divide by zero" in run(code).stdout


INPLACE = """
import numpy as np
import xtensor as xp

def array(values):
    return xp.asarray(np.array(values), device="cpu")

x, y = array([1.0, 4.0]), array([0.0, 2.0])
{statement}
print(x.tolist())
"""


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ("x /= y", [np.inf, 2.0]),
        ("x //= y", [np.inf, 2.0]),
        ("x[0] = 1e308; x *= x", [np.inf, 16.0]),
        ("x[0] = 1e308; x += x[::-1] * 1e308", [np.inf, np.inf]),
        ("x = array([1e308, 1e308, 1.0]); x[1:] += x[:-1]", [1e308, np.inf, 1e308]),
        ("x = array([1e308, 1e308, 1.0]); x += x[::-1]", [1e308, np.inf, 1e308]),
        ("x = array([[1e308, 1.0], [0.0, 1.0]]); x @= x", [[np.inf, 1e308], [0.0, 1.0]]),
        ("x = array([1.0, 2.0]).astype('float32'); x[0] = 1e300", [np.inf, 2.0]),
        ("x = array([1.0, 2.0]).astype('float32'); x[:] = array([1e300, 3.0])", [np.inf, 3.0]),
    ],
)
def test_inplace_result_is_written_with_its_warning(statement, values):
    done = run(INPLACE.format(statement=statement))
    assert done.stdout.strip() == str(values)
    assert "RuntimeWarning" in done.stderr


@pytest.mark.parametrize(
    "statement",
    [
        "xp.asarray(np.array([np.nan]), dtype=xp.int32, device='cpu')",
        "xp.astype(array([1e300]), xp.float32)",
        "xp.full((2,), 1e300, dtype=xp.float32, device='cpu')",
    ],
)
def test_cast_with_a_warning_returns_its_result(statement):
    assert "RuntimeWarning" in run(INPLACE.format(statement=statement)).stderr


# -- new operations, kernels and corrections --------------------------------------------------------------------------


def test_elementwise_function_is_one_declaration_and_its_composition():
    """A declaration and a composition are enough on every device, including open ones."""
    code = """
        import xtensor as xp
        from xtensor._ops.elementwise._declaration import unary

        x = xp.asarray([1.0, -2.0])

        def cube(xp, x):
            return xp.multiply(x, xp.multiply(x, x))

        @unary(accepts="numeric", composition=cube)
        def cubed(x, /):
            "Return the cube."

        print(cubed(x).tolist(), cubed.__doc__.splitlines()[0])
        print([cubed(xp.asarray([2.0], device=d)).to_device("cpu").tolist() for d in ("cpu", "plain:0")])
    """
    done = subprocess_with_plain(code)
    assert done.splitlines() == ["[1.0, -8.0] Return the cube.", "[[8.0], [8.0]]"]


def test_special_function_is_one_declaration():
    code = """
        import xtensor as xp
        from xtensor.special._declaration import special

        @special()
        def double_logit(x, /):
            "Return twice the logit."
            return 2 * (xp.log(x) - xp.log1p(-x))

        print(double_logit(xp.asarray([0.5, 0.5])).tolist())
    """
    assert subprocess_with_plain(code).strip() == "[0.0, 0.0]"


def test_kernel_is_one_function_of_an_overlay():
    """A kernel runs first; where it returns NotImplemented, the library's function runs."""
    code = """
        import xtensor as xp
        from xtensor.backend import Overlay
        from xtensor_backends.numpy import backend as numpy_backend

        class Kernels(Overlay):
            name = "kernels"
            kinds = ("kernels",)
            def probe(self):
                return "1"
            def devices(self):
                return ("kernels:0",)
            def storage(self, spec):
                return numpy_backend, "cpu"
            def rank(self, spec):
                return -100
            def kernels(self, spec):
                def add(x1, x2):
                    return NotImplemented if getattr(x2, "dtype", None) == "int64" else x1 * 100
                return {"add": add}

        xp.register_backend(Kernels())
        x = xp.asarray([1.0], device="kernels:0")
        print((x + x).tolist(), (x + xp.asarray([1], device="kernels:0")).tolist(), x.device)
        print(xp.device("kernels:0").implements("add"), xp.device("kernels:0").implements("nn.gelu"))
    """
    assert subprocess_with_plain(code).splitlines() == ["[100.0] [2.0] kernels:0", "True False"]


def test_correction_is_one_function_and_its_name_in_a_backend():
    code = """
        import xtensor as xp
        from xtensor.backend import CORRECTIONS
        from xtensor_plain import PlainBackend

        CORRECTIONS["sqrt"] = lambda xp, raw: lambda x: xp.add(raw(x), 1.0)

        class Corrected(PlainBackend):
            name = "corrected"
            kinds = ("corrected",)
            corrections = ("sqrt",)
            def devices(self):
                return ("corrected:0",)

        xp.register_backend(Corrected())
        print(xp.sqrt(xp.asarray([4.0], device="corrected:0")).tolist())
    """
    assert subprocess_with_plain(code).strip() == "[3.0]"


def test_backend_that_never_declines_is_not_asked_again():
    """The composition follows a function that returns NotImplemented, unless the backend states that none does."""
    code = """
        from types import SimpleNamespace
        import xtensor as xp
        from xtensor_plain import PlainBackend

        class Declines(PlainBackend):
            name = "declines"
            kinds = ("declines",)
            def devices(self):
                return (f"{self.name}:0",)
            def namespace(self, spec):
                return SimpleNamespace(**vars(super().namespace(spec)) | {"square": lambda x: NotImplemented})

        class NeverDeclines(Declines):
            name = "never"
            kinds = ("never",)
            may_decline = False

        for backend in (Declines(), NeverDeclines()):
            xp.register_backend(backend)
            try:
                print(xp.square(xp.asarray([3.0], device=f"{backend.name}:0")).tolist())
            except NotImplementedError as error:
                print(error)
    """
    composed, refused = subprocess_with_plain(code).splitlines()
    assert composed == "[9.0]"
    assert refused.startswith("square() has no implementation on device never:0 for these operands")


def test_function_that_a_backend_lacks_is_told_from_operands_that_it_does_not_take():
    code = """
        from types import SimpleNamespace
        import xtensor as xp
        from xtensor_plain import PlainBackend

        class Empty(PlainBackend):
            name = "empty"
            kinds = ("empty",)
            def devices(self):
                return ("empty:0",)
            def namespace(self, spec):
                return SimpleNamespace()

        xp.register_backend(Empty())
        x = xp.asarray([3.0], device="empty:0")
        for function in (xp.sum, xp.sin):
            try:
                function(x)
            except NotImplementedError as error:
                print(error)
    """
    for line, name in zip(subprocess_with_plain(code).splitlines(), ("sum", "sin"), strict=True):
        assert line.startswith(f"{name}() has no implementation on device empty:0: backend 'empty' lacks {name}; ")
        assert "xtensor.backend.primitives()" in line


def subprocess_with_plain(code: str) -> str:
    """Run a program with the template's device ``plain:0`` and return its output."""
    start = f"""
        import sys
        sys.path.insert(0, {str(TEMPLATE)!r})
        import xtensor as xp
        from xtensor_plain import backend
        if "plain" not in [info.name for info in xp.backends()]:
            xp.register_backend(backend)
    """
    return run(textwrap.dedent(start) + textwrap.dedent(code)).stdout
