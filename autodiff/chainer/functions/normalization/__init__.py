"""Values brought to mean 0 and variance 1, over batches, layers, groups or neighbours."""
