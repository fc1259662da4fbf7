"""Lines that type checkers refuse, each of them; they raise where they run."""

from __future__ import annotations

import numpy as np

import xtensor as xp

x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
y, z, n = x.copy(), x.copy(), np.ones((2, 2))

# -- operators --------------------------------------------------------------------------------------------------------

x + "a"
"a" + x
x - None
x / object()
x & "a"
x < "a"
x < None
y += "a"
z @= "a"

# -- keys -------------------------------------------------------------------------------------------------------------

x["a"]
x[1.5]
x[1j]
x[0, 1.5]
x[0, "a"]
x[(0, "a"), 0]
x["a":"b"]
x[[0.5, 1.5]]
x[["a"]]
x[n]
x[object()]
x[0] = "a"
x[0] = None
x[0] = ["a", "b"]
x["a"] = 1
x[1.5] = 1

# -- names ------------------------------------------------------------------------------------------------------------

xp.nosuchname
xp.array([1])
xp.concatenate([x, x])
xp.arcsin(x)
xp.linalg.nosuchname
xp.special.nosuchname
x.nosuchname
x.shape = (4,)
xp.Array([1])

# -- arguments --------------------------------------------------------------------------------------------------------

xp.sum("a")
xp.sum({1.0})
xp.sum(x, 0)
xp.sum(x, axis="a")
xp.sum(x, axis=1.5)
xp.sum(x, dtype=3)
xp.sum(x, nosuchoption=1)
xp.mean(x, 0)
xp.sort(x, 1)
xp.tril(x, 1)
xp.zeros(3, int)
xp.asarray(x, float)
xp.asarray("a")
xp.asarray(["a"])
xp.asarray(object())
xp.add(x, "a")
xp.add(x, ["a"])
xp.add(x)
xp.sin("1.0")
xp.concat(x, "a")
xp.concat([x, "a"])
xp.reshape(x, "a")
xp.meshgrid(x[0], indexing="kl")
xp.where(x > 1, x, "a")
xp.astype(x, 3)
xp.zeros("a")
xp.full(3, "a")
xp.linalg.svd("a")
xp.linalg.cholesky(x, True)
xp.fft.fft(x, 4)
xp.fft.fft(x, norm="nosuchword")
xp.special.erf("a")
xp.special.xlogy(x, "a")
x.sum("a")
x.reshape("a")
x.astype(3)
x.take("a")
x.clip("a")
x.dot("a")
x.to_device(3)
xp.device(3)
