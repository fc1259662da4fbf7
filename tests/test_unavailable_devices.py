"""Messages for devices that cannot be opened: an xtensor that is not installed, and which remedy comes first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from toy import ToyBackend

import xtensor as xp
from xtensor.backend import BackendUnavailableError, Overlay


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
