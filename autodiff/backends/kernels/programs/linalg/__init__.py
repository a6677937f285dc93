"""Matrices in kernels of whole programs: by loops of our own and by NumPy's, and what derivatives of them ask."""
