"""What must hold of every function, law by law."""
