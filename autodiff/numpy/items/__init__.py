"""What stands in brackets, read and written: ``x[i]``, ``x[i] = v``, ``np.add.at``."""
