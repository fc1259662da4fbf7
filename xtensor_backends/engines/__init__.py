"""Common parts of the backends of engines.

An engine is a library that divides arrays into chunks, and computes them when values are needed.

The backend of an engine says by a :class:`Library` how its arrays are made, computed and moved. This package makes the
functions of its table, each by one of the strategies of ``_chunk_strategies.py``, so that all engines have the same
functions with the same results. The chunks are computed by the functions of another device, ``cpu`` unless the engine's
configuration names one.

``_library`` and ``_native`` are what a backend derives from; they are imported when a device of it is opened.
"""

from ._backend import ChunkedBackend

__all__ = ["ChunkedBackend"]
