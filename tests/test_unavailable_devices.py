"""Messages for devices that cannot be opened: an xtensor that is not installed, and which remedy comes first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from toy import ToyBackend

import xtensor as xp
from xtensor.backend import BackendUnavailableError, Overlay, import_library


class MissingKernels(Overlay):
    """Kernels of a library that is not installed, over the arrays of :class:`MissingArrays`."""

    name, kinds, requires = "toykernels", ("toy",), "toykernels"

    def probe(self):
        raise BackendUnavailableError("the kernels are not installed", "install the kernels")

    def devices(self):
        return ()

    def storage(self, spec):
        raise AssertionError

    def kernels(self, spec):
        return {}

    def rank(self, spec):
        return 30


def test_remedy_for_the_arrays_comes_before_the_remedy_for_kernels_over_them(registry):
    xp.register_backend(MissingKernels())
    xp.register_backend(ToyBackend(failure=BackendUnavailableError("the arrays are not installed", "install them")))
    with pytest.raises(BackendUnavailableError, match=r"the arrays are not installed.*the kernels are not installed"):
        xp.device("toy:0")


@pytest.mark.parametrize("call", ["xp.zeros(3)", "xp.device('cpu')", "xp.set_default_device('cuda')"])
def test_source_tree_that_is_not_installed_says_how_to_install_it(call, tmp_path):
    """The packages are imported from links, whose folder has no metadata of an installation."""
    for package in (Path(xp.__file__).parent, Path(np.__file__).parent, Path(np.__file__).parent.parent / "numpy.libs"):
        if package.exists():
            (tmp_path / package.name).symlink_to(package)
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import xtensor as xp; {call}"
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].startswith("xtensor._core.errors.BackendUnavailableError: there is no device")
    assert "is not installed, so that its backends are not registered" in done.stderr
    assert "nstall" in done.stderr.splitlines()[-1].rpartition(". ")[2]


LIBRARIES = {
    "xtensor_test_old": ("__version__ = '1.9.2'", "xtensor_test_old is 1.9.2, and 1.10 or newer is needed"),
    "xtensor_test_broken": ("raise OSError('libdriver.so is missing')", "OSError: libdriver.so is missing"),
    "xtensor_test_needs": ("import xtensor_test_none", "the module 'xtensor_test_none' is not installed"),
}
"""Modules that are no libraries to compute with: their text, and the reason that is told."""


@pytest.mark.parametrize("name", LIBRARIES)
def test_library_that_cannot_be_used_is_reported_with_the_remedy(name, tmp_path, monkeypatch):
    text, reason = LIBRARIES[name]
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BackendUnavailableError) as caught:
        import_library(name, (1, 10), f"{name}>=1.10")
    assert reason in caught.value.reason
    assert caught.value.remedy == f'python -m pip install "{name}>=1.10"'


def test_library_of_a_supported_version_is_imported(tmp_path, monkeypatch):
    (tmp_path / "xtensor_test_new.py").write_text("__version__ = '1.10.0rc1'")
    monkeypatch.syspath_prepend(tmp_path)
    module, version = import_library("xtensor_test_new", (1, 10), "xtensor_test_new>=1.10")
    assert (module.__name__, version) == ("xtensor_test_new", "1.10.0rc1")
