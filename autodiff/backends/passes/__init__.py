"""Passes over a tape before it is run: tape to tape, each one small and on its own.

:func:`simplify` runs them all. Single passes are functions from tape to tape too, so that each can be looked at:
``print(drop_broadcasts(tape))``.
"""

from autodiff.backends.passes.rewrite.simplify import simplify

__all__ = ["simplify"]
