"""Compiled programs take turns: libraries in interpreters of their own, measured in one run."""
