"""Links of normalizations."""
