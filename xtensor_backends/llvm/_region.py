"""LLVM's representation of a parallel region: one team of worker threads that take the slots of a job.

A region's parts are spread over slots. A thread takes a slot by setting its flag from 1 to 0, which is one atomic
exchange, so each slot is taken once, whoever comes and however late. The thread that has taken a slot keeps the region
alive until it adds the slot to `finished`: only then does the caller return and may the next region begin. A worker
that comes too late, or never, finds no flag set; the caller computes what nobody has taken.

Workers wait on `generation`, which each region increments: first in a loop of bounded length, then asleep in the
kernel. A worker adds itself to `sleepers` before it looks at `generation` a last time, and a caller increments
`generation` before it looks at `sleepers`, so that one of them sees the other. The caller subtracts those that it has
woken: until they run, which may take longer than several regions, no other caller pays for waking them again.

Linux may wake a worker on the processor of the caller, which computes and so keeps the worker from running for
milliseconds. A caller that wakes a few workers therefore takes its own processor from their sets of processors first;
each worker takes its set back once it has computed.

Rounding and the treatment of subnormal numbers are a state of each thread, which libraries change, and which a thread
inherits from the one that starts it. A worker takes over the caller's state with each slot, so that equal operands give
equal results wherever they lie.

A worker begins at a slot of its own, so that in consecutive regions over the same operands each thread finds its share
in its own cache.
"""

from __future__ import annotations

import platform
import sys

from ._machines import MACHINES, Instructions

__all__ = ["MAXIMUM", "SPIN_NANOSECONDS", "WAKE_NANOSECONDS", "futex_number", "module"]

MAXIMUM = 256
"""Bound of the number of slots, and so of threads."""

SPIN_NANOSECONDS = 50_000
"""Time for which a worker waits for the next region in a loop that keeps its core."""

LINGER_NANOSECONDS = 1_000_000
"""Time for which it waits afterwards in a loop that gives its core to any other thread.

A program calls kernels in series with pauses of less than a millisecond. Without this time, operations of 400 KB to
2 MB took 1.1 to 2 times NumPy's time where calls of other libraries lay between them, and 0.4 to 0.9 with it. A worker
that kept its core for all of it kept the threads of these libraries from it: matrix products took 3 times as long.
"""

WAKE_NANOSECONDS = 50_000
"""Work for which sleeping workers are woken: of one region, or of a series of regions with short pauses between them.

Waking costs the caller 20 to 60 microseconds, so that a single short region is computed faster alone.
"""

PAUSE_NANOSECONDS = 100_000
"""The longest pause between two regions of a series."""

MOST_PLACED = 7
"""The number of workers up to which they are kept from the caller's processor, at a microsecond for each.

A system with more processors finds one that is idle."""

_FUTEX = {"x86_64": 202, "aarch64": 98, "riscv64": 98, "loongarch64": 98, "ppc64le": 221, "s390x": 238}
"""Number of the system call futex, by machine."""


def futex_number() -> int | None:
    """Return the number of Linux's system call futex on this machine, or None where it has none or it is not known."""
    return _FUTEX.get(platform.machine()) if sys.platform == "linux" and sys.maxsize > 1 << 32 else None


def module(futex: int | None) -> str:
    """Return the module.

    Parameters
    ----------
    futex : the number of the system call; None lets workers sleep on a POSIX condition variable.
    """
    machine = MACHINES.get(platform.machine().lower(), Instructions())
    text = _STATE + (_CONDITION if futex is None else _SLEEP) + _REGION + machine.declarations
    text = text.replace("SAVE_CONTROL", machine.save).replace("RESTORE_CONTROL", machine.restore)
    text = text.replace("MAXIMUM", str(MAXIMUM)).replace("FUTEX", str(futex))
    text = text.replace("WAKE_WORK", str(WAKE_NANOSECONDS)).replace("LONGEST_PAUSE", str(PAUSE_NANOSECONDS))
    text = text.replace("LINGER", str(LINGER_NANOSECONDS)).replace("MOST_PLACED", str(MOST_PLACED))
    clock = "6" if sys.platform == "darwin" else "1"  # CLOCK_MONOTONIC
    return text.replace("PAUSE", machine.pause).replace("CLOCK", clock)


# Fields that different threads write stand in different cache lines.
_STATE = """
@owner = global i32 0, align 128
@workers = global i32 0, align 4
@job = internal global ptr null, align 128
@arguments = internal global ptr null, align 8
@parts = internal global i64 1, align 8
@slots = internal global i64 1, align 8
@team = internal global i64 1, align 8
@control = internal global i64 0, align 8
@spins = global i64 1000, align 8
@ended = internal global i64 -1000000000, align 8
@lonely = internal global i64 0, align 8
@generation = internal global i32 0, align 128
@stopping = global i32 0, align 4
@sleepers = global i32 0, align 128
@finished = internal global i64 0, align 128
@flags = internal global [MAXIMUM x i32] zeroinitializer, align 128
@mutex = internal global [128 x i8] zeroinitializer, align 128
@condition = internal global [128 x i8] zeroinitializer, align 128

declare i32 @sched_yield() nounwind
"""

# FUTEX_WAIT and FUTEX_WAKE with the flag FUTEX_PRIVATE are 128 and 129.
_SLEEP = """
declare i64 @syscall(i64, ...) nounwind

; Returns whether a caller has woken this worker and subtracted it from `sleepers`.
define internal i1 @sleep(i32 %seen) nounwind {
  %status = call i64 (i64, ...) @syscall(i64 FUTEX, ptr @generation, i32 128, i32 %seen, ptr null, ptr null, i32 0)
  %woken = icmp eq i64 %status, 0
  ret i1 %woken
}

; Returns the number of workers that it has woken.
define internal i32 @wake(i64 %count) nounwind {
  %number = trunc i64 %count to i32
  %woken = call i64 (i64, ...) @syscall(i64 FUTEX, ptr @generation, i32 129, i32 %number, ptr null, ptr null, i32 0)
  %some = call i64 @llvm.smax.i64(i64 %woken, i64 0)
  %result = trunc i64 %some to i32
  ret i32 %result
}

declare i64 @llvm.smax.i64(i64, i64)
declare i32 @sched_getcpu() nounwind
declare ptr @pthread_self() nounwind
declare i32 @pthread_getaffinity_np(ptr, i64, ptr) nounwind
declare i32 @pthread_setaffinity_np(ptr, i64, ptr) nounwind
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

@threads = internal global [MAXIMUM x ptr] zeroinitializer, align 128
@asleep = internal global [MAXIMUM x i32] zeroinitializer, align 128
@displaced = internal global [MAXIMUM x i32] zeroinitializer, align 128
@processors = internal global [MAXIMUM x [128 x i8]] zeroinitializer, align 128

define void @prepare() nounwind {
  store [MAXIMUM x i32] zeroinitializer, ptr @asleep
  store [MAXIMUM x i32] zeroinitializer, ptr @displaced
  ret void
}

define internal void @note_thread(i64 %index) nounwind {
  %place = getelementptr [MAXIMUM x ptr], ptr @threads, i64 0, i64 %index
  %self = call ptr @pthread_self()
  store atomic ptr %self, ptr %place release, align 8
  ret void
}

define internal void @note_sleep(i64 %index, i32 %asleep) nounwind {
  %place = getelementptr [MAXIMUM x i32], ptr @asleep, i64 0, i64 %index
  store atomic i32 %asleep, ptr %place seq_cst, align 4
  ret void
}

; Takes the caller's processor from the processors of the workers that sleep. The system refuses an empty set, and sets
; of more than 1024 processors are not read.
define internal void @displace() nounwind {
entry:
  %rest = alloca [128 x i8], align 8
  %workers32 = load atomic i32, ptr @workers monotonic, align 4
  %workers = sext i32 %workers32 to i64
  %few = icmp sle i64 %workers, MOST_PLACED
  br i1 %few, label %locate, label %done
locate:
  %own = call i32 @sched_getcpu()
  %known = icmp ult i32 %own, 1024
  %word = lshr i32 %own, 6
  %low = and i32 %own, 63
  %shift = zext i32 %low to i64
  %bit = shl i64 1, %shift
  %others = xor i64 %bit, -1
  br i1 %known, label %worker, label %done
worker:
  %index = phi i64 [1, %locate], [%index.next, %next]
  %more = icmp sle i64 %index, %workers
  br i1 %more, label %look, label %done
look:
  %index.next = add i64 %index, 1
  %asleep.place = getelementptr [MAXIMUM x i32], ptr @asleep, i64 0, i64 %index
  %asleep = load atomic i32, ptr %asleep.place seq_cst, align 4
  %displaced.place = getelementptr [MAXIMUM x i32], ptr @displaced, i64 0, i64 %index
  %displaced = load atomic i32, ptr %displaced.place acquire, align 4
  %sleeps = icmp ne i32 %asleep, 0
  %free = icmp eq i32 %displaced, 0
  %both = and i1 %sleeps, %free
  br i1 %both, label %read, label %next
read:
  %thread.place = getelementptr [MAXIMUM x ptr], ptr @threads, i64 0, i64 %index
  %thread = load atomic ptr, ptr %thread.place acquire, align 8
  %set = getelementptr [MAXIMUM x [128 x i8]], ptr @processors, i64 0, i64 %index
  %unread = call i32 @pthread_getaffinity_np(ptr %thread, i64 128, ptr %set)
  %got = icmp eq i32 %unread, 0
  br i1 %got, label %take, label %next
take:
  call void @llvm.memcpy.p0.p0.i64(ptr %rest, ptr %set, i64 128, i1 false)
  %place = getelementptr i64, ptr %rest, i32 %word
  %bits = load i64, ptr %place, align 8
  %left = and i64 %bits, %others
  store i64 %left, ptr %place, align 8
  %refused = call i32 @pthread_setaffinity_np(ptr %thread, i64 128, ptr %rest)
  %changed = icmp eq i32 %refused, 0
  br i1 %changed, label %mark, label %next
mark:
  ; Last, so that a worker that wakes by itself meanwhile finds the mark at its next turn.
  store atomic i32 1, ptr %displaced.place release, align 4
  br label %next
next:
  br label %worker
done:
  ret void
}

; Gives a worker its processors back.
define internal void @replace(i64 %index) nounwind {
entry:
  %displaced.place = getelementptr [MAXIMUM x i32], ptr @displaced, i64 0, i64 %index
  %displaced = load atomic i32, ptr %displaced.place acquire, align 4
  %some = icmp ne i32 %displaced, 0
  br i1 %some, label %restore, label %done
restore:
  %self = call ptr @pthread_self()
  %set = getelementptr [MAXIMUM x [128 x i8]], ptr @processors, i64 0, i64 %index
  %ignored = call i32 @pthread_setaffinity_np(ptr %self, i64 128, ptr %set)
  store atomic i32 0, ptr %displaced.place release, align 4
  br label %done
done:
  ret void
}
"""

_CONDITION = """
define internal void @note_thread(i64 %index) nounwind {
  ret void
}

define internal void @note_sleep(i64 %index, i32 %asleep) nounwind {
  ret void
}

define internal void @displace() nounwind {
  ret void
}

define internal void @replace(i64 %index) nounwind {
  ret void
}

declare i32 @pthread_mutex_init(ptr, ptr) nounwind
declare i32 @pthread_mutex_lock(ptr) nounwind
declare i32 @pthread_mutex_unlock(ptr) nounwind
declare i32 @pthread_cond_init(ptr, ptr) nounwind
declare i32 @pthread_cond_wait(ptr, ptr) nounwind
declare i32 @pthread_cond_broadcast(ptr) nounwind

define void @prepare() nounwind {
  %first = call i32 @pthread_mutex_init(ptr @mutex, ptr null)
  %second = call i32 @pthread_cond_init(ptr @condition, ptr null)
  ret void
}

; Each worker subtracts itself from `sleepers`: a signal may be meant for one that has gone on already.
define internal i1 @sleep(i32 %seen) nounwind {
entry:
  %locked = call i32 @pthread_mutex_lock(ptr @mutex)
  br label %look
look:
  %now = load atomic i32, ptr @generation seq_cst, align 4
  %same = icmp eq i32 %now, %seen
  br i1 %same, label %wait, label %done
wait:
  %woken = call i32 @pthread_cond_wait(ptr @condition, ptr @mutex)
  br label %look
done:
  %unlocked = call i32 @pthread_mutex_unlock(ptr @mutex)
  ret i1 false
}

define internal i32 @wake(i64 %count) nounwind {
  %locked = call i32 @pthread_mutex_lock(ptr @mutex)
  %woken = call i32 @pthread_cond_broadcast(ptr @condition)
  %unlocked = call i32 @pthread_mutex_unlock(ptr @mutex)
  ret i32 0
}
"""

_REGION = """
; Increments `generation` and wakes at most `count` of the sleeping workers.
define internal void @announce(i64 %count) nounwind {
entry:
  %before = atomicrmw add ptr @generation, i32 1 seq_cst
  %asleep = load atomic i32, ptr @sleepers seq_cst, align 4
  %any = icmp sgt i32 %asleep, 0
  br i1 %any, label %wake, label %done
wake:
  call void @displace()
  %woken = call i32 @wake(i64 %count)
  %less = atomicrmw sub ptr @sleepers, i32 %woken seq_cst
  br label %done
done:
  ret void
}

; Takes slots and computes their parts, until no flag is set. Returns the number of slots taken.
define internal i64 @take(i64 %index) nounwind {
entry:
  %slots = load atomic i64, ptr @slots monotonic, align 8
  %team = load atomic i64, ptr @team monotonic, align 8
  %share = mul i64 %index, %slots
  %begin = udiv i64 %share, %team
  br label %look
look:
  %offset = phi i64 [0, %entry], [%offset.next, %next]
  %taken = phi i64 [0, %entry], [%taken.next, %next]
  %position = add i64 %begin, %offset
  %slot = urem i64 %position, %slots
  %flag = getelementptr [MAXIMUM x i32], ptr @flags, i64 0, i64 %slot
  %seen = load atomic i32, ptr %flag monotonic, align 4
  %free = icmp ne i32 %seen, 0
  br i1 %free, label %claim, label %next
claim:
  %old = atomicrmw xchg ptr %flag, i32 0 acquire
  %mine = icmp ne i32 %old, 0
  br i1 %mine, label %compute, label %next
compute:
  ; The slot belongs to the current region, which may be a later one than that of %slots.
  RESTORE_CONTROL
  %job = load atomic ptr, ptr @job monotonic, align 8
  %arguments = load atomic ptr, ptr @arguments monotonic, align 8
  %parts = load atomic i64, ptr @parts monotonic, align 8
  %divisor = load atomic i64, ptr @slots monotonic, align 8
  %first.product = mul i64 %slot, %parts
  %first = udiv i64 %first.product, %divisor
  %slot.after = add i64 %slot, 1
  %last.product = mul i64 %slot.after, %parts
  %last = udiv i64 %last.product, %divisor
  br label %part
part:
  %number = phi i64 [%first, %compute], [%number.next, %part]
  call void %job(ptr %arguments, i64 %number, i64 %parts)
  %number.next = add i64 %number, 1
  %more.parts = icmp ult i64 %number.next, %last
  br i1 %more.parts, label %part, label %computed
computed:
  %taken.more = add i64 %taken, 1
  br label %next
next:
  %taken.next = phi i64 [%taken, %look], [%taken, %claim], [%taken.more, %computed]
  %offset.next = add i64 %offset, 1
  %more = icmp ult i64 %offset.next, %slots
  br i1 %more, label %look, label %done
done:
  ret i64 %taken.next
}

; Computes job(arguments, part, parts) for each part, on at most `threads` threads. `nanoseconds` is what one thread
; takes: while workers sleep, this thread computes alone until it has done so much work that waking them pays.
define void @xtensor_parallel(ptr %job, ptr %arguments, i64 %parts, i64 %threads, i64 %nanoseconds) nounwind {
entry:
  %asleep = load atomic i32, ptr @sleepers monotonic, align 4
  %awake = icmp sle i32 %asleep, 0
  %long = icmp sge i64 %nanoseconds, WAKE_WORK
  %at.once = or i1 %awake, %long
  br i1 %at.once, label %share, label %series
series:
  %now = call i64 @clock()
  %before = load atomic i64, ptr @ended monotonic, align 8
  %since = sub i64 %now, %before
  %follows = icmp slt i64 %since, LONGEST_PAUSE
  %old = load atomic i64, ptr @lonely monotonic, align 8
  %kept = select i1 %follows, i64 %old, i64 0
  %work = add i64 %kept, %nanoseconds
  %enough = icmp sge i64 %work, WAKE_WORK
  %left = select i1 %enough, i64 0, i64 %work
  store atomic i64 %left, ptr @lonely monotonic, align 8
  br i1 %enough, label %share, label %postpone
postpone:
  call void @serial(ptr %job, ptr %arguments, i64 %parts)
  %end = call i64 @clock()
  store atomic i64 %end, ptr @ended monotonic, align 8
  ret void

share:
  %workers32 = load atomic i32, ptr @workers monotonic, align 4
  %workers = sext i32 %workers32 to i64
  %all = add i64 %workers, 1
  %team = call i64 @llvm.smin.i64(i64 %all, i64 %threads)
  %smaller = call i64 @llvm.smin.i64(i64 %team, i64 %parts)
  %several = icmp sgt i64 %smaller, 1
  br i1 %several, label %own, label %alone
own:
  %exchange = cmpxchg ptr @owner, i32 0, i32 1 acquire monotonic
  %owned = extractvalue {i32, i1} %exchange, 1
  br i1 %owned, label %publish, label %alone

publish:
  ; With a limit below the number of threads there are as many slots as threads may run, so that no more do.
  %limited = icmp slt i64 %threads, %all
  %wanted = select i1 %limited, i64 %smaller, i64 %parts
  %slots = call i64 @llvm.smin.i64(i64 %wanted, i64 MAXIMUM)
  store atomic ptr %job, ptr @job monotonic, align 8
  store atomic ptr %arguments, ptr @arguments monotonic, align 8
  store atomic i64 %parts, ptr @parts monotonic, align 8
  store atomic i64 %slots, ptr @slots monotonic, align 8
  store atomic i64 %team, ptr @team monotonic, align 8
  store atomic i64 0, ptr @finished monotonic, align 8
  SAVE_CONTROL
  br label %set
set:
  %slot = phi i64 [0, %publish], [%slot.next, %set]
  %flag = getelementptr [MAXIMUM x i32], ptr @flags, i64 0, i64 %slot
  store atomic i32 1, ptr %flag release, align 4
  %slot.next = add i64 %slot, 1
  %more.slots = icmp slt i64 %slot.next, %slots
  br i1 %more.slots, label %set, label %compute
compute:
  %helpers = sub i64 %smaller, 1
  call void @announce(i64 %helpers)
  %mine = call i64 @take(i64 0)
  %others = sub i64 %slots, %mine
  br label %wait
wait:
  %turn = phi i64 [0, %compute], [%turn.next, %again]
  %finished = load atomic i64, ptr @finished acquire, align 8
  %complete = icmp eq i64 %finished, %others
  br i1 %complete, label %release, label %pause
pause:
  PAUSE
  %turn.next = add i64 %turn, 1
  %spins = load atomic i64, ptr @spins monotonic, align 8
  %late = icmp sgt i64 %turn.next, %spins
  br i1 %late, label %yield, label %again
yield:
  ; A worker that was taken from its core with a slot in hand needs one to go on.
  %ignored = call i32 @sched_yield()
  br label %again
again:
  br label %wait
release:
  store atomic i32 0, ptr @owner release, align 4
  ret void

alone:
  call void @serial(ptr %job, ptr %arguments, i64 %parts)
  ret void
}

define internal void @serial(ptr %job, ptr %arguments, i64 %parts) nounwind {
entry:
  %any = icmp sgt i64 %parts, 0
  br i1 %any, label %part, label %return
part:
  %number = phi i64 [0, %entry], [%number.next, %part]
  call void %job(ptr %arguments, i64 %number, i64 %parts)
  %number.next = add i64 %number, 1
  %more = icmp slt i64 %number.next, %parts
  br i1 %more, label %part, label %return
return:
  ret void
}

define internal i64 @clock() nounwind {
  %time = alloca [2 x i64], align 8
  %ignored = call i32 @clock_gettime(i32 CLOCK, ptr %time)
  %seconds = load i64, ptr %time, align 8
  %pointer = getelementptr i64, ptr %time, i64 1
  %fraction = load i64, ptr %pointer, align 8
  %whole = mul i64 %seconds, 1000000000
  %result = add i64 %whole, %fraction
  ret i64 %result
}

declare i32 @clock_gettime(i32, ptr) nounwind

declare i64 @llvm.smin.i64(i64, i64)

; The life of a worker. Its argument is its index, from 1.
define ptr @worker(ptr %argument) nounwind {
entry:
  %index = ptrtoint ptr %argument to i64
  call void @note_thread(i64 %index)
  br label %look
look:
  %seen = load atomic i32, ptr @generation acquire, align 4
  %stop = load atomic i32, ptr @stopping acquire, align 4
  %end = icmp ne i32 %stop, 0
  br i1 %end, label %return, label %work
work:
  %taken = call i64 @take(i64 %index)
  %some = icmp sgt i64 %taken, 0
  br i1 %some, label %report, label %spin
report:
  %ignored = atomicrmw add ptr @finished, i64 %taken release
  br label %spin
spin:
  call void @replace(i64 %index)
  %spins = load atomic i64, ptr @spins monotonic, align 8
  %changed = call i1 @watch(i32 %seen, i64 %spins)
  br i1 %changed, label %look, label %linger
linger:
  %late = call i1 @linger(i32 %seen)
  br i1 %late, label %look, label %rest
rest:
  call void @note_sleep(i64 %index, i32 1)
  %more = atomicrmw add ptr @sleepers, i32 1 seq_cst
  %woken = call i1 @sleep(i32 %seen)
  call void @note_sleep(i64 %index, i32 0)
  br i1 %woken, label %look, label %rise
rise:
  %less = atomicrmw sub ptr @sleepers, i32 1 seq_cst
  br label %look
return:
  ret ptr null
}

; Waits in a loop until `generation` has changed, for `turns` turns at most. Returns whether it has.
define i1 @watch(i32 %seen, i64 %turns) noinline nounwind {
entry:
  br label %look
look:
  %turn = phi i64 [0, %entry], [%turn.next, %pause]
  %now = load atomic i32, ptr @generation acquire, align 4
  %changed = icmp ne i32 %now, %seen
  br i1 %changed, label %return, label %pause
pause:
  PAUSE
  %turn.next = add i64 %turn, 1
  %more = icmp slt i64 %turn.next, %turns
  br i1 %more, label %look, label %return
return:
  ret i1 %changed
}

; Waits like `watch`, but for a time, and lets other threads of this core compute. Returns whether `generation` changed.
define internal i1 @linger(i32 %seen) noinline nounwind {
entry:
  %start = call i64 @clock()
  br label %look
look:
  %ignored = call i32 @sched_yield()
  %now = load atomic i32, ptr @generation acquire, align 4
  %changed = icmp ne i32 %now, %seen
  br i1 %changed, label %return, label %measure
measure:
  %time = call i64 @clock()
  %passed = sub i64 %time, %start
  %more = icmp slt i64 %passed, LINGER
  br i1 %more, label %look, label %return
return:
  ret i1 %changed
}

; Takes `turns` turns of the loop of `watch`, to measure how long one takes.
define void @measure(i64 %turns) nounwind {
  %seen = load atomic i32, ptr @generation monotonic, align 4
  %ignored = call i1 @watch(i32 %seen, i64 %turns)
  ret void
}

; Tells all workers to end, unless a region runs. Returns whether they were told; the caller then owns the workers.
define i32 @stop() nounwind {
entry:
  %exchange = cmpxchg ptr @owner, i32 0, i32 1 acquire monotonic
  %owned = extractvalue {i32, i1} %exchange, 1
  br i1 %owned, label %tell, label %return
tell:
  store atomic i32 1, ptr @stopping release, align 4
  call void @announce(i64 MAXIMUM)
  br label %return
return:
  %result = zext i1 %owned to i32
  ret i32 %result
}

; Forgets all workers: after they have ended, or in a child process, which has none.
define void @reset() nounwind {
  call void @prepare()
  store atomic i32 0, ptr @workers seq_cst, align 4
  store atomic i32 0, ptr @stopping seq_cst, align 4
  store atomic i32 0, ptr @sleepers seq_cst, align 4
  store [MAXIMUM x i32] zeroinitializer, ptr @flags
  store atomic i32 0, ptr @owner seq_cst, align 4
  ret void
}
"""
