"""Backends of the libraries and engines that compute for xtensor."""
