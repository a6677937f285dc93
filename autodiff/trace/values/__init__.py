"""What takes part in a computation: where it lies, how it is laid out, and what is refused."""
