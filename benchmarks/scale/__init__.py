"""Tasks and bytes moved of jobs on the device ``dask``, by the number of chunks, and the limits of dask's scheduler."""
