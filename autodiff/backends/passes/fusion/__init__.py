"""Fusion: which operations become one kernel, and what is changed for it."""
