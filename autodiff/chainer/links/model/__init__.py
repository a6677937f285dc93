"""Links of whole models."""
