"""Functions of Variables that are called often: from some call on their one node of the graph runs kernels."""
