"""The machinery of the passes: a tape is read once, and a new one is written, with rules that say what instead.

A rule looks at one operation whose operands belong to the new tape, and returns a value that stands for its result:
a slot, a literal, or whatever :meth:`Builder.emit` gives. Values are replaced only by values of the same spec, so no
rule can change a dtype, a shape or a kind; a rule that would is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Operand, Tape, as_python, ordered, strict

Params = tuple[tuple[str, Any], ...]
Rule = Callable[["Builder", Equation], "Operand | tuple[Operand, ...] | None"]
Rules = Mapping[str, Sequence[Rule]]
"""Rules by the name of the primitive, by its family in angle brackets, as ``<elementwise>``, or ``<all>``."""

DEEP = 40
"""Rules whose results are rewritten again and again stop here."""


def stays_apart(equation: Equation) -> bool:
    """Whether an operation is done as often as it is there: a copy is another array, and some have their turn."""
    return equation.primitive.name == "copy" or ordered(equation)


class Builder:
    """A tape in the making.

    Args:
        inputs: the specs of its inputs.
        rules: what is tried on each operation.
        merge: whether an operation that was done before is not done again.
        apart: which operations are done again all the same.

    Attributes:
        specs: of all slots so far.
        equations: so far.
        makers: for each slot the operation that fills it, None for inputs.
        uses: for each slot how often the old tape reads what it stands for, as far as the old tape was read.
        source: the user's line of what is being written.
        notes: what rules remember of operations that they have looked at.
    """

    def __init__(
        self,
        inputs: Sequence[Spec],
        rules: Rules,
        merge: bool = False,
        apart: Callable[[Equation], bool] = stays_apart,
    ) -> None:
        self.specs: list[Spec] = list(inputs)
        self.makers: list[Equation | None] = [None] * len(inputs)
        self.equations: list[Equation] = []
        self.uses: dict[int, int] = {}
        self.source = ""
        self.notes: dict[Any, Any] = {}
        self._rules = rules
        self._ready: dict[Primitive, tuple[Rule, ...]] = {}
        self._done: dict[Any, tuple[int, ...]] | None = {} if merge else None
        self._apart = apart
        self._depth = 0

    def spec(self, operand: Operand) -> Spec:
        """The spec of a slot or literal."""
        return self.specs[operand] if isinstance(operand, int) else spec_of(operand.value)

    def made(self, operand: Operand, *names: str) -> Equation | None:
        """The operation that gives an operand, if it is one of the named ones."""
        maker = self.makers[operand] if isinstance(operand, int) else None
        return maker if maker is not None and maker.primitive.name in names else None

    def used_once(self, operand: Operand) -> bool:
        """Whether the old tape reads the operand in one place only."""
        return self.used_at_most(operand, 1)

    def used_at_most(self, operand: Operand, times: int) -> bool:
        """Whether the old tape reads the operand in so many places, or fewer."""
        return isinstance(operand, int) and self.uses.get(operand, 0) <= times

    def done(self, primitive: Primitive, *operands: Operand, like: Spec) -> int | None:
        """The slot in which an operation without parameters was done before, with a result of the given spec."""
        found = None if self._done is None else self._done.get(what(Equation(primitive, operands, (), (), (like,))))
        return None if found is None else found[0]

    def emit(self, primitive: Primitive, *operands: Operand, **params: Any) -> Operand:
        """The result of an operation, which is simplified in turn."""
        specs = primitive.spec(*map(self.spec, operands), **params)
        return self.place(Equation(primitive, operands, tuple(sorted(params.items())), (), (specs,), self.source))[0]

    def place(self, equation: Equation) -> tuple[Operand, ...]:
        """The results of an operation: by a rule, of the same one done before, or of a new equation."""
        if self._depth < DEEP:
            self._depth += 1
            try:
                for rule in self._rules_of(equation.primitive):
                    found = rule(self, equation)
                    if found is None:
                        continue
                    outs = found if isinstance(found, tuple) else (found,)
                    if tuple(map(self.spec, outs)) == equation.specs:
                        return outs
            finally:
                self._depth -= 1
        return self._append(equation)

    def _rules_of(self, primitive: Primitive) -> tuple[Rule, ...]:
        found = self._ready.get(primitive)
        if found is None:
            rules = (rule for key in keys_of(primitive) for rule in self._rules.get(key, ()))
            found = self._ready[primitive] = tuple(rules)
        return found

    def append(self, equation: Equation, operands: tuple[Operand, ...]) -> tuple[int, ...]:
        """The results of an operation with other operands, to which no rule is applied."""
        return self._append(equation.moved(operands, equation.results))

    def _append(self, equation: Equation) -> tuple[int, ...]:
        key = None
        if self._done is not None and not self._apart(equation):
            key = what(equation)
            found = self._done.get(key)
            if found is not None:
                return found
        start = len(self.specs)
        results = tuple(range(start, start + len(equation.specs)))
        if equation.results != results:
            equation = equation.moved(equation.operands, results)
        self.equations.append(equation)
        self.specs.extend(equation.specs)
        self.makers.extend([equation] * len(results))
        if self._done is not None and key is not None:
            self._done[key] = results
        return results


def what(equation: Equation) -> Any:
    """What tells operations with different results apart.

    Numbers are compared as literals are: 0.0 and -0.0 differ. Operands of sums and products may be exchanged.
    """
    operands: Any = equation.operands
    if len(operands) == 2 and equation.primitive.facts.commutative:
        first, second = operands
        if isinstance(second, int) and (not isinstance(first, int) or second < first):
            operands = second, first
    params = tuple((name, strict(value)) for name, value in equation.params)
    return equation.primitive, operands, params, equation.specs


def rewrite(
    tape: Tape,
    rules: Rules,
    *,
    merge: bool = False,
    apart: Callable[[Equation], bool] = stays_apart,
    prepare: Callable[..., Any] | None = None,
) -> Tape:
    """The tape with rules applied to all of its operations, in order.

    Args:
        tape: the old tape.
        rules: what is tried.
        merge: whether an operation that was done before is not done again.
        apart: which operations are done again all the same.
        prepare: ``prepare(builder, tape)`` is called first, and returns what stands for some of the inputs.

    Returns:
        the old tape itself where nothing changes.
    """
    if not merge and prepare is None and not concerned(tape, rules):
        return tape
    builder = Builder(tape.inputs, rules, merge, apart)
    now: list[Operand] = list(range(len(tape.inputs)))
    if prepare is not None:
        now = prepare(builder, tape)
    counts = reads(tape)
    for slot, operand in enumerate(now):
        count_uses(builder, operand, counts[slot])
    for equation in tape.equations:
        operands = tuple([now[o] if isinstance(o, int) else o for o in equation.operands])
        builder.source = equation.source
        if operands != equation.operands:
            equation = equation.moved(operands, equation.results)
        outs = builder.place(equation)
        for out in outs:
            count_uses(builder, out, counts[len(now)])
            now.append(out)
    outputs = tuple(now[o] if isinstance(o, int) else o for o in tape.outputs)
    if outputs == tape.outputs and same_equations(builder.equations, tape.equations):
        return tape
    return replace(tape, equations=tuple(builder.equations), outputs=outputs)


def concerned(tape: Tape, rules: Rules) -> bool:
    """Whether there are rules for any of the operations."""
    primitives = {equation.primitive for equation in tape.equations}
    return any(key in rules for one in primitives for key in keys_of(one))


def keys_of(primitive: Primitive) -> tuple[str, str, str]:
    """The keys of its rules."""
    return primitive.name, f"<{primitive.family}>", "<all>"


def count_uses(builder: Builder, operand: Operand, count: int) -> None:
    """Take note of how often the old tape reads what an operand stands for."""
    if isinstance(operand, int):
        builder.uses[operand] = builder.uses.get(operand, 0) + count


def reads(tape: Tape) -> list[int]:
    """How often each slot is read, by operations and as an output."""
    counts = [0] * len(tape.specs)
    for equation in tape.equations:
        for operand in equation.operands:
            if isinstance(operand, int):
                counts[operand] += 1
    for out in tape.outputs:
        if isinstance(out, int):
            counts[out] += 1
    return counts


def same_equations(one: Sequence[Equation], other: Sequence[Equation]) -> bool:
    """Whether these are the very same equations."""
    return len(one) == len(other) and all(a is b for a, b in zip(one, other))


def joined(*tables: Rules) -> dict[str, list[Rule]]:
    """Several tables of rules as one, in their order."""
    found: dict[str, list[Rule]] = {}
    for table in tables:
        for name, rules in table.items():
            found.setdefault(name, []).extend(rules)
    return found


def for_all(names: Iterable[str], *rules: Rule) -> dict[str, tuple[Rule, ...]]:
    """The same rules for several primitives."""
    return dict.fromkeys(names, rules)


def derived(builder: Builder, equation: Equation) -> tuple[Spec, ...]:
    """The specs of an operation's results for the operands that it has now; Python numbers stay such."""
    operands = [builder.spec(operand) for operand in equation.operands]
    found = equation.primitive.spec(*operands, **dict(equation.params))
    found = found if isinstance(found, tuple) else (found,)
    if all(operand.kind == "python" for operand in operands):
        pairs = zip(found, equation.specs, strict=True)
        return tuple(as_python(now) if written.kind == "python" else now for now, written in pairs)
    return found


def in_bodies(tape: Tape, change: Callable[[Tape], Tape]) -> Tape:
    """The tape with the tapes that its operations carry changed: itself where none is another one then."""
    equations = []
    for each in tape.equations:
        if not any(holds_tapes(value) for _, value in each.params):
            equations.append(each)
            continue
        own = not any(name == "rule" for name, _ in each.params)  # a rule has the tape too
        params = tuple((name, changed(value, change) if own else value) for name, value in each.params)
        other = any(new is not old for (_, new), (_, old) in zip(params, each.params, strict=True))
        equations.append(replace(each, params=params) if other else each)
    same = all(one is other for one, other in zip(equations, tape.equations, strict=True))
    return tape if same else replace(tape, equations=tuple(equations))


def holds_tapes(value: object) -> bool:
    """Whether a parameter is a tape or several."""
    return isinstance(value, Tape) or (isinstance(value, tuple) and any(isinstance(part, Tape) for part in value))


def changed(value: object, change: Callable[[Tape], Tape]) -> object:
    """A parameter with its tapes changed."""
    if isinstance(value, tuple) and holds_tapes(value):
        parts = tuple(changed(part, change) for part in value)
        return value if all(one is other for one, other in zip(parts, value, strict=True)) else parts
    return change(value) if isinstance(value, Tape) else value
