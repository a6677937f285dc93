"""Steps of a Python loop that were written out by tracing become a loop again."""
