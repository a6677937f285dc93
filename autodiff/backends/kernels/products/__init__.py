"""Kernels of products: large matrices, stacks of small ones, convolutions."""
