"""What the reader of the graph and transformations need of a function that a user wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class AppliedFunction(Protocol):
    """A FunctionNode, as those see it that call its ``backward``.

    Attributes:
        inputs: the nodes of the Variables that it was applied to; None before.
        outputs: references to the nodes of its results; None before.
    """

    inputs: Any
    outputs: Any
    _local_function_hooks: Any

    @property
    def label(self) -> str:
        """Its name in messages and pictures."""

    def backward_accumulate(self, target_input_indexes: Any, grad_outputs: Any, grad_inputs: Any) -> Any:
        """The gradients of some inputs, added to those that are there."""

    def check_type_forward(self, in_types: Any) -> None:
        """Refuse inputs that the function cannot take."""

    def apply(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """The results for some inputs, in the graph."""

    def _run(self, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
        """The results for arrays, without a graph."""

    def _run_later(self) -> None:
        """Compute what was put off until somebody needs it."""
