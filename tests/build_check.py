"""Build the wheel and the sdist, install each into a clean environment, and use it: ``tox -e build``.

The wheel has the compiled modules where there is a C compiler. Built where the compiler fails, it has none, and works.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

USE = """
import importlib.metadata, pathlib, sys
import xtensor as xp
assert pathlib.Path(xp.__file__).is_relative_to(sys.prefix), xp.__file__
x = xp.linspace(0.0, 1.0, 5, device="cpu")
assert float(xp.sum(x)) == 2.5
names = {point.name for point in importlib.metadata.entry_points(group="xtensor.backends")}
backends = {info.name for info in xp.backends()}
assert names | {"meta"} == backends and "numpy" in names, (names, backends)  # meta is built in
(point,) = importlib.metadata.entry_points(group="array_api", name="xtensor")
assert point.load() is xp
assert (pathlib.Path(xp.__file__).parent / "py.typed").exists()
print("backends:", ", ".join(sorted(backends)))
from xtensor._core.compiled import compiled, missing
assert (compiled is not None) == (sys.argv[1] == "compiled"), missing
print("calls:", sys.argv[1], missing)
"""


def run(*command: str | Path, cwd: Path, **variables: str) -> None:
    print("$", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, cwd=cwd, env=os.environ | variables)


def use(path: Path, scratch: Path, calls: str) -> None:
    """Install a wheel or sdist into a clean environment and use it."""
    environment = scratch / f"{path.name.replace('.', '-')}-{calls}"
    venv.create(environment, with_pip=True)
    python = environment / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", path, cwd=scratch)
    run(python, "-I", "-c", USE, calls, cwd=scratch)


def check_modules(wheel: Path, *, are_expected: bool) -> None:
    """Check that a wheel has the compiled modules, or has none, and that its tag says so."""
    names = [name for name in zipfile.ZipFile(wheel).namelist() if "_compiled." in name and not name.endswith(".pyi")]
    expected = {"xtensor/_core", "xtensor_backends/llvm"} if are_expected else set()
    if {name.rpartition("/")[0] for name in names} != expected or wheel.name.endswith("-none-any.whl") == are_expected:
        sys.exit(f"{wheel.name}: compiled modules of {sorted(expected)} are due, the wheel has {names}")


def main() -> None:
    # XTENSOR_COMPILED=1 makes the first build fail without a compiler, and turned off there is none to expect.
    compiler = os.environ.get("CC") or (sysconfig.get_config_var("CC") or "cl").split()[0]
    has_compiler = shutil.which(compiler) is not None and os.environ.get("XTENSOR_COMPILED") != "0"
    calls = "compiled" if has_compiler else "python"
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        run(sys.executable, "-m", "build", "--outdir", scratch / "dist", ROOT, cwd=scratch)
        built = sorted((scratch / "dist").iterdir())
        run(sys.executable, "-m", "twine", "check", "--strict", *built, cwd=scratch)
        (wheel,) = (path for path in built if path.suffix == ".whl")
        packages = {entry.split("/")[0] for entry in zipfile.ZipFile(wheel).namelist()}
        expected = {"xtensor", "xtensor_backends"}
        differing = {entry for entry in packages if not entry.endswith(".dist-info")} ^ expected
        if differing:
            sys.exit(f"the wheel's packages differ from the source's: {sorted(differing)}")
        run("check-wheel-contents", wheel, cwd=ROOT)
        check_modules(wheel, are_expected=has_compiler)
        for path in built:
            use(path, scratch, calls)
        broken = {"CC": str(scratch / "missing-compiler"), "XTENSOR_COMPILED": ""}
        if sys.platform != "win32":  # setuptools finds the compiler there without a variable
            run(sys.executable, "-m", "build", "--wheel", "--outdir", scratch / "broken", ROOT, cwd=scratch, **broken)
            (wheel,) = (scratch / "broken").iterdir()
            check_modules(wheel, are_expected=False)
            use(wheel, scratch, "python")


if __name__ == "__main__":
    main()
