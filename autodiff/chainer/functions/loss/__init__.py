"""Functions that are minimised."""
