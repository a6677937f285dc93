"""scipy.sparse.csgraph, graphs as sparse matrices: Laplacians of dense ones; others refuse traced values by name."""

from autodiff.scipy.python_code import with_formulas

__getattr__ = with_formulas("scipy.sparse.csgraph", "laplacian")
