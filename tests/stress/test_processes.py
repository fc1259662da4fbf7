"""Child processes by fork and spawn, and pickles: across processes and devices, forged, and tampered with."""

from __future__ import annotations

import base64
import os
import pickle
import sys

import numpy as np
import pytest
from strategies import values_of
from usable import usable_devices

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
        pytest.skip("the runtimes of devices off the host do not support fork")
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
    same_device = run(
        "import base64, pickle, sys; x = pickle.loads(base64.b64decode(sys.argv[1])); print(x.device, x.tolist())", text
    )
    assert same_device.strip() == f"{device} [[1.0, -0.0], [inf, 4.0]]"
    other_device = run(
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
    assert other_device.strip() == "cpu [[1.0, -0.0], [inf, 4.0]]"
    figures.record(pickles=2)


def test_pickle_contains_stable_names():
    text = pickle.dumps(xp.asarray([1, 2], dtype=xp.int16, device="cpu"), 4)
    for name in (b"xtensor._core.array", b"_unpickle", b"numpy", b"cpu"):
        assert name in text


class Forged:
    """Object that pickles as an Array does, with other arguments."""

    def __init__(self, arguments):
        self.arguments = arguments

    def __reduce__(self):
        return _unpickle, self.arguments


class Element:
    """Element of an object array that can be pickled."""


FORGED = {
    "list for an array": ([1.0, 2.0], "numpy", "cpu"),
    "text": ("values", "numpy", "cpu"),
    "objects": (np.array([Element(), None]), "numpy", "cpu"),
    "array of text": (np.array(["a"]), "numpy", "cpu"),
    "record": (np.zeros(1, dtype=[("a", "f8")]), "numpy", "cpu"),
    "integer for a backend": (np.ones(2), 7, "cpu"),
    "None for a device": (np.ones(2), "numpy", None),
    "list for a device": (np.ones(2), "numpy", ["cpu"]),
}


@pytest.mark.parametrize("case", FORGED)
def test_forged_pickle_is_refused(case):
    with pytest.raises(TypeError, match="pickle of an Array"):
        pickle.loads(pickle.dumps(Forged(FORGED[case])))


TAMPERED = r"""
import io, pickle, random, re, resource, sys, warnings
import numpy as np
import xtensor as xp

warnings.simplefilter("ignore")
resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30))
rng = random.Random(0)
count, ran = int(sys.argv[2]), []

class OnlyOurs(pickle.Unpickler):
    "Loads only the names of a genuine pickle: a pickle can call everything else that can be imported."
    def find_class(self, module, name):
        known = {("xtensor._core.array", "_unpickle"), ("numpy._core.multiarray", "_reconstruct"), ("numpy", "ndarray"),
                 ("numpy", "dtype"), ("numpy._core.numeric", "_frombuffer")}
        if (module, name) not in known:
            raise pickle.UnpicklingError(f"{module}.{name}")
        return super().find_class(module, name)

# NumPy crashes on some states of a dtype, so the bytes that create the dtype are not changed.
DTYPE = re.compile(rb"(\x8c\x05|X\x05\x00\x00\x00|cnumpy\n)dtype.*?NNNJ.{4}J.{4}K\x00t(\x94|q.)b", re.DOTALL)

def protected(data):
    match = DTYPE.search(data)
    return match.span() if match else (len(data), len(data))

def positions(data):
    begin, end = protected(data)
    return [*range(begin), *range(end, len(data))] or [0]

def next_protected(data, at):
    begin, end = protected(data)
    return begin if at < begin else len(data)

text = pickle.dumps(xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=sys.argv[1]), int(sys.argv[3]))
refused = 0
for _ in range(count):
    changed = bytearray(text)
    for _ in range(rng.randint(1, 4)):
        way, at = rng.randrange(4), rng.choice(positions(changed))
        if way == 0:
            changed[at] ^= 1 << rng.randrange(8)
        elif way == 1:
            del changed[at : min(at + rng.randint(1, 8), next_protected(changed, at))]
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
    if isinstance(x, xp.Array):
        assert x.dtype in x.device.dtypes, x.dtype
        assert len(repr(x)) > 0 and x.size == xp.reshape(x, (-1,)).shape[0]
print(refused)
"""


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_tampered_pickle_raises_or_loads_without_a_crash(device, protocol, figures):
    pytest.importorskip("resource")
    if not device.host:
        pytest.skip("the runtime of a device off the host reserves more address space than the limit of this test")
    count = scale(2000, 15_000)
    figures.record(pickles=count, refused=int(run(TAMPERED, str(device), str(count), str(protocol))))


def test_pickle_of_a_transferred_array_preserves_values(device):
    for other in usable_devices():
        x = xp.asarray([1.0, 2.0], device=other)
        assert values_of(pickle.loads(pickle.dumps(x.to_device(device)))).tolist() == [1.0, 2.0]


# -- forks ------------------------------------------------------------------------------------------------------------

FORK = """
import faulthandler, os, sys, threading, time, warnings

warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forks beside threads

import xtensor as xp
from toy import ToyBackend

faulthandler.dump_traceback_later(60, exit=True)

class Slow(ToyBackend):
    "Backend that takes its time to be probed and opened."
    kinds = ("slow",)
    def probe(self):
        opening.set()
        time.sleep(0.5)
        return super().probe()
    def namespace(self, spec):
        time.sleep(0.5)
        return super().namespace(spec)

opening = threading.Event()
xp.register_backend(Slow(name="slow", specs=("slow:0",)))
names = [sys.argv[1], "slow:0"]
threads = [threading.Thread(target=lambda name=name: xp.ones(3, device=name) + 1) for name in names]
for thread in threads:
    thread.start()
opening.wait()
time.sleep(float(sys.argv[2]))
child = os.fork()
if not child:
    status = 1
    try:
        for name in ("slow:0", "cpu", "strict"):
            assert (xp.ones(3, device=name) + 1).tolist() == [2.0, 2.0, 2.0]
        status = 0
    finally:
        os._exit(status)
assert os.waitpid(child, 0)[1] == 0
for thread in threads:
    thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_fork_while_other_threads_open_devices_does_not_hang_the_child(device, figures):
    count = scale(2, 12)
    for number in range(count):
        run(FORK, str(device), str(0.1 * number), timeout=120)
    figures.record(forks=count)


LOST = """
import os, sys, warnings

warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forks beside threads
import xtensor as xp

x = xp.ones(3, device=sys.argv[1])
child = os.fork()
if not child:
    for use in (
        lambda: x + 1, lambda: x[0], lambda: float(x[0]), lambda: repr(x), lambda: x.tolist(), lambda: bool(x),
        lambda: x.to_device("cpu"), lambda: x.__setitem__(0, 1.0), lambda: x.__iadd__(1.0), lambda: xp.sum(x),
        lambda: xp.zeros(2, device=x.device), lambda: xp.asarray([1.0], device=sys.argv[1]), lambda: x.__dlpack__(),
        lambda: x.device.memory(), lambda: x.device.synchronize(),
    ):
        try:
            use()
        except xp.BackendUnavailableError as error:
            assert "forked" in str(error) and "spawn" in str(error), error
        else:
            os._exit(1)
    assert (xp.ones(3, device="cpu") + 1).tolist() == [2.0, 2.0, 2.0]
    assert x.shape == (3,) and str(x.device) == sys.argv[1]
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert (x + 1).tolist() == [2.0, 2.0, 2.0]
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_device_that_does_not_survive_a_fork_raises_in_the_child(device):
    if device._library.survives_fork:
        pytest.skip(f"{device} survives a fork")
    run(LOST, str(device))


def test_toy_that_does_not_survive_a_fork_raises_in_the_child():
    register = """
import xtensor as xp
from toy import ToyBackend

ToyBackend.survives_fork = False
xp.register_backend(ToyBackend(specs=("toy:0", "toy:1")))
"""
    run(register + LOST, "toy:0")


# -- Ctrl-C -----------------------------------------------------------------------------------------------------------

INTERRUPTED = """
import os, signal, sys, threading, time
import xtensor as xp

threading.Timer(float(sys.argv[2]), os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    xp.ones(3, device=sys.argv[1]) + 1
    time.sleep(5)
except KeyboardInterrupt:
    pass
assert (xp.ones(3, device=sys.argv[1]) + 1).tolist() == [2.0, 2.0, 2.0]
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_device_opens_after_an_interrupted_opening(device, figures):
    count = scale(3, 30)
    for number in range(count):
        run(INTERRUPTED, str(device), str(0.02 + 0.6 * number / count), timeout=120)
    figures.record(interruptions=count)


SECOND = """
import os, signal, sys, threading, time
import xtensor as xp
from toy import ToyBackend

class Hanging(ToyBackend):
    kinds = ("hanging",)
    def probe(self):
        for _ in range(600):
            time.sleep(0.1)
        return super().probe()

xp.register_backend(Hanging(name="hanging", specs=("hanging:0",)))
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background of a shell ignore it
started = time.monotonic()
try:
    for delay in (0.5, 1.0):
        threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT)).start()
    xp.device("hanging")
except KeyboardInterrupt:
    restored = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print("interrupted", 0.9 < time.monotonic() - started < 20, restored)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_second_interrupt_stops_a_library_that_hangs():
    assert run(SECOND).split() == ["interrupted", "True", "True"]
