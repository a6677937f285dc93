"""NumPy's functions that make, join, split and rearrange arrays."""
