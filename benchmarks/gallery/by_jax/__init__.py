"""The programs of the gallery as users of JAX write them, each under the name that it has in `docs/gallery`."""
