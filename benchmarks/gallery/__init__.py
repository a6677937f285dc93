"""The programs of the gallery beside the same programs written for JAX."""
