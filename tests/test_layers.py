"""Layers of the package: imports go from higher to lower layers, without cycles."""

from __future__ import annotations

import ast
from pathlib import Path

import xtensor

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "xtensor"

LAYERS = (
    ("xtensor._core",),
    ("xtensor._fuse", "xtensor._meta", "xtensor.backend"),
    ("xtensor._estimate",),
    (
        "xtensor.linalg",
        "xtensor.fft",
        "xtensor.special",
        "xtensor.nn",
        "xtensor.random",
        "xtensor._ops",
        "xtensor._vmap",
        "xtensor.lib",
        "xtensor._numpy",
        "xtensor.autograd",
        "xtensor.engines",
        "xtensor.optim",
    ),
    ("xtensor._advice",),
    (
        "xtensor",
        "xtensor.__main__",
        "xtensor._doctor",
        "xtensor._integration",
        "xtensor.dask",
        "xtensor.einops",
        "xtensor.nn.__main__",
    ),
)
"""Parts of the package, lowest layer first."""

OPTIONAL = {
    "ml_dtypes": "optional, and a quarter of NumPy's import",
    "scipy": "optional, and as costly to import as NumPy",
    "scipy.special": "optional, and as costly to import as NumPy",
    "importlib.metadata": "costs as much as the rest of `import xtensor`",
    "matplotlib.pyplot": "optional: the plot of losses",
    "pyarrow": "optional, and as costly to import as NumPy",
    "tokenizers": "optional: the tokens of language models",
    "jinja2": "optional: templates of conversations",
    "jinja2.ext": "optional: templates of conversations",
    "jinja2.sandbox": "optional: templates of conversations",
    "tqdm.auto": "optional: the progress bar of batches",
    "dis": "needed only where an expression has large temporaries",
    "logging": "needed only by a transfer that is logged",
    "signal": "needed only while the library of a device is imported",
    "dataclasses": "needed only for those of a user, and with them a twentieth of `import xtensor`",
    "threading": "needed only while the library of a device is imported",
    "xtensor._core.device_info": "needed only where somebody asks for information; its named tuples are costly to make",
    "xtensor._core.functions": "needed only where a device is opened; it imports the corrections",
    "xtensor._core.rates": "needed only where a device is chosen; it imports pathlib and json",
}
"""Modules that functions import, with the reason."""


def modules() -> dict[str, Path]:
    """Return the files of the package's modules by dotted name."""
    paths = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


MODULES = modules()


def layer(module: str) -> int:
    """Return the number of a module's layer, that of the longest part that contains it."""
    parts = [(len(part), number) for number, names in enumerate(LAYERS) for part in names if within(module, part)]
    return max(parts)[1]


def within(module: str, part: str) -> bool:
    return module == part or (part != "xtensor" and module.startswith(f"{part}."))


def resolve(module: str, node: ast.ImportFrom) -> str:
    """Return the absolute name of a relative import's module."""
    package = module.split(".") if MODULES[module].name == "__init__.py" else module.split(".")[:-1]
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, *(node.module.split(".") if node.module else [])])


def imports(module: str, *, inside_functions: bool = False, for_type_checkers: bool = False) -> list[tuple[str, int]]:
    """Return the imported modules and their lines, with or without those for type checkers."""
    imported: list[tuple[str, int]] = []

    def visit(node: ast.AST, in_function: bool) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) and not for_type_checkers:
            for child in node.orelse:
                visit(child, in_function)
            return
        inner = in_function or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        if in_function == inside_functions:
            if isinstance(node, ast.Import):
                imported.extend((alias.name, node.lineno) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                target = resolve(module, node) if node.level else str(node.module)
                names = [f"{target}.{alias.name}" for alias in node.names]
                imported.extend((name if name in MODULES else target, node.lineno) for name in names)
        for child in ast.iter_child_nodes(node):
            visit(child, inner)

    visit(ast.parse(MODULES[module].read_text(encoding="utf-8")), False)
    return list(dict.fromkeys(imported))


def refuse_cycles(graph: dict[str, list[str]]) -> None:
    """Fail where modules import each other."""
    state: dict[str, int] = {}

    def walk(module: str, path: tuple[str, ...]) -> None:
        assert state.get(module) != 1, f"import cycle: {' → '.join((*path[path.index(module) :], module))}"
        if state.get(module) == 2:
            return
        state[module] = 1
        for target in graph[module]:
            walk(target, (*path, module))
        state[module] = 2

    for module in graph:
        walk(module, ())


def test_modules_import_lower_layers_only():
    violations = [
        f"{module}:{line} imports {target}"
        for module in MODULES
        for target, line in imports(module)
        if target in MODULES and target != module and layer(target) > layer(module)
    ]
    assert not violations


def test_imports_have_no_cycle():
    refuse_cycles(
        {
            module: [
                target
                for target, _ in imports(module)
                # A package and its own parts count as one module.
                if target in MODULES and not within(module, target) and target != module
            ]
            for module in MODULES
        }
    )


def test_annotations_make_no_cycle():
    """Those of the class Array are excepted, as what it is built on returns it; so are vmap's rules of its transform.

    Namespaces whose names are imported later show all of them to type checkers, which is no import of a reader's.
    """
    annotated = {"xtensor._core.array", "xtensor._core.annotations", "xtensor._vmap.batching"}
    namespaces = {"xtensor", "xtensor._ops", "xtensor.linalg", "xtensor.special"}
    refuse_cycles(
        {
            module: [
                target
                for target, _ in imports(module, for_type_checkers=module not in namespaces)
                if target in MODULES and not within(module, target) and target not in {module, *annotated}
            ]
            for module in MODULES
        }
    )


def test_imports_inside_functions_are_of_optional_libraries():
    hidden = [
        f"{module}:{line} imports {name}"
        for module in MODULES
        for name, line in imports(module, inside_functions=True)
        if name not in OPTIONAL
    ]
    assert not hidden


def test_no_module_uses_the_table_of_modules():
    assert not [module for module, path in MODULES.items() if "sys.modules[" in path.read_text(encoding="utf-8")]


def test_modules_are_short():
    # The project's folders: a checkout may also hold a virtual environment.
    most = {"xtensor": 500, "xtensor_backends": 500}
    lengths = {
        path.relative_to(ROOT): len(path.read_text(encoding="utf-8").splitlines())
        for folder in ("benchmarks", "conformance", "docs", "examples", "tests", *most)
        for path in (ROOT / folder).rglob("*.py")
    }
    assert len(lengths) > 500
    assert not {str(path): length for path, length in lengths.items() if length > most.get(path.parts[0], 600)}


def test_backends_import_the_contract_only():
    violations = []
    for path in sorted((ROOT / "xtensor_backends").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            node.module
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module and not node.level
        } | {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        own = {name for name in imported if name == "xtensor" or name.startswith("xtensor.")}
        violations += [f"{path.relative_to(ROOT)} imports {name}" for name in own - {"xtensor.backend"}]
    assert not violations


NAMING_BFLOAT16 = {
    "xtensor/__init__.py": "annotation of the attribute",
    "xtensor/_core/dtypes.py": "table of dtypes",
    "xtensor/_core/foreign_attributes.py": "names of PyTorch's methods",
    "xtensor/nn/__main__.py": "choices of an option",
    "xtensor/nn/modules/precision.py": "choices of an option",
    "xtensor/nn/modules/storage.py": "codes of a file format",
    "xtensor_backends/cupy/_products.py": "data types of cuBLAS",
    "xtensor_backends/torch/_elementwise.py": "a function of NumPy on torch's memory",
    "xtensor_backends/triton/_attention.py": "dtypes of tensor cores",
    "xtensor_backends/triton/_attention_kernels.py": "dtypes of tensor cores",
    "xtensor_backends/triton/_dtypes.py": "Triton's dtypes",
    "xtensor_backends/triton/_kernels.py": "Triton's dtypes",
}
"""Modules whose code names the dtype, and the reason; all others take the properties of a dtype from the table."""


def test_code_names_bfloat16_only_where_no_property_of_the_dtype_would_do():
    naming = set()
    for folder in ("xtensor", "xtensor_backends"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = (getattr(node, attribute, None) for attribute in ("attr", "id", "value"))
                if "bfloat16" in [name for name in names if isinstance(name, str)]:
                    naming.add(path.relative_to(ROOT).as_posix())
    assert naming == set(NAMING_BFLOAT16)


def test_no_module_of_operations_hides_a_function_of_the_namespace() -> None:
    """The import of a module makes it an attribute of its package, in the place of a function of the same name."""
    modules = {path.stem for path in (PACKAGE / "_ops").glob("[!_]*.py")}
    assert [name for name in sorted(modules) if callable(getattr(xtensor, name, None))] == []
