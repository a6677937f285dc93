"""Programs over SciPy as people write them, unchanged, beside the same programs written for JAX."""
