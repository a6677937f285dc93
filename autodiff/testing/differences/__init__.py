"""Numerical derivatives, how far they can be trusted, and the kinks at which there is none."""
