"""The caller's floating-point control holds on all threads: equal operands give one result."""

from __future__ import annotations

import platform

import pytest

from .tiers import LONG, run

MACHINES = {
    "x86_64": """
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
define void @set(i64 %bits) {
  %memory = alloca i64, align 8
  call void @llvm.x86.sse.stmxcsr(ptr %memory)
  %old = load i64, ptr %memory, align 8
  %new = xor i64 %old, %bits
  store i64 %new, ptr %memory, align 8
  call void @llvm.x86.sse.ldmxcsr(ptr %memory)
  ret void
}
""",
    "aarch64": """
declare i64 @llvm.aarch64.get.fpcr()
declare void @llvm.aarch64.set.fpcr(i64)
define void @set(i64 %bits) {
  %old = call i64 @llvm.aarch64.get.fpcr()
  %new = xor i64 %old, %bits
  call void @llvm.aarch64.set.fpcr(i64 %new)
  ret void
}
""",
}
"""A function that changes bits of the register that controls floating-point arithmetic, by machine."""

CONTROLS = {
    "x86_64": {"flush to zero": 0x8040, "round upwards": 0x4000, "round towards zero": 0x6000},
    "aarch64": {"flush to zero": 1 << 24, "round upwards": 1 << 22, "round towards zero": 3 << 22},
}

PROGRAM = """
import ctypes, sys, warnings
import numpy as np
import xtensor as xp
from xtensor_backends.llvm import _compile

warnings.simplefilter("ignore")
text, controls, names = sys.argv[1], [int(bits) for bits in sys.argv[2].split()], sys.argv[3].split()
change = ctypes.CFUNCTYPE(None, ctypes.c_int64)(_compile.compile_module(text, ["set"])["set"])
COUNT = 1_000_000
different = []
for dtype in ("float32", "float64"):
    tiny = np.finfo(dtype).smallest_normal
    for value in (tiny / 8, 0.1):
        x = xp.asarray(np.full(COUNT, value, dtype), device="cpu")
        for name in names:
            function = eval("lambda x: " + name)
            function(x)
            for bits in controls * 2:
                change(bits)
                result = np.asarray(function(x)).view(f"u{x.dtype.itemsize}").ravel()
                change(bits)
                if (result != result[0]).any():
                    different.append((name, dtype, float(value), bits))
print(sorted(set(different)))
"""

EXPRESSIONS = ("x*0.3", "x+x*1e-9", "x/3", "xp.sum(xp.reshape(x,(1000,1000)),axis=1)")
MORE = (
    *(
        f"xp.{name}(x)"
        for name in ("exp", "log", "sin", "tanh", "sqrt", "cbrt", "expm1", "log1p", "asinh", "reciprocal")
    ),
    *(
        "x**1.5",
        "xp.special.erf(x)",
        "xp.special.gammaln(x)",
        "xp.hypot(x,x)",
        "xp.sum(xp.reshape(x,(1000,1000)),axis=0)",
    ),
    "xp.special.softmax(xp.reshape(x,(1000,1000)),axis=1)",
)


@pytest.mark.skipif(platform.machine() not in CONTROLS, reason="the register of this machine is not known")
def test_equal_operands_give_one_result_under_the_callers_control():
    machine = platform.machine()
    names = " ".join(EXPRESSIONS + MORE if LONG else EXPRESSIONS)
    controls = " ".join(map(str, CONTROLS[machine].values()))
    done = run(
        PROGRAM,
        *(MACHINES[machine], controls, names),
        timeout=600,
        XTENSOR_NUM_THREADS="2",
        XTENSOR_LLVM_FEWEST="0",
    )
    assert done.strip() == "[]"
