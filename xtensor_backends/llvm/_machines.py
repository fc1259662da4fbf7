"""Instructions of processors that a parallel region needs, in LLVM's representation."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MACHINES", "Instructions"]


class Instructions(NamedTuple):
    """Instructions of a machine that LLVM's representation has no other words for.

    Attributes
    ----------
    pause
        Tells the core that a loop waits.
    save, restore
        Write and read the register that controls floating-point arithmetic.
    declarations
        Declarations of the functions that these call.
    """

    pause: str = ""
    save: str = ""
    restore: str = ""
    declarations: str = ""


X86 = Instructions(
    "call void @llvm.x86.sse2.pause()",
    "call void @llvm.x86.sse.stmxcsr(ptr @control)",
    "call void @llvm.x86.sse.ldmxcsr(ptr @control)",
    """
declare void @llvm.x86.sse2.pause()
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
""",
)

ARM = Instructions(
    "call void @llvm.aarch64.hint(i32 1)",
    "%control = call i64 @llvm.aarch64.get.fpcr()\n  store i64 %control, ptr @control, align 8",
    "%control = load i64, ptr @control, align 8\n  call void @llvm.aarch64.set.fpcr(i64 %control)",
    """
declare void @llvm.aarch64.hint(i32)
declare i64 @llvm.aarch64.get.fpcr()
declare void @llvm.aarch64.set.fpcr(i64)
""",
)

MACHINES = {"x86_64": X86, "amd64": X86, "aarch64": ARM, "arm64": ARM}
"""The instructions by the machine's name; others have none."""
