"""Functions of Python on plain arrays as operations."""
