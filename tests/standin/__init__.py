"""A stand-in for CuPy: arrays that lie in host memory and behave as if they lay on a GPU.

It has the names, parameters and types of a real CuPy (``names.json``, written by ``record.py``), refuses what that
refuses, and computes with NumPy. It shows that code never moves an array to the host unasked; not that CUDA would
compute the same.
"""
