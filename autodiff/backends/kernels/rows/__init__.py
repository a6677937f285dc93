"""Kernels that run over a grid of rows and columns."""
