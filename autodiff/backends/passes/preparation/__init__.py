"""Rewriting for kernels: expanding what they do not know, and bringing it into forms that they do well."""
