"""Readers of a tape: derivatives, batching, staging."""
