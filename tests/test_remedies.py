"""Remedies that install a library: they work where xtensor itself was installed from a checkout or a wheel."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from toy import ToyBackend

import xtensor as xp
from xtensor._core.dtypes import ML_DTYPES_REMEDY
from xtensor.backend import install_command
from xtensor.special._declaration import INSTALL_SCIPY

ROOT = Path(__file__).resolve().parents[1]

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]

SOURCES = [path for folder in ("xtensor", "xtensor_backends") for path in sorted((ROOT / folder).rglob("*.py"))]


def requirements(extra: str) -> list[str]:
    """Return the requirements of an extra without their markers."""
    return [item.partition(";")[0].strip() for item in EXTRAS[extra]]


def test_command_quotes_each_requirement():
    assert install_command("a>=1", "b") == 'python -m pip install "a>=1" "b"'
    assert install_command("a>=1", upgrade=True) == 'python -m pip install --upgrade "a>=1"'


@pytest.mark.parametrize(
    ("module", "extra"),
    [
        ("xtensor_backends.strict", "strict"),
        ("xtensor_backends.dpnp", "dpnp"),
        ("xtensor_backends.cupy", "cuda12"),
        ("xtensor_backends.triton", "triton"),
    ],
)
def test_backend_requires_what_its_extra_installs(module, extra):
    assert import_module(module).backend.requires == requirements(extra)[0]


def test_remedy_for_cupy_names_the_requirement_of_each_kind_of_gpu():
    remedy = import_module("xtensor_backends.cupy").REMEDY
    assert remedy.startswith(install_command(*requirements("cuda12")))
    expected = [item for extra in ("cuda12", "cuda13", "rocm") for item in requirements(extra)]
    assert re.findall(r'"([^"]+)"', remedy) == expected


def test_remedies_for_optional_libraries_name_the_requirements_of_their_extras():
    assert install_command(*requirements("special")) == INSTALL_SCIPY
    assert install_command(*requirements("bfloat16")) == ML_DTYPES_REMEDY


def test_backend_without_devices_has_its_requirement_as_the_remedy(registry):
    class Empty(ToyBackend):
        requires = "toylib>=2"

        def devices(self):
            return ()

    xp.register_backend(Empty())
    (info,) = [info for info in xp.backends() if info.name == "toy"]
    assert info.remedy == 'python -m pip install "toylib>=2"'


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_message_installs_an_extra_of_xtensor(path):
    assert not re.search(r"install[^\n]*xtensor\[", path.read_text(encoding="utf-8"))
