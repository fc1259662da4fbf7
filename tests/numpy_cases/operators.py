"""Cases of operators, in-place operators, indexing, assignment and elements."""

CASES = """
x + y
x - v
x * 2
2 * x
x / y
x // y
x % y
x ** 2
2 ** x
2.0 ** j  # strict: TypeError
-x
+x
abs(x)
abs(c)
~b
~j
j & i
j | 1
1 | j
j ^ i
j << 1
j >> i
b & m
b | m
b ^ m
x @ v
a @ a
v @ w
r @ a
x < y
x <= 1
1 < x
x == y
x != v
x > 0
x >= y
j == 3
divmod(x, y)
divmod(j, 2)
divmod(7, j)
pow(v, 2)
x + nx
nx + x
x - nv
nv - x
x * nx
nx * x
x / nx
nx / y
x // ny
nx // y
x % ny
nx % y
v ** nw
nv ** w
j & ni
nj & i
j | nj
nj | j
nj ^ i
j << ni
nj << i
nj >> i
nb & m
b & nm
nb | m
x @ nv
nx @ v
na @ a
x < nx
nx < x
nx <= y
x == nx
nx == y
nx != y
nx > y
nx >= y
divmod(nx, y)
divmod(x, ny)
x + np.float64(1)
np.float64(1) + x
x * np.float32(2)
np.float32(2) * f
np.float64(2) * f
np.int64(2) * j
j + np.int64(1)
np.int64(1) - j
u + np.uint8(250)
np.uint8(250) + u
x / np.int64(2)  # strict: TypeError
np.bool_(True) & b
np.complex128(1j) * c
c * np.complex128(1j)
np.float64(2) ** x
np.float64(2) < x
np.float64(2) // x
np.float64(2) @ x
x @ np.float64(2)
x + ns
ns + x
s + nx
nx * s
x + j  # strict: TypeError
j + x  # strict: TypeError
x * b  # strict: TypeError
u + j
f + x
c * x
j / 2  # strict: TypeError
j / i  # strict: TypeError
j // 2
j ** 2
i ** i
j ** -1
u - u
u + 1
u * 300
b + b  # strict: TypeError
b - b
b * True  # strict: TypeError
b + 1  # strict: TypeError
-b
x + None
x + "a"
x + [1.0, 2.0, 3.0]  # strict: TypeError
[1.0, 2.0, 3.0] + x  # strict: TypeError
(1.0, 2.0, 3.0) * v  # strict: TypeError
x & y
x + np.ones(4)  # beside
x + np.ones((4, 1, 1))  # beside
x == None
x == "a"
x != None
e + v
e * 2
s + s
s * 2
not s
bool(s)
float(s)
int(s)
complex(s)
float(v)
bool(v)
int(k)
k.__index__()
round(v[0])
round(v[0], 1)
len(x)
len(s)
list(range(k))
x += 1; x
x += y; x
x += v; x
x -= nx; x
x *= nv; x
x /= np.float64(2); x
x //= 2; x
x %= ny; x
x **= 2; x
j += i; j
j += ni; j
j += 1.5
j /= 2
j //= ni + 1; j
j &= ni; j
j |= 8; j
j ^= i; j
j <<= 1; j
j >>= ni; j
b &= nm; b
b |= m; b
u += 250; u
f += nx; f  # strict: TypeError
f += x; f  # strict: TypeError
x += f; x
x += j; x  # strict: TypeError
a @= a; a
a @= na; a
v += x
nx += x; nx
nx += v; nx
nx -= y; nx
nx *= v; nx
nx /= y; nx
nx **= v; nx
nv @= a
nj += i; nj
nj &= i; nj
nj += x
nb |= m; nb
nj //= i + 1; nj
s += 1; s
e += 1; e
c *= 2; c
q = x; q += 1; q is x
q = v[:2]; q += 1; v
q = x[0]; q += 1; x  # strict: IndexError
q = x[:, 1]; q *= 0; x
x[0]  # strict: IndexError
x[0, 1]
x[0][1]  # strict: IndexError
x[-1, -1]
x[1:]  # strict: IndexError
x[:, 1]
x[::-1]  # strict: IndexError
x[::2, ::-1]
x[..., 0]
x[None]  # strict: IndexError
x[:, None, 1:]
x[()]  # strict: IndexError
x[...]
s[()]
s[...]
s[None]
x[2]
x[0, 3]
x[0, 0, 0]
x[1.5]
x["a"]
v[i]
x[:, i]  # strict: IndexError
x[i % 2]  # strict: IndexError
x[i % 2, i]
x[[0, 1, 1]]  # strict: IndexError
x[[1], [0, 2]]
x[[0, 1], 1:]  # strict: IndexError
x[:, [0, 2]]  # strict: IndexError
x[b]
x[m]
x[:, m]  # strict: IndexError
x[x > 1]
x[nb]
x[:, nm]  # strict: IndexError
x[nx > 1]
x[ni % 2, ni]
x[ni % 2]  # strict: IndexError
v[ni]
v[np.int64(1)]
v[np.uint8(1)]
x[np.int64(1), np.int64(2)]
x[np.array(1)]  # strict: IndexError
x[np.bool_(True)]  # strict: IndexError
x[True]  # strict: IndexError
x[k - 1]  # strict: IndexError
x[k - 1, k]
v[k]
x[k - 1:]  # strict: IndexError
x[[True, False]]
x[[True, False], 1]  # strict: IndexError
x[(0, 1)]
x[[]]  # strict: IndexError
x[np.array([], dtype=int)]  # strict: IndexError
x[np.array([0.5])]
x[np.ix_([0, 1], [0, 2])]
x[np.nonzero(x > 1)]
x[np.where(b)]
x[np.newaxis, 0]  # strict: IndexError
x[np.s_[0:1, ::2]]
nx[b]  # converts
nx[:, i]  # converts
nv[i]  # converts
nv[m]  # converts
nv[k]  # numpy
nx[i % 2, i]  # converts
nv[i[0]]  # numpy
t[..., i]  # strict: IndexError
t[:, i, 0]  # strict: IndexError
t[:, i, [0, 1, 2]]  # strict: IndexError
t[0, :, [0, 1]]  # strict: IndexError
t[[0, 1], :, [0, 1]]  # strict: IndexError
t[1, ..., None]
t[[0], 1, 2]
t[x > 0]
e[0:0]  # strict: IndexError
e[0]
e[:, 1]
e[e > 0]
c[0].real  # strict: IndexError
v[[0, 5]]
v[np.array([True, False])]
x[0] = 9; x  # strict: IndexError
x[0, 1] = 9; x
x[:, 1] = v[:2]; x
x[0] = nv; x  # strict: IndexError
x[1:3] = nv; x  # strict: IndexError
x[:] = nx * 2; x  # strict: IndexError
x[...] = 1; x
x[0] = [1, 2, 3]; x  # strict: IndexError
x[0] = (1.0, 2.0, 3.0); x  # strict: IndexError
x[:, 0] = [7, 8]; x  # strict: TypeError
x[:, :2] = [[1, 2], [3, 4]]; x  # strict: TypeError
x[0] = range(3); x  # strict: IndexError
x[0, 0] = np.float32(3); x
x[0, 0] = np.int64(3); x  # strict: TypeError
x[0, 0] = s; x
x[0, 0] = ns; x
x[0] = s; x  # strict: IndexError
x[b] = 0; x
x[nb] = 0; x
x[b] = -1.5; x
x[x > 1] = x[x > 1] * 2; x
x[b] = nv[: int(b.sum())] if b.sum() < 3 else nv; x  # strict: TypeError
x[:, m] = 5; x  # strict: IndexError
x[:, nm] = [[1, 2], [3, 4]] if m.sum() == 2 else 0; x  # strict: TypeError
v[i] = w; v  # strict: IndexError
v[i] = nw; v  # strict: IndexError
v[ni] = w; v  # strict: IndexError
v[[0, 2]] = [5, 6]; v  # strict: IndexError
v[[0, 2]] = 1; v  # strict: IndexError
x[[0, 1], [1, 2]] = [5.0, 6.0]; x  # strict: IndexError
x[np.ix_([0, 1], [0, 2])] = 0; x  # strict: IndexError
x[np.where(b)] = 0; x  # strict: IndexError
x[np.nonzero(nb)] = 1; x  # strict: IndexError
x[k - 1] = 0; x  # strict: IndexError
x[k - 1, k] = 0; x  # strict: IndexError
x[np.array(1)] = 4; x  # strict: IndexError
x[np.int64(0), np.int64(1)] = 4; x
x[0] = y; x
x[0] = [1, 2]
x[5] = 1
x["a"] = 1
x[0, 0] = 1j
x[0, 0] = c[0, 0]
x[0, 0] = "a"
x[0, 0] = "1.5"; x
x[0, 0] = None
x[0, 0] = [1, 2]
x[0, 0] = True; x  # strict: TypeError
j[0] = 1.7; j  # strict: IndexError
j[0] = x[0]; j  # strict: IndexError
j[0] = nx[0]; j  # strict: IndexError
j[0] = True; j  # strict: IndexError
u[0, 0] = 300
u[0, 0] = -1
b[0] = 1; b  # strict: IndexError
b[0] = [0, 1, 2]; b  # strict: IndexError
f[0] = nx[0]; f  # strict: IndexError
f[0] = x[0]; f  # strict: IndexError
c[0] = 1; c  # strict: IndexError
c[0] = x[0]; c  # strict: IndexError
c[0] = nv; c  # strict: IndexError
s[()] = 4; s
s[...] = 4; s
e[:] = 1; e  # strict: IndexError
t[0, :, 1] = v; t
t[..., 0] = x; t
t[:, [0, 1], 0] = nx[:, :2]; t  # strict: IndexError
t[1] = nx[0, 0]; t  # strict: IndexError
t[[0, 1], :, [1, 2]] = v; t  # strict: IndexError
nx[0] = v; nx
nx[:] = x * 2; nx
nx[b] = 0; nx
nx[b] = x[b]; nx
nv[i] = w; nv
nv[k] = 7; nv
nx[0, 0] = s; nx
nx[1, 1] = x[0, 0]; nx
nx[k - 1, k] = v[0]; nx
v[0], v[1] = v[1], v[0]; v
x[0, 0], x[1, 1] = x[1, 1], x[0, 0]; x
t[0, 0, 0], t[1, 2, 3] = t[1, 2, 3], t[0, 0, 0]; t
x[0], x[1] = x[1], x[0]; x  # strict: IndexError
x[[0, 1]] = x[[1, 0]]; x  # strict: IndexError
v[[0, 1]] = v[[1, 0]]; v  # strict: IndexError
acc = v[0]; acc += 1; v
acc = x[0, 1]; acc *= 5; (acc, x)
acc = t[1, 2, 3]; acc -= 5; (acc, t)
acc = v[k]; acc += 1; (acc, v)
acc = x[k - 1, k]; acc += 1; (acc, x)
acc = v[np.int64(0)]; acc += 1; (acc, v)
acc = v[-1]; v[-1] = 9; acc
old = v[0]; v[0] = 9; old
old = x[1, 2]; x[1, 2] = 9; old
old = x[0]; x[0] = 9; old  # strict: IndexError
old = v[0, ...]; v[0] = 9; old
old = x[0, ...]; x[0] = 9; old  # strict: IndexError
old = x[0, 1, ...]; x[0, 1] = 9; old
q = x[0, 1, ...]; q[...] = 8; x
q = v[0, ...]; q += 8; v
q = s[()]; s[()] = 1; q
q = s[...]; s[()] = 1; q
for q in v: q *= 10
for q in x: q *= 10  # strict: IndexError
for q in v: q += 1; v[0] = 3
[float(q) for q in v]
list(x)  # strict: IndexError
list(v)
list(e)
sum(v)
max(v)
min(v)
sorted(v)
tuple(v)
[*v]
q, h = x; (q, h)  # strict: IndexError
q, h, l = v; (q, h, l)
q, *h = v; (q, h)
list(zip(v, w))
list(enumerate(v))
list(reversed(v))
2.0 in v
5 in i
v[0] + v[1]
v[0] == 3
v[0] if v[0] > 1 else 0
{int(i[0]): 1}
i[0] + 1
[10, 20, 30][i[0]]
"abcdef"[i[0]]
range(i[0])
f"{v[0]:.2f}"
"%.2f" % v[0]
"%d" % i[0]
str(v)
str(x)
str(s)
hash(x)
math.sqrt(v[0])
math.floor(s)
math.ceil(s)
math.trunc(s)
isinstance(v[0], float) or True
"""
