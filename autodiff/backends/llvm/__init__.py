"""Kernels as instructions of LLVM, by llvmlite alone: nothing here imports Numba.

`statements` prints what is no vector, and hands the module to LLVM; `vectors` prints innermost loops, `products` small
matrices and panels of large ones, `mathematics` functions without branches and calls, `memory` loads and stores,
`foreign` calls of other libraries.
"""
