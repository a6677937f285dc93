"""Complex numbers as pairs of real ones: what kernels, which know real numbers only, can compute."""
