"""Adam in plain NumPy (Kingma and Ba, 2015, algorithm 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


class Adam:
    """Remembers decaying means of every gradient and of its square, and steps by their ratio.

    Args:
        rate: size of a step while the gradient's sign is steady, in units of the parameter.
    """

    def __init__(self, rate: float = 0.01) -> None:
        self.rate = rate
        self._steps = 0
        self._means: dict[str, Any] = {}
        self._squares: dict[str, Any] = {}

    def step(self, parameters: Mapping[str, Any], gradients: Mapping[str, Any]) -> dict[str, Any]:
        """The next parameters, as new arrays."""
        self._steps += 1
        return {name: array - self._change(name, gradients[name]) for name, array in parameters.items()}

    def _change(self, name: str, gradient: Any) -> Any:
        self._means[name] = mean = 0.9 * self._means.get(name, 0.0) + 0.1 * gradient
        self._squares[name] = square = 0.999 * self._squares.get(name, 0.0) + 0.001 * gradient**2
        mean, square = mean / (1 - 0.9**self._steps), square / (1 - 0.999**self._steps)
        return self.rate * mean / (np.sqrt(square) + 1e-8)
