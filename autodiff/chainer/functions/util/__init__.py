"""Functions about functions."""
