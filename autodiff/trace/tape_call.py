"""Operations that run a tape: how a whole function becomes one step of another tape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autodiff.trace.parameters import NO_PARAMS, Domain, Params, each, require
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Tape, output_specs

TAPE = Domain("a tape without constants", lambda value, operands: isinstance(value, Tape) and not value.constants)
TAPES = each(TAPE, 1)


def check_operands(tape: Tape, operands: Sequence[Spec]) -> None:
    """Refuse operands of other shapes and dtypes than those for which a tape was recorded."""
    wanted, got = [(s.shape, s.dtype) for s in tape.inputs], [(s.shape, s.dtype) for s in operands]
    require(wanted == got, f"its tape takes {list(tape.inputs)}, and it is given {list(operands)}")


def check_call(*operands: Spec, tape: Tape, **_: Any) -> None:
    """Refuse operands that the tape of a call does not take."""
    check_operands(tape, operands)


class TapeCall(Primitive):
    """A primitive that runs the tape in its parameter ``tape`` on its operands and returns a tuple.

    Args:
        name: its name on a tape.
        run: ``run(tape, values)`` gives the tape's outputs.
        batch: its batching rule.
        params: the domains of its other parameters.
    """

    __slots__ = ()

    def __init__(
        self, name: str, run: Callable[[Tape, Any], list[Any]], batch: Callable[..., Any], params: Params = NO_PARAMS
    ) -> None:
        def evaluate(*values: Any, tape: Tape, **_: Any) -> tuple[Any, ...]:
            return tuple(run(tape, values))

        def spec(*specs: Spec, tape: Tape, **_: Any) -> tuple[Spec, ...]:
            return tape.output_specs if specs == tape.inputs else output_specs(tape, specs)

        own = {"tape": TAPE, **params}
        super().__init__(
            name, "general", ("*xs",), evaluate, spec, {"xs": no_rule}, batch=batch, params=own, check=check_call
        )


def no_rule(g: Any) -> Any:
    """What stands for the rule of an operand where the link of the whole call does the work."""
    raise NotImplementedError
