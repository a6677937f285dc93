"""Functions that draw random numbers, from the global generator of the array module."""
