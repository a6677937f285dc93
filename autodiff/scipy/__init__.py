"""SciPy's functions by their names, where a plain call of SciPy's own cannot be traced."""
