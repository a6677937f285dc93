"""Kernels of windows that slide over images."""
