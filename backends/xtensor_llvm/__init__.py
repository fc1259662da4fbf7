"""Kernels of machine code for the host's CPU, compiled by LLVM: an overlay over NumPy."""
