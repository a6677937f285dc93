"""Functions that arrange elements."""
