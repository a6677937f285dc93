"""Looking into programs while they run: callbacks, breakpoints, and where NaN comes from."""

from autodiff.debug.callbacks import breakpoint, callback, print
from autodiff.debug.nans import NotFiniteError, check_nans

__all__ = ["NotFiniteError", "breakpoint", "callback", "check_nans", "print"]
