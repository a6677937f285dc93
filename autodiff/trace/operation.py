"""What those that a primitive is made with know of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol


class Operation(Protocol):
    """A :class:`~autodiff.trace.primitive.Primitive`, as its links and its evaluation in chunks see it."""

    name: str
    family: Any
    operands: tuple[str, ...]
    variadic: bool
    moves: bool
    adds: bool | Literal["selected"]
    evaluate: Callable[..., Any]
    spec: Callable[..., Any]
    on_chunks: Callable[..., Any] | None

    @property
    def notes_numbers(self) -> bool:
        """Whether a plain number beside the one differentiated operand is kept, though no rule needs it."""

    def rule(self, position: int) -> Callable[..., Any] | None:
        """The derivative rule of the operand at a position."""

    def positions_of(self, name: str) -> tuple[int, ...]:
        """Positions of the operand of that name."""
