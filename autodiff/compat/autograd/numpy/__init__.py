"""NumPy's names, as ``import autograd.numpy as np`` wants them: NumPy's own functions ask traced values what to do."""

from __future__ import annotations

from autodiff.compat.autograd.numpy import fft, linalg, numpy_boxes, numpy_vjps, numpy_vspaces, numpy_wrapper, random  # noqa: F401
from autodiff.compat.autograd.numpy.numpy_wrapper import *  # noqa: F403 - the whole namespace is NumPy's
from autodiff.compat.autograd.numpy.numpy_wrapper import numpy_version as __version__

__all__ = [*numpy_wrapper.__all__, "__version__", "fft", "linalg", "numpy_wrapper", "random"]  # noqa: PLE0604 - NumPy's names are strings
