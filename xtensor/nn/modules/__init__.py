"""Layers of neural networks, by family. They are imported from :mod:`xtensor.nn`."""
