"""Memory: what operations do to it, and where the arrays of a program lie."""
