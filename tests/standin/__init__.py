"""A stand-in for CuPy: arrays that lie in host memory and behave as if they lay on a GPU.

It has the names, parameters and types of a real CuPy (``names.json``, written by ``record.py``), refuses what that
refuses, chooses the dtypes that that chooses (``dtypes.json``, written by ``record_dtypes.py``), and computes with NumPy.
Freed memory is poisoned and handed out again at once (``memory.py``), and work can be done as late as CUDA allows
(``streams.py``). It shows that code never moves an array to the host unasked; not that CUDA would
compute the same.
"""
