"""One operation more in a compiled loop: what it costs, and whether it matters how it is written."""
