"""NumPy's functions of each element, and of its neighbours."""
