"""Processes: arrays and devices over fork and spawn, and pickles that come from elsewhere, or are not what they say."""

from __future__ import annotations

import base64
import pickle
import sys

import numpy as np
import pytest
from strategies import values_of

import xtensor as xp
from xtensor._core.array import _unpickle

from .tiers import run, scale

WORK = """
import multiprocessing, os, sys
import xtensor as xp

def child(x):
    assert (x + 1).tolist() == [2.0, 3.0, 4.0]
    assert xp.sum(xp.asarray([1.0, 2.0], device=x.device)).item() == 3.0
    with xp.use_device(x.device):
        assert xp.default_device() is x.device
    return x * 2

if __name__ == "__main__":
    method, device, count = sys.argv[1], xp.device(sys.argv[2]), int(sys.argv[3])
    x = xp.asarray([1.0, 2.0, 3.0], device=device)
    y = x * x
    with multiprocessing.get_context(method).Pool(2) as pool:
        for result in pool.imap_unordered(child, [x] * count):
            assert result.device is device and result.tolist() == [2.0, 4.0, 6.0], result
    assert (x + y).tolist() == [2.0, 6.0, 12.0]
    print(count)
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_arrays_and_devices_work_in_child_processes(device, method, tmp_path, figures):
    if method == "fork" and (sys.platform == "win32" or not device.host):
        pytest.skip("the runtimes of devices off the host do not survive fork()")
    program = tmp_path / "work.py"
    program.write_text(WORK)
    # A spawned child imports the program by its path.
    launched = (
        "import subprocess, sys; "
        f"sys.exit(subprocess.run([sys.executable, '-X', 'faulthandler', {str(program)!r}, *sys.argv[1:]]).returncode)"
    )
    done = run(launched, method, str(device), str(scale(20, 500)))
    figures.record(arrays_sent=int(done))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_of_every_protocol_reach_other_processes_and_devices(device, protocol, figures):
    x = xp.asarray([[1.0, -0.0], [np.inf, 4.0]])
    text = base64.b64encode(pickle.dumps(x, protocol)).decode()
    there = run(
        "import base64, pickle, sys; x = pickle.loads(base64.b64decode(sys.argv[1])); print(x.device, x.tolist())", text
    )
    assert there.strip() == f"{device} [[1.0, -0.0], [inf, 4.0]]"
    elsewhere = run(
        """
        import base64, pickle, sys
        import xtensor as xp
        from xtensor._core import registry as _registry

        for name in [entry.name for entry in _registry.entries()]:
            if name != "numpy":
                del _registry._entries[name]
        x = pickle.loads(base64.b64decode(sys.argv[1]))
        print(x.device, x.tolist())
        """,
        text,
        XTENSOR_DEVICE="cpu",
    )
    assert elsewhere.strip() == "cpu [[1.0, -0.0], [inf, 4.0]]"
    figures.record(pickles=2)


def test_names_in_pickles_are_kept():
    text = pickle.dumps(xp.asarray([1, 2], dtype=xp.int16, device="cpu"), 4)
    for name in (b"xtensor._core.array", b"_unpickle", b"numpy", b"cpu"):
        assert name in text


class Forged:
    """What pickles as an Array does, of other arguments."""

    def __init__(self, arguments):
        self.arguments = arguments

    def __reduce__(self):
        return _unpickle, self.arguments


class Nothing:
    """An object that an array may hold, and a pickle too."""


FORGED = {
    "no array": ([1.0, 2.0], "numpy", "cpu"),
    "text": ("values", "numpy", "cpu"),
    "objects": (np.array([Nothing(), None]), "numpy", "cpu"),
    "array of text": (np.array(["a"]), "numpy", "cpu"),
    "record": (np.zeros(1, dtype=[("a", "f8")]), "numpy", "cpu"),
    "no backend": (np.ones(2), 7, "cpu"),
    "no device": (np.ones(2), "numpy", None),
    "list for a device": (np.ones(2), "numpy", ["cpu"]),
}


@pytest.mark.parametrize("case", FORGED)
def test_forged_pickle_is_refused(case):
    with pytest.raises(TypeError, match="pickle of an Array"):
        pickle.loads(pickle.dumps(Forged(FORGED[case])))


TAMPERED = """
import pickle, random, resource, sys, warnings
import numpy as np
import xtensor as xp

warnings.simplefilter("ignore")
resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30))
rng = random.Random(0)
count, ran = int(sys.argv[2]), []

class OnlyOurs(pickle.Unpickler):
    "Whatever name the bytes ask for, only those of a real pickle are looked up: the rest is the reader's own risk."
    def find_class(self, module, name):
        known = {("xtensor._core.array", "_unpickle"), ("numpy._core.multiarray", "_reconstruct"), ("numpy", "ndarray"),
                 ("numpy", "dtype"), ("numpy._core.numeric", "_frombuffer")}
        if (module, name) not in known:
            raise pickle.UnpicklingError(f"{module}.{name}")
        return super().find_class(module, name)

import io
text = pickle.dumps(xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=sys.argv[1]), int(sys.argv[3]))
refused = same = 0
for _ in range(count):
    changed = bytearray(text)
    for _ in range(rng.randint(1, 4)):
        way, at = rng.randrange(4), rng.randrange(len(changed))
        if way == 0:
            changed[at] ^= 1 << rng.randrange(8)
        elif way == 1:
            del changed[at : at + rng.randint(1, 8)]
        elif way == 2:
            changed[at:at] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 4)))
        else:
            del changed[max(at, 1):]
        if not changed:
            changed = bytearray(b".")
    try:
        x = OnlyOurs(io.BytesIO(bytes(changed))).load()
    except Exception:
        refused += 1
        continue
    same += 1
    if isinstance(x, xp.Array):
        assert x.dtype in x.device.dtypes, x.dtype
        assert len(repr(x)) > 0 and x.size == xp.reshape(x, (-1,)).shape[0]
print(refused)
"""


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_tampered_pickle_is_refused_or_an_array_and_crashes_nothing(device, protocol, figures):
    pytest.importorskip("resource")
    if not device.host:
        pytest.skip("a runtime off the host reserves more addresses than the limit of this test")
    count = scale(2000, 15_000)
    figures.record(pickles=count, refused=int(run(TAMPERED, str(device), str(count), str(protocol))))


def test_pickle_across_devices_keeps_values(device):
    for other in xp.devices():
        x = xp.asarray([1.0, 2.0], device=other)
        assert values_of(pickle.loads(pickle.dumps(x.to_device(device)))).tolist() == [1.0, 2.0]
