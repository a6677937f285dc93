"""Single operations and small functions without `jit`: value and gradient of one call, small arrays and large ones."""
