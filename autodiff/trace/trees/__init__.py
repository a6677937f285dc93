"""Containers with arrays in them, taken apart and put together."""
