"""LLVM's representation of a pool of memory for NumPy's arrays (a handler as NEP 49 describes it).

A block is a mapping of its own: a head of 64 bytes, then the array's elements. A block that an array gives back is
kept in a table of few entries and serves the next array of about its size; the table's least recently used blocks are
unmapped where it is full or holds more than the limit. Blocks below `SMALLEST` come from the C library, which is fast
there.

No function waits: a thread that finds the table in use takes memory from the system and gives it back there.
"""

from __future__ import annotations

import sys

__all__ = ["ENTRIES", "HEAD", "SMALLEST", "module"]

ENTRIES = 64
"""Number of blocks that the pool holds at most."""

HEAD = 64
"""Bytes before an array's elements, and their alignment."""

SMALLEST = 1 << 14
"""Number of bytes from which on blocks are pooled."""

_HUGE = 1 << 22
"""Number of bytes from which on the system is asked for huge pages."""


def module() -> str:
    """Return the module for this system."""
    text = _POOL + (_HUGE_PAGES if sys.platform == "linux" else _NO_HUGE_PAGES) + _HANDLER + _EMPTY
    anonymous = {"linux": 0x22, "darwin": 0x1002}.get(sys.platform, 0x1002)  # MAP_PRIVATE | MAP_ANONYMOUS
    for name, value in {
        "ANONYMOUS": anonymous,
        "ENTRIES": ENTRIES,
        "HEAD": HEAD,
        "SMALLEST": SMALLEST,
        "HUGE": _HUGE,
    }.items():
        text = text.replace(name, str(value))
    return text


# A head: the size of the mapping, or 0 for memory of the C library; the number of bytes for the array.
_POOL = """
%row = type { ptr, i64, i64 }

@lock = internal global i32 0, align 64
@table = internal global [ENTRIES x %row] zeroinitializer, align 64
@time = internal global i64 0, align 8
@held = global i64 0, align 8
@limit = global i64 0, align 8
@used = global i64 0, align 64

declare ptr @mmap(ptr, i64, i32, i32, i32, i64) nounwind
declare i32 @munmap(ptr, i64) nounwind
declare i32 @posix_memalign(ptr, i64, i64) nounwind
declare void @free(ptr) nounwind
declare i32 @sched_yield() nounwind
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare {i64, i1} @llvm.umul.with.overflow.i64(i64, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal i1 @try_lock() nounwind {
  %old = atomicrmw xchg ptr @lock, i32 1 acquire
  %got = icmp eq i32 %old, 0
  ret i1 %got
}

define internal void @unlock() nounwind {
  store atomic i32 0, ptr @lock release, align 4
  ret void
}

; The size of a mapping for `size` bytes: one of eight in each octave, so that arrays of similar sizes share blocks.
define internal i64 @capacity(i64 %size) nounwind {
  %need = add i64 %size, HEAD
  %zeros = call i64 @llvm.ctlz.i64(i64 %need, i1 true)
  %exponent = sub i64 60, %zeros
  %step = shl i64 1, %exponent
  %grain = call i64 @llvm.umax.i64(i64 %step, i64 4096)
  %less = sub i64 %grain, 1
  %sum = add i64 %need, %less
  %mask = sub i64 0, %grain
  %result = and i64 %sum, %mask
  ret i64 %result
}

; Takes out of the table the most recently used block of the capacity, or the least recently used one of all where the
; capacity is 0. Returns null if there is none. Needs the lock.
define internal ptr @withdraw(i64 %capacity) nounwind {
entry:
  %any = icmp eq i64 %capacity, 0
  br label %look
look:
  %index = phi i64 [0, %entry], [%index.next, %next]
  %best = phi ptr [null, %entry], [%best.next, %next]
  %best.stamp = phi i64 [0, %entry], [%best.stamp.next, %next]
  %entry.pointer = getelementptr [ENTRIES x %row], ptr @table, i64 0, i64 %index
  %block = load ptr, ptr %entry.pointer, align 8
  %size.pointer = getelementptr %row, ptr %entry.pointer, i64 0, i32 1
  %size = load i64, ptr %size.pointer, align 8
  %stamp.pointer = getelementptr %row, ptr %entry.pointer, i64 0, i32 2
  %stamp = load i64, ptr %stamp.pointer, align 8
  %present = icmp ne ptr %block, null
  %equal = icmp eq i64 %size, %capacity
  %fits = or i1 %any, %equal
  %candidate = and i1 %present, %fits
  %first = icmp eq ptr %best, null
  %later = icmp ugt i64 %stamp, %best.stamp
  %order = xor i1 %later, %any
  %better = or i1 %first, %order
  %chosen = and i1 %candidate, %better
  br label %next
next:
  %best.next = select i1 %chosen, ptr %entry.pointer, ptr %best
  %best.stamp.next = select i1 %chosen, i64 %stamp, i64 %best.stamp
  %index.next = add i64 %index, 1
  %more = icmp ult i64 %index.next, ENTRIES
  br i1 %more, label %look, label %end
end:
  %none = icmp eq ptr %best.next, null
  br i1 %none, label %return, label %take
take:
  %taken = load ptr, ptr %best.next, align 8
  store ptr null, ptr %best.next, align 8
  %taken.pointer = getelementptr %row, ptr %best.next, i64 0, i32 1
  %taken.size = load i64, ptr %taken.pointer, align 8
  %held = load atomic i64, ptr @held monotonic, align 8
  %held.less = sub i64 %held, %taken.size
  store atomic i64 %held.less, ptr @held monotonic, align 8
  br label %return
return:
  %result = phi ptr [null, %end], [%taken, %take]
  ret ptr %result
}

; Unmaps the least recently used blocks until the table holds at most `bound` bytes. Needs the lock.
define internal void @evict(i64 %bound) nounwind {
entry:
  br label %look
look:
  %held = load atomic i64, ptr @held monotonic, align 8
  %above = icmp ugt i64 %held, %bound
  br i1 %above, label %unmap, label %return
unmap:
  %block = call ptr @withdraw(i64 0)
  %none = icmp eq ptr %block, null
  br i1 %none, label %return, label %drop
drop:
  %capacity = load i64, ptr %block, align 8
  %ignored = call i32 @munmap(ptr %block, i64 %capacity)
  br label %look
return:
  ret void
}

; Puts a block into the table, whose limit is `limit` bytes. Needs the lock.
define internal void @deposit(ptr %block, i64 %capacity, i64 %limit) nounwind {
entry:
  %bound = sub i64 %limit, %capacity
  call void @evict(i64 %bound)
  br label %look
look:
  %index = phi i64 [0, %entry], [%index.next, %next], [0, %full]
  %entry.pointer = getelementptr [ENTRIES x %row], ptr @table, i64 0, i64 %index
  %other = load ptr, ptr %entry.pointer, align 8
  %free = icmp eq ptr %other, null
  br i1 %free, label %put, label %next
next:
  %index.next = add i64 %index, 1
  %more = icmp ult i64 %index.next, ENTRIES
  br i1 %more, label %look, label %full
full:
  %oldest = call ptr @withdraw(i64 0)
  %oldest.size = load i64, ptr %oldest, align 8
  %ignored = call i32 @munmap(ptr %oldest, i64 %oldest.size)
  br label %look
put:
  store ptr %block, ptr %entry.pointer, align 8
  %size.pointer = getelementptr %row, ptr %entry.pointer, i64 0, i32 1
  store i64 %capacity, ptr %size.pointer, align 8
  %time = load i64, ptr @time, align 8
  %now = add i64 %time, 1
  store i64 %now, ptr @time, align 8
  %stamp.pointer = getelementptr %row, ptr %entry.pointer, i64 0, i32 2
  store i64 %now, ptr %stamp.pointer, align 8
  %held = load atomic i64, ptr @held monotonic, align 8
  %held.more = add i64 %held, %capacity
  store atomic i64 %held.more, ptr @held monotonic, align 8
  ret void
}

; Unmaps the least recently used blocks until the table holds at most `bound` bytes.
define void @trim(i64 %bound) nounwind {
entry:
  br label %look
look:
  %got = call i1 @try_lock()
  br i1 %got, label %work, label %wait
wait:
  %ignored = call i32 @sched_yield()
  br label %look
work:
  call void @evict(i64 %bound)
  call void @unlock()
  ret void
}

; In a child process: forgets the table if another thread of the parent was changing it.
define void @recover() nounwind {
entry:
  %lock = load atomic i32, ptr @lock acquire, align 4
  %busy = icmp ne i32 %lock, 0
  br i1 %busy, label %forget, label %return
forget:
  store [ENTRIES x %row] zeroinitializer, ptr @table, align 8
  store atomic i64 0, ptr @held monotonic, align 8
  call void @unlock()
  br label %return
return:
  ret void
}
"""

# MADV_HUGEPAGE is 14. A refusal changes nothing but the speed.
_HUGE_PAGES = """
declare i32 @madvise(ptr, i64, i32) nounwind

define internal void @prefer_huge_pages(ptr %block, i64 %size) nounwind {
entry:
  %large = icmp uge i64 %size, HUGE
  br i1 %large, label %ask, label %return
ask:
  %ignored = call i32 @madvise(ptr %block, i64 %size, i32 14)
  br label %return
return:
  ret void
}
"""

_NO_HUGE_PAGES = """
define internal void @prefer_huge_pages(ptr %block, i64 %size) nounwind {
  ret void
}
"""

_HANDLER = """
define internal ptr @elements(ptr %block, i64 %capacity, i64 %size) nounwind {
  store i64 %capacity, ptr %block, align 8
  %size.pointer = getelementptr i8, ptr %block, i64 8
  store i64 %size, ptr %size.pointer, align 8
  %result = getelementptr i8, ptr %block, i64 HEAD
  ret ptr %result
}

define ptr @pool_malloc(ptr %context, i64 %size) nounwind {
entry:
  %place = alloca ptr, align 8
  %impossible = icmp ugt i64 %size, 1152921504606846976
  br i1 %impossible, label %fail, label %possible
possible:
  %small = icmp ult i64 %size, SMALLEST
  br i1 %small, label %library, label %pool

library:
  %with.head = add i64 %size, HEAD
  %error = call i32 @posix_memalign(ptr %place, i64 HEAD, i64 %with.head)
  %refused = icmp ne i32 %error, 0
  br i1 %refused, label %fail, label %small.block
small.block:
  %library.block = load ptr, ptr %place, align 8
  %library.elements = call ptr @elements(ptr %library.block, i64 0, i64 %size)
  ret ptr %library.elements

pool:
  %capacity = call i64 @capacity(i64 %size)
  %got = call i1 @try_lock()
  br i1 %got, label %search, label %map
search:
  %old = call ptr @withdraw(i64 %capacity)
  call void @unlock()
  %none = icmp eq ptr %old, null
  br i1 %none, label %map, label %give
map:
  %new = call ptr @mmap(ptr null, i64 %capacity, i32 3, i32 ANONYMOUS, i32 -1, i64 0)
  %failed = icmp eq ptr %new, inttoptr (i64 -1 to ptr)
  br i1 %failed, label %empty, label %huge
empty:
  ; The memory that the pool holds may be what is missing.
  call void @trim(i64 0)
  %last = call ptr @mmap(ptr null, i64 %capacity, i32 3, i32 ANONYMOUS, i32 -1, i64 0)
  %failed.again = icmp eq ptr %last, inttoptr (i64 -1 to ptr)
  br i1 %failed.again, label %fail, label %huge
huge:
  %mapped = phi ptr [%new, %map], [%last, %empty]
  call void @prefer_huge_pages(ptr %mapped, i64 %capacity)
  br label %give
give:
  %block = phi ptr [%old, %search], [%mapped, %huge]
  %used = atomicrmw add ptr @used, i64 %capacity monotonic
  %elements = call ptr @elements(ptr %block, i64 %capacity, i64 %size)
  ret ptr %elements

fail:
  ret ptr null
}

define void @pool_free(ptr %context, ptr %elements, i64 %size) nounwind {
entry:
  %nothing = icmp eq ptr %elements, null
  br i1 %nothing, label %return, label %something
something:
  %block = getelementptr i8, ptr %elements, i64 -HEAD
  %capacity = load i64, ptr %block, align 8
  %small = icmp eq i64 %capacity, 0
  br i1 %small, label %library, label %pool
library:
  call void @free(ptr %block)
  ret void
pool:
  %used = atomicrmw sub ptr @used, i64 %capacity monotonic
  %limit = load atomic i64, ptr @limit monotonic, align 8
  %large = icmp ugt i64 %capacity, %limit
  br i1 %large, label %unmap, label %try
try:
  %got = call i1 @try_lock()
  br i1 %got, label %keep, label %unmap
keep:
  call void @deposit(ptr %block, i64 %capacity, i64 %limit)
  call void @unlock()
  ret void
unmap:
  %ignored = call i32 @munmap(ptr %block, i64 %capacity)
  br label %return
return:
  ret void
}

define ptr @pool_calloc(ptr %context, i64 %number, i64 %size) nounwind {
entry:
  %product = call {i64, i1} @llvm.umul.with.overflow.i64(i64 %number, i64 %size)
  %overflow = extractvalue {i64, i1} %product, 1
  %total = extractvalue {i64, i1} %product, 0
  br i1 %overflow, label %fail, label %take
take:
  %elements = call ptr @pool_malloc(ptr %context, i64 %total)
  %none = icmp eq ptr %elements, null
  br i1 %none, label %fail, label %clear
clear:
  call void @llvm.memset.p0.i64(ptr %elements, i8 0, i64 %total, i1 false)
  ret ptr %elements
fail:
  ret ptr null
}

define ptr @pool_realloc(ptr %context, ptr %elements, i64 %size) nounwind {
entry:
  %new = call ptr @pool_malloc(ptr %context, i64 %size)
  %failed = icmp eq ptr %new, null
  %nothing = icmp eq ptr %elements, null
  %done = or i1 %failed, %nothing
  br i1 %done, label %return, label %copy
copy:
  %size.pointer = getelementptr i8, ptr %elements, i64 -56
  %before = load i64, ptr %size.pointer, align 8
  %common = call i64 @llvm.umin.i64(i64 %before, i64 %size)
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %elements, i64 %common, i1 false)
  call void @pool_free(ptr %context, ptr %elements, i64 0)
  br label %return
return:
  ret ptr %new
}
"""

# A function of Python's C interface (METH_FASTCALL) that calls numpy.empty with the handler set.
_EMPTY = """
@handler = global ptr null, align 8
@numpy_empty = global ptr null, align 8

declare ptr @PyDataMem_SetHandler(ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare void @Py_DecRef(ptr)
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_Restore(ptr, ptr, ptr)

define ptr @empty(ptr %self, ptr %arguments, i64 %count) {
entry:
  %type = alloca ptr, align 8
  %value = alloca ptr, align 8
  %traceback = alloca ptr, align 8
  %handler = load ptr, ptr @handler, align 8
  %old = call ptr @PyDataMem_SetHandler(ptr %handler)
  %refused = icmp eq ptr %old, null
  br i1 %refused, label %fail, label %call
call:
  %function = load ptr, ptr @numpy_empty, align 8
  %array = call ptr @PyObject_Vectorcall(ptr %function, ptr %arguments, i64 %count, ptr null)
  %failed = icmp eq ptr %array, null
  br i1 %failed, label %error, label %restore
error:
  call void @PyErr_Fetch(ptr %type, ptr %value, ptr %traceback)
  br label %restore
restore:
  %ours = call ptr @PyDataMem_SetHandler(ptr %old)
  call void @Py_DecRef(ptr %ours)
  call void @Py_DecRef(ptr %old)
  br i1 %failed, label %raise, label %return
raise:
  %first = load ptr, ptr %type, align 8
  %second = load ptr, ptr %value, align 8
  %third = load ptr, ptr %traceback, align 8
  call void @PyErr_Restore(ptr %first, ptr %second, ptr %third)
  ret ptr null
return:
  ret ptr %array
fail:
  ret ptr null
}
"""
