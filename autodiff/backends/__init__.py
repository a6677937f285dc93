"""How a tape is run."""
