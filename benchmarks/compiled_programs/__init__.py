"""Programs to compile: one idea a file, written for each library side by side."""
