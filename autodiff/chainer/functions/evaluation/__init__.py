"""Functions that say how good predictions are."""
