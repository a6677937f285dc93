"""What a primitive asks of the values that it is called with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.trace.failures.classes import ConcretizationError
from autodiff.trace.source import at_user_line


class Traced:
    """A value whose operations are recorded: a :class:`~autodiff.trace.tracer.Tracer` or a Variable."""

    __slots__ = ()

    @property
    def level(self) -> int:
        """When the one who records was made: of several, the largest level records."""
        raise NotImplementedError

    @property
    def spec(self) -> Any:
        """Shape, dtype and kind of the value."""
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        raise NotImplementedError

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        raise NotImplementedError

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return len(self.shape)

    def seen_from(self, level: int) -> Any:
        """The value as a recording of that level sees it: itself, or what a Variable that was made later holds."""
        return self

    def settled(self) -> Any:
        """What takes part in a computation: itself, or the value that it holds for the time being."""
        return self

    def __dask_tokenize__(self) -> Any:
        """Dask asks everything that goes into a graph for its name.

        Raises:
            ConcretizationError: what a task does with the value would not be recorded.
        """
        raise ConcretizationError(
            f"a traced {self.spec!r} would become part of a graph of Dask{at_user_line()} and its derivative would be "
            "lost. Call NumPy's functions in place of Dask's, np.sum(x) and not da.sum(x); inside of a function for "
            "map_blocks take derivatives of what is there"
        )

    def record(
        self,
        primitive: Any,
        operands: Sequence[Any],
        params: Mapping[str, Any],
        apply: Callable[..., Any] | None = None,
    ) -> Any:
        """Run one operation, of whose operands this one was made last, and take note of it."""
        raise NotImplementedError
