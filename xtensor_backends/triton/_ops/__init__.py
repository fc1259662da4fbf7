"""Device functions: the operations of the standard on the elements of a block, in the compute dtype.

Kernels pass operands in the compute dtype: float16 and bfloat16 as float32, booleans as uint8 with the values 0 and 1,
integers unchanged, and float32 as float64 where the float32 function of libdevice has an error above 2 ulp. Facts about
Triton that explain the code:

- ``/`` and ``sqrt`` are approximate for float32; ``div_rn`` and ``sqrt_rn`` round correctly.
- ``-x`` is compiled to ``0 - x``, which loses the sign of zero.
- libdevice keeps float32 subnormals with the launcher's options, but states no error for them. Functions with
  ``f(x) ≈ x`` near zero return ``x``; logarithms scale it.
- Integer ``//`` and ``%`` truncate, and are undefined for a zero divisor and for the minimum divided by -1.
- A constant must stand where it is used: the interpreter converts an assigned constant to float32.
"""
