"""Kernels of a GPU: what several operations of a tape become together, as CUDA C++ text and how it is launched."""
