"""NumPy's reductions, moments, quantiles, counts and orders."""
