"""What is no part of the language."""

from __future__ import annotations


class Unsuited(Exception):
    """A kernel, or a loop of one, has something that is not known here; the text says what."""
