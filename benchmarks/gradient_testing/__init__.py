"""Planted faults and right functions, and what gradient checks say of them."""
