"""Machine code for NumPy arrays on the CPU, generated with LLVM."""
