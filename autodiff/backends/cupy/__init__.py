"""Programs on GPUs: tapes as fused CUDA kernels on CuPy's arrays.

Nothing here imports CuPy before a program runs on a GPU; outside of this folder only
:mod:`autodiff.backends.gpu` may.
"""
