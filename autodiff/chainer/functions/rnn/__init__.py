"""Functions of recurrent networks."""
