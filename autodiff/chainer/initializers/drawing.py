"""How the random initializers draw: from the given generator, or from the global state of the array's module."""

from __future__ import annotations

from math import sqrt
from typing import Any

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.initializer import Initializer
from autodiff.trace.source import at_user_line


class RandomInitializer(Initializer):
    """An initializer that draws numbers.

    Args:
        dtype: the dtype of the arrays to be made for it.
        options: ``rng``, a ``numpy.random.RandomState`` or ``Generator``; without it the numbers come from the global
            state, so that ``np.random.seed`` decides them.
    """

    rng: Any

    def __init__(self, dtype: Any, options: dict[str, Any]) -> None:
        unknown = sorted(options.keys() - {"rng"})
        if unknown:
            raise TypeError(
                f"{type(self).__name__} got unexpected keyword argument(s) {', '.join(map(repr, unknown))}"
                f"{at_user_line()}; it takes scale, dtype and rng"
            )
        super().__init__(dtype)
        self.rng = options.get("rng")

    def _fill(self, array: Any, distribution: str, **parameters: Any) -> None:
        """Fill the array with numbers drawn as float64."""
        array[...] = self._draw(array, distribution, size=array.shape, **parameters)

    def _draw(self, array: Any, distribution: str, **parameters: Any) -> Any:
        self._check_dtype(array)
        xp = get_array_module(array)
        generator = xp.random if self.rng is None else self.rng
        return xp.asarray(getattr(generator, distribution)(**parameters))


def root(number: float, fans: int) -> float:
    """``sqrt(number / fans)``, the scale that keeps a variance; 0 for a layer without connections."""
    return sqrt(number / fans) if fans else 0.0
