"""Links of activations with parameters."""
