"""The functions of the language of kernels as intrinsics of Numba, which print what `backends/llvm` prints.

Importing this package imports Numba only where one of its functions is called.
"""
