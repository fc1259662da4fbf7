"""Fourier transforms of several rows or columns at once, whose elements are the lanes of vectors.

The passes are those of Stockham's algorithm: each reads one buffer and writes the other, so that the results are in
order. Real and imaginary parts lie in vectors of their own, and the roots of unity are the same for all lanes: no
pass needs a permutation of lanes. The elements of a row are brought into this order, and back, by the transposition
of small blocks.
"""

from __future__ import annotations

import functools
import math
import struct

from . import _compile, _threads
from ._lines import Lines
from ._quantized_rows import RUN, SHARE, loads

__all__ = ["RADICES", "address", "lanes"]

RADICES = (8, 4, 2, 3, 5, 7, 11)
"""Factors of lengths, each of which has a pass."""

FLOATS = {"f": ("float", 4), "d": ("double", 8)}

Complex = tuple[str, str]


def lanes(kind: str) -> int:
    """Return the number of numbers that are transformed at one time."""
    return (64 if _compile.has_feature("avx512f") else 32) // FLOATS[kind][1]


@functools.cache
def address(name: str, kind: str) -> int:
    """Return the address of a kernel for NumPy's letter of the parts of numbers."""
    count = lanes(kind)
    key, symbols = f"fourier {name} {kind} {count}", _threads.symbols()
    text = {"transform": _transform_text, "fold": _fold_text}[name]
    return _compile.compile_module(lambda: text(kind, count), ["run"], key=key, symbols=symbols)["run"]


class _Vectors(Lines):
    """Writes instructions of vectors, whose names are pairs for complex numbers."""

    def __init__(self, kind: str, count: int) -> None:
        super().__init__()
        self.part, self.bytes = FLOATS[kind]
        self.count = count
        self.vector = f"<{count} x {self.part}>" if count > 1 else self.part
        self.suffix = f"{f'v{count}' if count > 1 else ''}f{8 * self.bytes}"

    def constant(self, number: float) -> str:
        if self.part == "float":
            number = struct.unpack("f", struct.pack("f", number))[0]
        text = f"0x{struct.unpack('Q', struct.pack('d', number))[0]:016X}"
        return f"splat ({self.part} {text})" if self.count > 1 else text

    def splat(self, number: str) -> str:
        if self.count == 1:
            return number
        one = self.let(f"insertelement {self.vector} poison, {self.part} {number}, i64 0")
        return self.let(f"shufflevector {self.vector} {one}, {self.vector} poison, <{self.count} x i32> zeroinitializer")

    def permuted(self, x: str, y: str, order: list[int]) -> str:
        mask = ", ".join([f"i32 {number}" for number in order])
        return self.let(f"shufflevector {self.vector} {x}, {self.vector} {y}, <{len(order)} x i32> <{mask}>")

    def load(self, base: str, index: str | int) -> str:
        return self.let(f"load {self.vector}, ptr {self.at(self.part, base, index)}, align {self.bytes}")

    def store(self, value: str, base: str, index: str | int) -> None:
        self.lines.append(f"  store {self.vector} {value}, ptr {self.at(self.part, base, index)}, align {self.bytes}")

    def number_at(self, base: str, index: str | int) -> str:
        """Write the same number in all lanes."""
        return self.splat(self.let(f"load {self.part}, ptr {self.at(self.part, base, index)}, align {self.bytes}"))

    def op(self, name: str, x: str, y: str) -> str:
        return self.let(f"{name} {self.vector} {x}, {y}")

    def negative(self, x: str) -> str:
        return self.let(f"fneg {self.vector} {x}")

    def fma(self, x: str, y: str, z: str) -> str:
        function = f"call {self.vector} @llvm.fmuladd.{self.suffix}"
        return self.let(f"{function}({self.vector} {x}, {self.vector} {y}, {self.vector} {z})")

    def add(self, x: Complex, y: Complex) -> Complex:
        return self.op("fadd", x[0], y[0]), self.op("fadd", x[1], y[1])

    def subtract(self, x: Complex, y: Complex) -> Complex:
        return self.op("fsub", x[0], y[0]), self.op("fsub", x[1], y[1])

    def multiply(self, x: Complex, y: Complex) -> Complex:
        real = self.fma(x[0], y[0], self.negative(self.op("fmul", x[1], y[1])))
        return real, self.fma(x[0], y[1], self.op("fmul", x[1], y[0]))

    def interleaved(self, x: Complex) -> list[str]:
        """Write the numbers of two vectors, as they lie in memory."""
        order = [number // 2 + self.count * (number % 2) for number in range(2 * self.count)]
        return [self.permuted(*x, order[: self.count]), self.permuted(*x, order[self.count :])]

    def transform(self, xs: list[Complex]) -> list[Complex]:
        """Write the transform of a few numbers."""
        return self.of_even(xs) if len(xs) % 2 == 0 else self.of_odd(xs)

    def of_even(self, xs: list[Complex]) -> list[Complex]:
        half = len(xs) // 2
        if half == 1:
            return [self.add(*xs), self.subtract(*xs)]
        even, odd = self.of_even(xs[::2]), self.of_even(xs[1::2])
        odd = [self.rotated(x, number, len(xs)) for number, x in enumerate(odd)]
        pairs = list(zip(even, odd, strict=True))
        return [self.add(*pair) for pair in pairs] + [self.subtract(*pair) for pair in pairs]

    def rotated(self, x: Complex, number: int, count: int) -> Complex:
        """Write the product with a root of unity of at most eight."""
        if number == 0:
            return x
        eighth = 8 * number // count
        if eighth == 2:
            return x[1], self.negative(x[0])
        sum, difference = self.op("fadd", *x), self.op("fsub", x[1], x[0])
        root = self.constant(math.sqrt(0.5))
        if eighth == 1:
            return self.op("fmul", sum, root), self.op("fmul", difference, root)
        return self.op("fmul", difference, root), self.op("fmul", sum, self.constant(-math.sqrt(0.5)))

    def of_odd(self, xs: list[Complex]) -> list[Complex]:
        """Write that of a prime number of them, by sums and differences of the pairs whose roots are conjugates."""
        count, first = len(xs), xs[0]
        pairs = range(1, count // 2 + 1)
        sums = [self.add(xs[number], xs[count - number]) for number in pairs]
        differences = [self.subtract(xs[number], xs[count - number]) for number in pairs]
        results = [first] * count
        for x in sums:
            results[0] = self.add(results[0], x)
        for k in pairs:
            even, odd = first, ("", "")
            for j, total, difference in zip(pairs, sums, differences, strict=True):
                angle = 2.0 * math.pi * (j * k % count) / count
                cos, sin = self.constant(math.cos(angle)), self.constant(math.sin(angle))
                even = self.fma(total[0], cos, even[0]), self.fma(total[1], cos, even[1])
                if j == 1:
                    odd = self.op("fmul", difference[0], sin), self.op("fmul", difference[1], sin)
                else:
                    odd = self.fma(difference[0], sin, odd[0]), self.fma(difference[1], sin, odd[1])
            turned = odd[1], self.negative(odd[0])
            results[k], results[count - k] = self.add(even, turned), self.subtract(even, turned)
        return results


def _declarations(*vectors: _Vectors) -> str:
    return "\n".join([f"declare {v.vector} @llvm.fmuladd.{v.suffix}({v.vector}, {v.vector}, {v.vector})" for v in vectors])


def _pass_text(kind: str, count: int, radix: int) -> str:
    """Return the function of a pass.

    For ``p < m`` and ``q < s``, the transform of ``x[q + s (p + m j)]`` over ``j``, times ``w^(p k)`` with the root of
    unity ``w`` of ``m radix``, is ``y[q + s (radix p + k)]``.
    """

    def body(twiddled: bool) -> str:
        v = _Vectors(kind, count)
        tag = "t" if twiddled else "u"
        v.names = (f"%{tag}{number}" for number in range(1 << 30))
        row = f"[{2 * count} x {v.part}]"
        start = v.at(row, "%x", f"%{tag}.from")
        xs = []
        for j in range(radix):
            place = v.at(row, start, v.let(f"mul i64 %apart, {j}")) if j else start
            xs.append((v.load(place, 0), v.load(place, count)))
        ys = v.transform(xs)
        out = v.at(row, "%y", f"%{tag}.to")
        for k, y in enumerate(ys):
            if twiddled and k:
                w = v.number_at("%w.here", 2 * k - 2), v.number_at("%w.here", 2 * k - 1)
                y = v.multiply(y, w)
            place = v.at(row, out, v.let(f"mul i64 %s, {k}")) if k else out
            v.store(y[0], place, 0)
            v.store(y[1], place, count)
        return "\n".join(v.lines)

    part = FLOATS[kind][0]
    return f"""
define internal void @pass{radix}(ptr noalias %x, ptr noalias %y, i64 %m, i64 %s, ptr noalias %w) noinline nounwind {{
entry:
  %apart = mul i64 %m, %s
  br label %plain
plain:
  %u.from = phi i64 [0, %entry], [%u.next, %plain]
  %u.to = add i64 %u.from, 0
{body(twiddled=False)}
  %u.next = add i64 %u.from, 1
  %u.more = icmp ult i64 %u.next, %s
  br i1 %u.more, label %plain, label %check
check:
  %several = icmp ugt i64 %m, 1
  br i1 %several, label %outer, label %end
outer:
  %p = phi i64 [1, %check], [%p.next, %outer.end]
  %w.from = mul i64 %p, {2 * (radix - 1)}
  %w.here = getelementptr {part}, ptr %w, i64 %w.from
  %base = mul i64 %p, %s
  %base.to = mul i64 %base, {radix}
  br label %inner
inner:
  %q = phi i64 [0, %outer], [%q.next, %inner]
  %t.from = add i64 %base, %q
  %t.to = add i64 %base.to, %q
{body(twiddled=True)}
  %q.next = add i64 %q, 1
  %q.more = icmp ult i64 %q.next, %s
  br i1 %q.more, label %inner, label %outer.end
outer.end:
  %p.next = add i64 %p, 1
  %p.more = icmp ult i64 %p.next, %m
  br i1 %p.more, label %outer, label %end
end:
  ret void
}}
"""


_SWAPPED = """
  %first = mul i64 %swap, COUNT
  %second = sub i64 COUNT, %first
  %reals = getelementptr PART, ptr %buffer, i64 %first
  %imags = getelementptr PART, ptr %buffer, i64 %second
"""
"""Lines that compute where real and imaginary parts are in the buffer."""


def _columns_text(kind: str, count: int) -> str:
    """Return the functions that read and write columns, whose elements of a row are adjacent."""
    v = _Vectors(kind, count)
    swapped = _SWAPPED.replace("COUNT", str(count)).replace("PART", v.part)
    vectors = v.load("%here", 0), v.load("%here", count)
    index = v.let(f"mul i64 %i, {2 * count}")
    v.store(v.permuted(*vectors, list(range(0, 2 * count, 2))), "%reals", index)
    v.store(v.permuted(*vectors, list(range(1, 2 * count, 2))), "%imags", index)
    load, v.lines = "\n".join(v.lines), []
    index = v.let(f"mul i64 %i, {2 * count}")
    scaled = v.op("fmul", v.load("%reals", index), "%scale"), v.op("fmul", v.load("%imags", index), "%scale")
    for number, vector in enumerate(v.interleaved(scaled)):
        v.store(vector, "%here", number * count)
    store, v.lines = "\n".join(v.lines), []
    scale = v.splat("%factor")
    scaling = "\n".join(v.lines) + f"\n  %scale = fadd {v.vector} {scale}, {v.constant(-0.0)}"
    return f"""
define internal void @load_columns(ptr noalias %x, i64 %step, ptr noalias %buffer, i64 %n, i64 %swap, i64 %full,
    ptr noalias %edge, i64 %edge.step) noinline nounwind {{
entry:
{swapped}
  br label %row
row:
  %i = phi i64 [0, %entry], [%i.next, %row]
  %whole = icmp ult i64 %i, %full
  %distance = mul i64 %i, %step
  %inside = getelementptr i8, ptr %x, i64 %distance
  %behind = icmp ugt i64 %i, %full
  %edge.distance = select i1 %behind, i64 %edge.step, i64 0
  %outside = getelementptr i8, ptr %edge, i64 %edge.distance
  %here = select i1 %whole, ptr %inside, ptr %outside
{load}
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %row, label %end
end:
  ret void
}}

define internal void @store_columns(ptr noalias %y, i64 %step, ptr noalias %buffer, i64 %n, i64 %swap, {v.part} %factor)
    noinline nounwind {{
entry:
{swapped}
{scaling}
  br label %row
row:
  %i = phi i64 [0, %entry], [%i.next, %row]
  %distance = mul i64 %i, %step
  %here = getelementptr i8, ptr %y, i64 %distance
{store}
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %row, label %end
end:
  ret void
}}
"""


def _transposed(v: _Vectors, rows: list[str]) -> list[str]:
    """Write the transposition of a square of numbers: at each step, those of two rows at a distance change places."""
    count, distance = v.count, v.count // 2
    while distance:
        for first in range(count):
            if first & distance:
                continue
            x, y = rows[first], rows[first + distance]
            upper = [lane if not lane & distance else lane - distance + count for lane in range(count)]
            lower = [lane + distance if not lane & distance else lane + count for lane in range(count)]
            rows[first], rows[first + distance] = v.permuted(x, y, upper), v.permuted(x, y, lower)
        distance //= 2
    return rows


_ROWS_LOOP = """
entry:
SWAPPED
  %last = sub i64 %n, HALF
  br label %block
block:
  %j = phi i64 [0, %entry], [%j.next, %block]
  %before = icmp ult i64 %j, %last
  %i = select i1 %before, i64 %j, i64 %last
  %from = mul i64 %i, TWICE
  %distance = mul i64 %i, PAIR
  %here = getelementptr i8, ptr %x, i64 %distance
BODY
  %j.next = add i64 %j, HALF
  %more = icmp ult i64 %j.next, %n
  br i1 %more, label %block, label %end
end:
  ret void
}
"""
"""A loop over blocks of rows, the last of which ends with the rows and overlaps the block before."""


def _rows_text(kind: str, count: int) -> str:
    """Return the functions that read and write rows."""
    v = _Vectors(kind, count)

    def loop(body: list[str], head: str = "") -> str:
        swapped = _SWAPPED.replace("COUNT", str(count)).replace("PART", v.part)
        text = _ROWS_LOOP.replace("SWAPPED", swapped + head).replace("BODY", "\n".join(body))
        text = text.replace("TWICE", str(2 * count)).replace("HALF", str(count // 2))
        return text.replace("PAIR", str(2 * v.bytes))

    def row(lane: int) -> str:
        return v.at("i8", "%here", v.let(f"mul i64 %step, {lane}"))

    columns = _transposed(v, [v.load(row(lane), 0) for lane in range(count)])
    starts = [v.at(v.part, base, "%from") for base in ("%reals", "%imags")]
    for number, column in enumerate(columns):
        v.store(column, starts[number % 2], number // 2 * 2 * count)
    load, v.lines = loop(v.lines), []
    scale = v.splat("%factor")
    head = "\n".join(v.lines) + f"\n  %scale = fadd {v.vector} {scale}, {v.constant(-0.0)}\n"
    stores = []
    for twiddled in (False, True):
        v.lines = []
        starts = [v.at(v.part, base, "%from") for base in ("%reals", "%imags")]
        columns = []
        if twiddled:
            lane_roots = v.at(v.part, "%roots", "%from")
            block_roots = v.at(v.part, "%powers", v.let("mul i64 %i, 2"))
        for number in range(count // 2):
            x = v.load(starts[0], number * 2 * count), v.load(starts[1], number * 2 * count)
            if twiddled:
                w1 = v.load(lane_roots, number * 2 * count), v.load(lane_roots, number * 2 * count + count)
                w2 = v.number_at(block_roots, 2 * number), v.number_at(block_roots, 2 * number + 1)
                x = v.multiply(x, v.multiply(w1, w2))
            else:
                x = v.op("fmul", x[0], "%scale"), v.op("fmul", x[1], "%scale")
            columns += x
        for lane, vector in enumerate(_transposed(v, columns)):
            v.store(vector, row(lane), 0)
        stores.append(loop(v.lines, "" if twiddled else head))
    arguments = "ptr noalias %x, i64 %step, ptr noalias %buffer, i64 %n, i64 %swap"
    return f"""
define internal void @load_rows({arguments}) noinline nounwind {{
{load}

define internal void @store_rows({arguments}, {v.part} %factor) noinline nounwind {{
{stores[0]}

define internal void @store_rows_twiddled({arguments}, ptr noalias %roots, ptr noalias %powers) noinline nounwind {{
{stores[1]}
"""


_TRANSFORM = loads(
    "%arguments",
    *("ptr x", "i64 x.step", "i64 x.lane", "i64 x.group", "i64 x.swap", "i64 x.rows"),
    *("ptr edge", "i64 full"),
    *("ptr y", "i64 y.step", "i64 y.lane", "i64 y.group", "i64 y.swap", "i64 y.rows"),
    *("i64 n", "i64 members", "i64 groups", "ptr passes", "ptr twiddles", "double scale"),
    *("ptr roots", "ptr powers", "ptr scratch"),
)


def _transform_text(kind: str, count: int) -> str:
    v = _Vectors(kind, count)
    factor = "%factor = fptrunc double %scale to float" if kind == "f" else "%factor = fadd double %scale, -0.0"
    cases = " ".join([f"i64 {radix}, label %radix{radix}" for radix in RADICES])
    calls = "\n".join(
        [
            f"radix{radix}:\n  call void @pass{radix}(ptr %source, ptr %target, i64 %m, i64 %s, ptr %w)\n"
            "  br label %pass.end"
            for radix in RADICES
        ]
    )
    return f"""
{_declarations(v)}
{RUN.replace("BODY", "")}
{"".join([_pass_text(kind, count, radix) for radix in RADICES])}
{_columns_text(kind, count)}
{_rows_text(kind, count)}

define internal void @job(ptr %arguments, i64 %part, i64 %parts) nounwind {{
entry:
{_TRANSFORM}
  {factor}
  %more.members = add i64 %members, {count - 1}
  %blocks = udiv i64 %more.members, {count}
  %count = mul i64 %blocks, %groups
{SHARE}
  %last.start = sub i64 %members, {count}
  %size = mul i64 %n, {2 * count}
  %scratch.size = mul i64 %size, 2
  %scratch.from = mul i64 %part, %scratch.size
  %buffer1 = getelementptr {v.part}, ptr %scratch, i64 %scratch.from
  %buffer2 = getelementptr {v.part}, ptr %buffer1, i64 %size
  %edge.step = mul i64 %members, {2 * v.bytes}
  %any = icmp ult i64 %first, %last
  br i1 %any, label %unit, label %end
unit:
  %u = phi i64 [%first, %entry], [%u.next, %unit.end]
  %group = udiv i64 %u, %blocks
  %block = urem i64 %u, %blocks
  %start.any = mul i64 %block, {count}
  %inside = icmp ult i64 %start.any, %last.start
  %start = select i1 %inside, i64 %start.any, i64 %last.start
  %x.from.group = mul i64 %group, %x.group
  %x.from.lane = mul i64 %start, %x.lane
  %x.from = add i64 %x.from.group, %x.from.lane
  %x.here = getelementptr i8, ptr %x, i64 %x.from
  %y.from.group = mul i64 %group, %y.group
  %y.from.lane = mul i64 %start, %y.lane
  %y.from = add i64 %y.from.group, %y.from.lane
  %y.here = getelementptr i8, ptr %y, i64 %y.from
  %edge.here = getelementptr i8, ptr %edge, i64 %x.from.lane
  %is.rows = icmp ne i64 %x.rows, 0
  br i1 %is.rows, label %load.rows, label %load.columns
load.rows:
  call void @load_rows(ptr %x.here, i64 %x.lane, ptr %buffer1, i64 %n, i64 %x.swap)
  br label %pass
load.columns:
  call void @load_columns(ptr %x.here, i64 %x.step, ptr %buffer1, i64 %n, i64 %x.swap, i64 %full, ptr %edge.here,
    i64 %edge.step)
  br label %pass
pass:
  %pass.at = phi ptr [%passes, %load.rows], [%passes, %load.columns], [%pass.next, %pass.end]
  %source = phi ptr [%buffer1, %load.rows], [%buffer1, %load.columns], [%target, %pass.end]
  %target = phi ptr [%buffer2, %load.rows], [%buffer2, %load.columns], [%source, %pass.end]
{loads("%pass.at", "i64 radix", "i64 m", "i64 s", "i64 w.from")}
  %w = getelementptr {v.part}, ptr %twiddles, i64 %w.from
  %pass.next = getelementptr i64, ptr %pass.at, i64 4
  switch i64 %radix, label %store [ {cases} ]
{calls}
pass.end:
  br label %pass
store:
  %store.rows = icmp ne i64 %y.rows, 0
  br i1 %store.rows, label %rows, label %columns
rows:
  %powers.from = mul i64 %block, %n
  %powers.twice = mul i64 %powers.from, 2
  %powers.here = getelementptr {v.part}, ptr %powers, i64 %powers.twice
  %is.twiddled = icmp ne ptr %roots, null
  br i1 %is.twiddled, label %rows.twiddled, label %rows.plain
rows.twiddled:
  call void @store_rows_twiddled(ptr %y.here, i64 %y.lane, ptr %source, i64 %n, i64 %y.swap, ptr %roots,
    ptr %powers.here)
  br label %unit.end
rows.plain:
  call void @store_rows(ptr %y.here, i64 %y.lane, ptr %source, i64 %n, i64 %y.swap, {v.part} %factor)
  br label %unit.end
columns:
  call void @store_columns(ptr %y.here, i64 %y.step, ptr %source, i64 %n, i64 %y.swap, {v.part} %factor)
  br label %unit.end
unit.end:
  %u.next = add i64 %u, 1
  %unit.more = icmp ult i64 %u.next, %last
  br i1 %unit.more, label %unit, label %end
end:
  ret void
}}
"""


CHUNK = 1024
"""Numbers of each half of a row that are computed at once."""

_FOLD = loads(
    "%arguments",
    *("ptr x", "i64 x.group", "ptr y", "i64 y.group", "i64 m", "i64 groups", "ptr roots"),
    *("i64 is.inverse", "double scale.wide", "double end.wide"),
)


def _folded(v: _Vectors, k: str) -> str:
    """Return the lines that compute some numbers from ``k`` on and as many at the other end of the row.

    With ``r[k] = conj(x[m - k])``, ``e = scale (x + r)`` and ``t = w scale (x - r)``, ``y[k]`` is ``e + t``, and
    ``y[m - k]`` is the conjugate of ``e - t``.
    """
    count, k = v.count, v.let(f"mul i64 {k}, 2")
    other = v.let(f"sub i64 %twice, {v.let(f'add i64 {k}, {2 * count - 2}')}")
    reverse = list(range(count - 1, -1, -1))

    def numbers(base: str, index: str, order: list[int]) -> Complex:
        first, second = v.load(base, index), v.load(base, v.let(f"add i64 {index}, {count}"))
        if count == 1:
            return first, second
        return v.permuted(first, second, [2 * i for i in order]), v.permuted(first, second, [2 * i + 1 for i in order])

    def write(x: Complex, index: str, order: list[int]) -> None:
        mixed = [i + part * count for i in order for part in (0, 1)]
        for half in (0, 1):
            value = x[half] if count == 1 else v.permuted(*x, mixed[half * count : (half + 1) * count])
            v.store(value, "%y", v.let(f"add i64 {index}, {half * count}"))

    x, r = numbers("%x", k, reverse[::-1]), numbers("%x", other, reverse)
    w = numbers("%roots", k, reverse[::-1])
    scale, sign = v.splat("%scale"), v.splat("%sign")
    even = v.op("fadd", x[0], r[0]), v.op("fsub", x[1], r[1])
    odd = v.op("fsub", x[0], r[0]), v.op("fadd", x[1], r[1])
    even = v.op("fmul", even[0], scale), v.op("fmul", even[1], scale)
    odd = v.op("fmul", odd[0], scale), v.op("fmul", odd[1], scale)
    turned = v.multiply(odd, (w[0], v.op("fmul", w[1], sign)))
    write(v.add(even, turned), k, reverse[::-1])
    write((v.op("fsub", even[0], turned[0]), v.op("fsub", turned[1], even[1])), other, reverse)
    return "\n".join(v.lines)


def _fold_text(kind: str, count: int) -> str:
    """Return the kernel that makes the transform of real numbers of that of their pairs, as complex numbers, or back."""
    one, many = _Vectors(kind, 1), _Vectors(kind, count)
    many.names = (f"%v{number}" for number in range(1 << 30))
    part, size = one.part, one.bytes
    convert = "fptrunc double %{0}.wide to float" if kind == "f" else "fadd double %{0}.wide, -0.0"
    return f"""
{_declarations(one, many)}
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
{RUN.replace("BODY", "")}
define internal void @job(ptr %arguments, i64 %part, i64 %parts) nounwind {{
entry:
{_FOLD}
  %scale = {convert.format("scale")}
  %end = {convert.format("end")}
  %inverse = icmp ne i64 %is.inverse, 0
  %half = udiv i64 %m, 2
  %half.up = add i64 %half, {CHUNK - 1}
  %chunks.any = udiv i64 %half.up, {CHUNK}
  %chunks = call i64 @llvm.umax.i64(i64 %chunks.any, i64 1)
  %count = mul i64 %chunks, %groups
{SHARE}
  br label %test
test:
  %u = phi i64 [%first, %entry], [%u.next, %middle]
  %u.next = add i64 %u, 1
  %inside = icmp ult i64 %u, %last
  br i1 %inside, label %unit, label %done
unit:
  %group = udiv i64 %u, %chunks
  %chunk = urem i64 %u, %chunks
  %x.from = mul i64 %group, %x.group
  %x.here = getelementptr i8, ptr %x, i64 %x.from
  %y.from = mul i64 %group, %y.group
  %y.here = getelementptr i8, ptr %y, i64 %y.from
  %is.first = icmp eq i64 %chunk, 0
  br i1 %is.first, label %ends, label %middle
ends:
  %behind = mul i64 %m, {2 * size}
  %x.last = getelementptr i8, ptr %x.here, i64 %behind
  %x.imag = getelementptr {part}, ptr %x.here, i64 1
  %second.at = select i1 %inverse, ptr %x.last, ptr %x.imag
  %one = load {part}, ptr %x.here, align {size}
  %two = load {part}, ptr %second.at, align {size}
  %sum = fadd {part} %one, %two
  %difference = fsub {part} %one, %two
  %sum.scaled = fmul {part} %sum, %end
  %difference.scaled = fmul {part} %difference, %end
  %y.imag = getelementptr {part}, ptr %y.here, i64 1
  store {part} %sum.scaled, ptr %y.here, align {size}
  br i1 %inverse, label %ends.inverse, label %ends.forward
ends.inverse:
  store {part} %difference.scaled, ptr %y.imag, align {size}
  br label %middle
ends.forward:
  %y.last = getelementptr i8, ptr %y.here, i64 %behind
  %y.last.imag = getelementptr {part}, ptr %y.last, i64 1
  store {part} 0.0, ptr %y.imag, align {size}
  store {part} %difference.scaled, ptr %y.last, align {size}
  store {part} 0.0, ptr %y.last.imag, align {size}
  br label %middle
middle:
  %chunk.from = mul i64 %chunk, {CHUNK}
  %from = add i64 %chunk.from, 1
  %to.any = add i64 %chunk.from, {CHUNK + 1}
  %to.half = add i64 %half, 1
  %to = call i64 @llvm.umin.i64(i64 %to.any, i64 %to.half)
  %sign = select i1 %inverse, {part} -1.0, {part} 1.0
  call void @fold(ptr %x.here, ptr %y.here, i64 %m, ptr %roots, {part} %sign, {part} %scale, i64 %from, i64 %to)
  br label %test
done:
  ret void
}}

define internal void @fold(ptr %x, ptr %y, i64 %m, ptr noalias %roots, {part} %sign, {part} %scale, i64 %from, i64 %to)
    noinline nounwind {{
entry:
  %twice = mul i64 %m, 2
  br label %many.test
many.test:
  %k = phi i64 [%from, %entry], [%k.next, %many]
  %k.next = add i64 %k, {count}
  %all = icmp ule i64 %k.next, %to
  %reach = add i64 %k, %k.next
  %reach.last = add i64 %reach, {count - 1}
  %apart = icmp ule i64 %reach.last, %m
  %vectors = and i1 %all, %apart
  br i1 %vectors, label %many, label %one.test
many:
{_folded(many, "%k")}
  br label %many.test
one.test:
  %j = phi i64 [%k, %many.test], [%j.next, %one]
  %j.next = add i64 %j, 1
  %some = icmp ult i64 %j, %to
  br i1 %some, label %one, label %end
one:
{_folded(one, "%j")}
  br label %one.test
end:
  ret void
}}
"""
