"""First meetings with a device: seconds each, and each by itself."""
