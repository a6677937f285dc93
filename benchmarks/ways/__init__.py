"""Programs of science, each written in two ways, beside JAX."""
