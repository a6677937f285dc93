"""Functions that compute."""
