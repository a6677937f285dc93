"""A whole program as one kernel: for programs of small arrays, where calls from Python would be most of the cost."""
