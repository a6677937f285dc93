"""Memory of arrays: aligned, guarded, used again."""
