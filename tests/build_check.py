"""Build the wheel and the sdist, install each into a clean environment, and use it: ``tox -e build``."""

from __future__ import annotations

import subprocess
import sys
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
"""


def run(*command: str | Path, cwd: Path) -> None:
    print("$", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, cwd=cwd)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        run(sys.executable, "-m", "build", "--outdir", scratch / "dist", ROOT, cwd=scratch)
        built = sorted((scratch / "dist").iterdir())
        run(sys.executable, "-m", "twine", "check", "--strict", *built, cwd=scratch)
        (wheel,) = (path for path in built if path.suffix == ".whl")
        packages = {entry.split("/")[0] for entry in zipfile.ZipFile(wheel).namelist()}
        expected = {"xtensor", *(path.name for path in (ROOT / "backends").iterdir() if path.is_dir())}
        differing = {entry for entry in packages if not entry.endswith(".dist-info")} ^ expected
        if differing:
            sys.exit(f"the wheel's packages differ from the source's: {sorted(differing)}")
        for path in built:
            environment = scratch / path.name.replace(".", "-")
            venv.create(environment, with_pip=True)
            python = environment / ("Scripts" if sys.platform == "win32" else "bin") / "python"
            run(python, "-m", "pip", "install", "--quiet", path, cwd=scratch)
            run(python, "-I", "-c", USE, cwd=scratch)


if __name__ == "__main__":
    main()
