"""Programs of NumPy and SciPy alone: each has `start()`, the parameters, and `loss(p)`."""
