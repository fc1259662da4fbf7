"""What the backends of engines share.

An engine is a library that divides arrays into chunks, and computes them when values are needed.

The backend of an engine says by a :class:`Library` how its arrays are made, computed and moved. This package makes the
functions of the table of it, each by one of the ways of ``_ways.py``, so that all engines have the same functions with
the same results. The chunks are computed by the functions of another device, ``cpu`` unless the engine's configuration
names one.

``_library`` and ``_native`` are what a backend derives from; they are imported when a device of it is opened.
"""

from ._backend import ChunkedBackend

__all__ = ["ChunkedBackend"]
