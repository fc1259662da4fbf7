"""Cases of methods and attributes, conversions, files, random numbers, iteration, subclasses and other dtypes."""

CASES = """
x.all()
b.all(axis=0)
b.any(1, keepdims=True)
x.argmax()
x.argmax(1)
x.argmin(axis=0, keepdims=True)
v.argpartition(1)[1]
v.argsort()
x.argsort(axis=0)
x.argsort(None)
x.astype(np.float32)
x.astype("int64")
x.astype(int)
j.astype(float)
x.astype(bool)
x.astype(np.float64, copy=False) is x
x.astype(np.int64, casting="safe")
c.astype(float)
i.choose([v, w, v])
x.clip(0, 1)
x.clip(min=0)
x.clip(max=nv)
x.clip(0, 1, out=x) is x
x.compress([True, False], axis=0)
v.compress(m)
c.conj()
x.conjugate()
x.copy()
q = x.copy(); q[0] = 1; x  # strict: IndexError
x.copy(order="F")
x.cumprod()
x.cumsum()
x.cumsum(axis=1)
x.cumsum(0, dtype=np.float32)
a.diagonal()
a.diagonal(1)
x.dot(v)
x.dot(nv)
v.dot(w)
x.fill(3); x
x.fill(s); x
x.flatten()
x.flatten("F")
q = x.flatten(); q[0] = 9; x
x.item(0)
x.item(0, 1)
x.item((0, 1))
s.item()
x.item()
j.item(4)
x.max()
x.max(0)
x.max(axis=1, keepdims=True)
x.max(initial=100)
x.max(axis=0, initial=0, where=b)
b.max()
e.max()
x.mean()
x.mean(0)
x.mean(dtype=np.float32)
x.mean(axis=1, where=b)
j.mean()  # strict: TypeError
x.min()
x.min(axis=(0, 1))
u.min()
x.nonzero()
v.partition(1); v[1]
x.prod()
x.prod(axis=0)
u.prod()
np.ptp(x, 0)
x.put([0, 1], [7, 8]); x
x.ravel()
x.ravel("F")
q = x.ravel(); q[0] = 9; x
x.repeat(2)
x.repeat([1, 2], axis=0)
x.reshape(3, 2)
x.reshape((3, 2))
x.reshape(-1)
x.reshape(3, 2, order="F")
q = x.reshape(-1); q[0] = 9; x
x.reshape(4)
x.round()
x.round(1)
x.round(decimals=1)
j.round()
j.round(-1)
w.searchsorted(v)
w.searchsorted(1.5, side="right")
v.sort(); v
x.sort(axis=0); x
x.sort(); x
x[None].squeeze()  # strict: IndexError
x[None].squeeze(0)  # strict: IndexError
x.squeeze(axis=1)
x.std()
x.std(axis=0)
x.std(ddof=1)
x.std(0, np.float64, None, 1)
j.std()
x.sum()
x.sum(0)
x.sum(axis=(0, 1), keepdims=True)
x.sum(1, np.float32)
x.sum(where=b)
x.sum(initial=5)
j.sum()
u.sum()
b.sum()  # strict: TypeError
x.swapaxes(0, 1)
x.take([0, 1])
x.take(i, axis=1)
x.take(4)
v.take([5], mode="clip")
x.tobytes()
x.tolist()
s.tolist()
a.trace()
a.trace(offset=1)
x.transpose()
t.transpose(2, 0, 1)
t.transpose((1, 0, 2))
x.var()
x.var(axis=1, ddof=1)
v.view(np.int64)  # strict: TypeError
x.T
a.T
t.mT
x.shape
x.ndim
x.size
x.itemsize
x.nbytes
x.dtype
x.dtype == np.float64
x.dtype == "float64"
x.dtype.kind
c.real
c.imag
x.real
x.imag
x.__len__()
x.flat[4]
list(map(float, x.flat))
q = x.copy(); q.flat[1:3] = 7; q
q = x.copy(); q.flat = 5; q
x.base
x.data
x.ctypes
x.nonsense
np.array(x)  # converts
np.array([v, w])  # converts
np.array([v, nw])  # converts
np.array([v[0], v[1]])  # converts
np.array([s, 1.0])  # converts
np.array([x, y])  # converts
np.array([[s, s], [s, s]])  # converts
np.array(x, dtype=np.float32)  # converts
np.array(x, copy=True)  # converts
np.array(x, ndmin=3)  # converts
np.asarray(x)  # converts
np.asarray(x, dtype=int)  # converts
np.asarray([v, w])  # converts
np.asarray(s)  # converts
np.asanyarray(x)  # converts
np.ascontiguousarray(x)  # converts
np.asfortranarray(x)  # converts
np.asarray_chkfinite(x)  # converts
np.asarray_chkfinite(z)  # converts
np.require(x, dtype=np.float32)  # converts
np.float64(s)  # numpy
np.float32(s)  # converts
np.int64(k)  # converts
np.dtype(x.dtype)
np.asarray([1, 2], like=x)
np.array([1.0, 2.0], like=x)
np.array([1.0], dtype=np.float32, ndmin=2, like=x)
np.asanyarray([1], like=x)
np.zeros((2, 2), like=x)
np.ones(3, dtype=int, like=x)
np.empty((2,), like=x).shape
np.full((2,), 7, like=x)
np.arange(3, like=x)
np.arange(0.0, 1.0, 0.25, like=x)
np.eye(2, like=x)
np.identity(2, like=x)
np.tri(2, like=x)
np.fromfunction(lambda q, h: q + h, (2, 2), like=x)
np.fromiter([1.0, 2.0], float, like=x)
np.frombuffer(b"abcd", dtype=np.uint8, like=x)
np.fromstring("1 2 3", sep=" ", like=x)
np.zeros(v.shape)  # numpy
np.zeros(len(v))  # numpy
np.arange(k)  # converts, strict: TypeError
np.arange(i[0])  # converts, strict: TypeError
np.zeros(i[0])  # numpy
np.full((2,), s)  # converts
np.full((2, 3), v)  # converts
np.eye(k)  # numpy
np.linspace(0, 1, i[0])  # numpy
h = io.BytesIO(); np.save(h, x); h.seek(0); np.load(h)  # numpy
h = io.BytesIO(); np.savez(h, x, q=v); h.seek(0); np.load(h)["q"]  # numpy
h = io.BytesIO(); np.savez(h, x, q=v); h.seek(0); np.load(h)["arr_0"]  # numpy
h = io.BytesIO(); np.savez_compressed(h, q=x); h.seek(0); np.load(h)["q"]  # numpy
h = io.StringIO(); np.savetxt(h, x); h.getvalue()
h = io.StringIO(); np.savetxt(h, x, fmt="%.1f", delimiter=","); h.getvalue()
h = io.BytesIO(); np.save(h, s); h.seek(0); np.load(h)  # numpy
rng.permutation(v)  # converts
rng.permutation(x)  # converts
rng.permutation(x, axis=1)  # converts
rng.permuted(x, axis=1)  # converts
rng.choice(v)  # converts
rng.choice(v, 2)  # converts
rng.choice(v, 2, replace=False)  # converts
rng.choice(v, 4, p=[0.2, 0.3, 0.5])  # converts
rng.choice(3, 4, p=w / w.sum())  # converts
rng.choice(x, 2, axis=1)  # converts
rng.shuffle(v); v
rng.normal(v, 1)  # converts
rng.normal(x, np.abs(y))  # converts
rng.poisson(v)  # converts
rng.integers(0, i + 1)  # converts
rng.multivariate_normal(v, a)  # converts, ulp: 256
rng.random(x.shape)  # numpy
np.random.RandomState(0).permutation(v)  # converts
np.random.RandomState(0).choice(v, 2)  # converts
np.vectorize(lambda q: q + 1)(x)  # converts
np.vectorize(math.floor, otypes=[float])(x)  # converts
np.vectorize(lambda q, h: q * h)(x, v)  # converts
np.vectorize(lambda q: q.sum(), signature="(n)->()")(x)  # converts
np.testing.assert_allclose(x, x)  # converts
np.testing.assert_allclose(x, y)  # converts
np.testing.assert_allclose(x, nx)  # converts
np.testing.assert_array_equal(x, x)  # converts
np.testing.assert_array_equal(x, nx)  # converts
np.testing.assert_array_equal(x, y)  # converts
np.testing.assert_array_equal(z, z)  # converts
np.testing.assert_array_equal(v, [3.0, 1.0, 2.0])  # converts
np.testing.assert_array_less(x, x + 1)  # converts
np.testing.assert_array_less(x, x)  # converts
np.testing.assert_equal(x, x)
np.testing.assert_equal(x, y)
np.testing.assert_equal(x.shape, (2, 3))
np.testing.assert_almost_equal(x, x)
np.testing.assert_almost_equal(s, 2.5)  # numpy
np.testing.assert_array_almost_equal(x, x + 1e-9)  # converts
np.testing.assert_array_almost_equal(x, y)  # converts
np.testing.assert_array_almost_equal_nulp(x, x)  # numpy
np.testing.assert_approx_equal(v[0], 3.0)  # numpy
np.testing.assert_array_max_ulp(x, x)  # converts
list(np.ndindex(x.shape))
[x[q] for q in np.ndindex(*x.shape)]
[q for q, _ in np.ndenumerate(x)]  # converts
[float(h) for _, h in np.ndenumerate(x)]  # converts
[float(q) for q in np.nditer(x)]
np.nditer([x, v]).shape
np.broadcast(x, v).shape  # converts
np.broadcast(x, nv).shape  # converts
np.broadcast_shapes(x.shape, v.shape)
np.iterable(x)
np.iterable(s)
np.isscalar(x)
np.isscalar(s) or True
np.issubdtype(x.dtype, np.floating)
np.promote_types(x.dtype, f.dtype)
np.finfo(x.dtype).eps  # numpy
np.iinfo(j.dtype).max
np.mgrid[0:k].shape  # host, strict: TypeError
np.r_[v, w]  # converts
np.r_[v, 1.0, nw]  # converts
np.r_[0.0, v]  # converts
np.c_[v, w]  # converts
np.flatiter
np.matrix(x)  # converts
np.asmatrix(a)  # converts
x + np.matrix([1.0, 2.0, 3.0])  # host
np.matrix([1.0, 2.0, 3.0]) + x  # host
np.matrix([[1.0, 2.0], [3.0, 4.0]]) * x
np.matrix([1.0, 2.0, 3.0]) * v
np.add(x, np.matrix([1.0, 2.0, 3.0]))  # host
np.ma.array(x)  # converts
np.ma.masked_array(x, mask=nb)  # converts
np.ma.masked_where(nb, x)  # converts
np.ma.masked_invalid(z)  # converts
x + np.ma.array(nx, mask=nb)
np.ma.array(nx, mask=nb) + x
np.ma.array(nx, mask=nb) * v
np.add(x, np.ma.array(nx, mask=nb))
np.multiply(np.ma.array(nx, mask=nb), x)
np.rec.fromarrays([v, w], names="q,h")["h"]  # converts
x + np.rec.array([(1.0, 2)], dtype=[("q", float), ("h", int)])
x + mapped
mapped + x
mapped * v
np.add(x, mapped)
np.concatenate([x, mapped])
mapped[0] = v; mapped
mapped += x; mapped
x + np.array(["a", "b", "c"])
v == np.array(["a", "b", "c"])  # converts
np.array(["a", "b", "c"])[i]  # host
np.array(["a", "b", "c"])[m]  # host
np.array([1, 2, 3], dtype=object)[i]  # host
np.array([1.0, None, 2.0], dtype=object)[m]  # host
np.array([1, 2, 3], dtype=object) + v  # host
v + np.array([1, 2, 3], dtype=object)  # host
np.add(v, np.array([1, 2, 3], dtype=object))  # host
np.array(["2020-01-01", "2020-01-02", "2020-01-03"], dtype="M8[D]")[i]  # host
np.array(["2020-01-01", "2020-01-02", "2020-01-03"], dtype="M8[D]") + i  # host
i * np.timedelta64(1, "D")  # host
np.timedelta64(1, "D") * i  # host
np.datetime64("2020-01-01") + i  # host
np.multiply(i, np.timedelta64(1, "D"))  # host
x + np.datetime64("2020-01-01")
np.array([1, 2, 3], dtype="m8[s]") * v  # host
np.array([1, 2, 3], dtype="m8[s]") / v  # host
np.where(m, np.array(["a", "b", "c"]), "d")  # host
np.select([m], [np.array(["a", "b", "c"])], "z")  # host
np.concatenate([v, np.array([1, 2], dtype=object)])  # host
np.char.add(np.array(["a", "b", "c"]), "x")[i]  # host
np.array([v, "a"], dtype=object).shape  # converts
pickle.loads(pickle.dumps(x))
copy.copy(x)
copy.deepcopy(x)
copy.deepcopy(s)
memoryview(np.asarray(x)).shape  # converts
np.asarray(memoryview(np.asarray(v)))  # converts
np.piecewise(v, [m], [1.0, 2.0])
np.piecewise(v, [nm], [1.0, 2.0])
np.result_type(x.dtype, 1)
np.printoptions(precision=2).__enter__() is not None and str(x[0])  # strict: IndexError
np.format_float_positional(s)  # numpy
np.format_float_scientific(v[0])  # numpy
np.base_repr(k)  # numpy
np.binary_repr(k)  # numpy
np.lib.scimath.sqrt(x)
np.lib.recfunctions.unstructured_to_structured(x)  # numpy
np.size([x, y])  # host
np.shape(5)
np.max([v, w])  # converts
np.mean([v, w], axis=0)  # converts
np.stack([v, [1.0, 2.0, 3.0]])
np.sort([s, s])  # converts
np.hypot(*v[:2])
np.linalg.norm([s, s])  # converts
"""
