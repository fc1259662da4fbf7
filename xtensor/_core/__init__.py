"""The core: the table of operations, dtypes, devices, dispatch and the Array. It knows no function of the namespace.

Modules import downwards only, in this order: errors, dtypes, operations, backend, corrections, functions, registry,
device, checks, transfers, interchange, dispatch, methods, array.
"""
