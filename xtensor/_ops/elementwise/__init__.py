"""Elementwise functions (Array API standard 2025.12, "Element-wise Functions").

A function of one or two operands is a declaration: the decorator builds the function from the declaration's name,
signature and docstring, and adds a row to the table of operations. The functions share these rules:

- Operands broadcast, and their dtypes promote. A Python scalar takes the dtype of the array where its kind allows.
- Where the standard does not specify a dtype (integers mixed with floating-point numbers, or given in their place),
  NumPy's rule applies; the device ``strict`` raises TypeError.
- Operands and result are on one device. A 0-d array on the host may join operands on another device.
- Where the standard does not specify a result, devices may differ.
"""
