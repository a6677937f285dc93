"""What errors of tracing say: their classes, and their texts."""
