"""Elementwise functions (Array API standard 2025.12, "Element-wise Functions").

The functions of one array, and those of two operands, are declarations: the decorator makes the function of a name, a
signature, a docstring and a row of the table of operations. For all of them:

- Operands broadcast against one another, and their dtypes promote; a Python scalar takes the array's dtype where its
  kind allows. Where the standard leaves a dtype open (integers with floating-point numbers, or in their place), NumPy's
  rule decides; the device ``strict`` refuses.
- Operands are on one device, and the result is there too; a 0-d array on the host may join any of them.
- Where a docstring says that a result is not specified, devices may differ.
"""
