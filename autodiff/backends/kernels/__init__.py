"""Kernels: what several operations of a tape become together, as the text of one function of numbers and addresses."""
