"""The core: the table of operations, dtypes, devices, dispatch and the Array. It knows no function of the namespace.

Modules import downwards only, in this order: errors, fp_warnings, dtypes, operations, compiled, backend, html,
wrapping, kernel_program, corrections, functions, registry, device, failures, checks, keywords, transfers, interchange,
dispatch, indexing, views, inplace, memory, methods, engine_methods, operators, array. Type checkers alone import
annotations.
"""
