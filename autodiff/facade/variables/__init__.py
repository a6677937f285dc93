"""The Variable: its operators and methods, its gradient, its text."""
