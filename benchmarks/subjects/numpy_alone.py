"""The floor: the same program on plain arrays, recording nothing."""

from __future__ import annotations

import numpy as np

from benchmarks.subjects.subject import Subject


class NumPyAlone(Subject):
    """NumPy and the Python loop around it."""

    name = "numpy alone"
    distribution = "numpy"
    has_gradients = False
    multiply = staticmethod(np.multiply)
    add = staticmethod(np.add)
    tanh = staticmethod(np.tanh)
