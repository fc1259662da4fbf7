"""The core: the table of operations, dtypes, devices, dispatch and the Array. It knows no function of the namespace.

Modules import downwards only, in this order: compiled, errors, operations, boundary, dtypes, backend, implementation,
registry, device, devices, failures, calls, checks, transfers, operands, dispatch, indexing, views, inplace, methods,
operators, conversions, interchange, memory, array. ``functions``, with the corrections, is imported where a device
opens. Type checkers alone import annotations.
"""
