"""What an operation is, and how it is recorded."""
