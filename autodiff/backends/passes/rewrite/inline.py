"""Calls of other tapes are replaced by what those do."""

from __future__ import annotations

from dataclasses import replace

from autodiff.backends.passes.rewrite.rewriting import Builder, Rules, derived
from autodiff.trace.tape import Equation, Operand, Tape


def inline_call(builder: Builder, equation: Equation) -> tuple[Operand, ...] | None:
    """The operations of a call that carries its tape and the rule of its derivative: to run it, the tape is enough.

    That is ``jit``, ``custom_vjp`` and ``custom_jvp``. Calls without a rule are closed on purpose: ``checkpoint``
    computes again what would otherwise be kept.
    """
    params = dict(equation.params)
    tape = params.get("tape")
    if not isinstance(tape, Tape) or "rule" not in params or tape.constants:
        return None
    if len(equation.operands) != len(tape.inputs):
        return None
    now: list[Operand] = list(equation.operands)
    same = tuple(map(builder.spec, now)) == tape.inputs
    outer = builder.source
    for inner in tape.equations:
        builder.source = inner.source or outer
        operands = tuple(now[o] if isinstance(o, int) else o for o in inner.operands)
        moved = replace(inner, operands=operands, source=builder.source)
        now.extend(builder.place(moved if same else replace(moved, specs=derived(builder, moved))))
    builder.source = outer
    return tuple(now[o] if isinstance(o, int) else o for o in tape.outputs)


INLINE: Rules = {"<general>": (inline_call,)}
