"""NumPy's products, norms, polynomials and what belongs to matrices."""
