"""Run the tests of another array library with Arrays in place of that library's arrays.

``python -m conformance.peers numpy|cupy|autograd --source CHECKOUT`` runs the tests of a checkout of NumPy, CuPy or
HIPS autograd and counts the outcomes by kind. The runner copies none of the checkout's files.
"""
