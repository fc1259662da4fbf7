"""Backend of NumPy arrays on a device off the host, so that tests of a second device run on every machine."""

from __future__ import annotations

import numpy as np

from xtensor.backend import Backend


class NumpyWith:
    """NumPy backend's namespace with some functions replaced, or removed if None."""

    def __init__(self, **functions):
        vars(self).update(functions)

    def __getattr__(self, name):
        from xtensor_backends.numpy import _namespace

        return getattr(_namespace, name)


class ToyBackend(Backend):
    """NumPy arrays on devices of the kind ``toy``."""

    kinds = ("toy",)
    requires = "toylib"

    def __init__(self, name="toy", specs=("toy:0", "toy:1"), rank=-50, failure=None):
        self.name = name
        self._specs, self._rank, self._failure = specs, rank, failure
        self.probed = 0

    def probe(self):
        self.probed += 1
        if self._failure is not None:
            raise self._failure
        return "1.0"

    def devices(self):
        return self._specs

    @property
    def native_type(self):
        return np.ndarray

    def namespace(self, spec):
        return NumpyWith()

    def to_host(self, native):
        return native.copy()

    def from_host(self, array, spec, *, copy):
        if copy is False:
            raise ValueError("a copy is needed")
        return np.array(array, copy=True)

    def dlpack_device(self, spec):
        return (12, int(spec.rpartition(":")[2]))

    def rank(self, spec):
        return self._rank
