"""Operations that run a tape: how a whole function becomes one step of another tape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Tape, output_specs


class TapeCall(Primitive):
    """A primitive that runs the tape in its parameter ``tape`` on its operands and returns a tuple.

    Args:
        name: its name on a tape.
        run: ``run(tape, values)`` gives the tape's outputs.
    """

    __slots__ = ()

    def __init__(self, name: str, run: Callable[[Tape, Any], list[Any]], batch: Callable[..., Any]) -> None:
        def evaluate(*values: Any, tape: Tape, **_: Any) -> tuple[Any, ...]:
            return tuple(run(tape, values))

        def spec(*specs: Spec, tape: Tape, **_: Any) -> tuple[Spec, ...]:
            return output_specs(tape, specs)

        super().__init__(name, "general", ("*xs",), evaluate, spec, {"xs": no_rule}, batch=batch)


def no_rule(g: Any) -> Any:
    """What stands for the rule of an operand where the link of the whole call does the work."""
    raise NotImplementedError
