"""A whole program as one kernel: for programs of small arrays, where each call from Python would be most of the cost."""
