"""The same programs as users of JAX write them: each has `loss(p)`."""
