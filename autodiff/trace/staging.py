"""Recording a whole function as a frozen tape."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from autodiff.trace.errors import run_user_code
from autodiff.trace.failures.operations import explained
from autodiff.trace.live import EXPLAINED, immutable, same_bits
from autodiff.trace.primitive import PRIMITIVES, Primitive
from autodiff.trace.recording import Recording, TracingBody
from autodiff.trace.source import user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Literal, Operand, Tape, as_python, ordered
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer, concrete
from autodiff.trace.trees.tree import TreeDef, flatten
from autodiff.trace.values.leaves import as_leaf
from autodiff.trace.values.weak_numbers import is_whole, settled

ON_TRUTH_VALUES = frozenset(("add", "subtract", "multiply", "negative", "positive", "absolute", "invert"))
"""Operators whose results are integers in Python where all operands are truth values, and truth values in NumPy."""


class Body(Recording):
    """Records every operation of one run of a function as an equation.

    Traced values from outside that the function closes over become further inputs, *captures*; plain arrays become
    constants. Slots are numbered as they appear here, and renumbered when the tape is frozen.
    """

    __slots__ = ("captured", "constants", "equations", "inputs", "seen", "specs", "with_values")
    purpose: ClassVar[str] = "the recording of a tape (make_tape, vmap, checkpoint, ...)"

    def __init__(self, with_values: bool = False) -> None:
        super().__init__()
        self.with_values = with_values
        self.specs: list[Spec] = []
        self.inputs: list[int] = []
        self.equations: list[Equation] = []
        self.captured: dict[Any, tuple[Any, Tracer]] = {}
        self.constants: list[tuple[Any, int]] = []
        self.seen: dict[int, tuple[Callable[[], Any], Any, int]] = {}

    def close(self) -> None:
        super().close()
        self.captured = {}  # traced values of this body, which refer back to it

    def slot(self, spec: Spec) -> int:
        self.specs.append(spec)
        return len(self.specs) - 1

    def input(self, value: Any) -> Tracer:
        """A new input: a spec, or a value where the body runs with values."""
        slot = self.slot(spec_of(value))
        self.inputs.append(slot)
        return Tracer(value, self, slot)

    def capture(self, outside: Any) -> Tracer:
        """The input that stands for a traced value from outside."""
        if isinstance(outside, Tracer):  # the handle may be pointed at something else later
            outside = Tracer(outside.primal, outside.recording, outside.slot)
        key = capture_key(outside)
        found = self.captured.get(key)
        if found is None:
            value = concrete(outside) if self.with_values else spec_of(outside)
            tracer = Tracer(value, self, self.slot(spec_of(outside)))
            found = self.captured[key] = (outside, tracer)
        return found[1]

    def lift(self, value: Any) -> Tracer:
        return self.capture(value)

    def own(self, operand: Any) -> Any:
        """An operand as this recording sees it: its own traced value, or a plain one."""
        if isinstance(operand, Traced):
            operand = operand.seen_from(self.level)
        if isinstance(operand, Tracer) and operand.recording is self:
            return operand
        return self.capture(operand) if isinstance(operand, Traced) else as_leaf(operand)

    def operand(self, operand: Any) -> Operand:
        """An operand as an equation names it."""
        if isinstance(operand, Tracer):
            return operand.slot  # type: ignore[no-any-return]
        return self.constant(operand) if spec_of(operand).kind == "array" else Literal(operand)

    def constant(self, array: Any) -> int:
        """The slot of a plain array as it is now: a buffer that was written to since it was last seen is a new one."""
        found = self.seen.get(id(array))
        if found is None or found[0]() is not array or (found[1] is not array and not same_bits(found[1], array)):
            kept = array if immutable(array) else frozen_copy(array)
            found = self.seen[id(array)] = (reference(array), kept, self.slot(spec_of(array)))
            self.constants.append(found[1:])
        return found[2]

    def record(
        self,
        primitive: Primitive,
        operands: Sequence[Any],
        params: Mapping[str, Any],
        apply: Callable[..., Any] | None = None,
    ) -> Any:
        self.check_open(primitive.name)
        owned = [self.own(operand) for operand in operands]
        try:
            if not self.with_values and any(map(is_whole, owned)):
                owned = settled(primitive, owned)
            if self.with_values:
                out = (apply or primitive)(*(o.primal if isinstance(o, Tracer) else o for o in owned), **params)
            else:
                if primitive.name in ON_TRUTH_VALUES and is_operator(apply):
                    owned = self.counted(owned)
                out = abstract(primitive, list(map(spec_of, owned)), params, apply)
        except EXPLAINED as error:
            raise explained(error, primitive.name, operands) from None
        outs = out if isinstance(out, tuple) else (out,)
        specs = tuple(map(spec_of, outs))
        results = tuple(map(self.slot, specs))
        self.equations.append(
            Equation(
                primitive,
                tuple(map(self.operand, owned)),
                tuple(sorted(params.items())),
                results,
                specs,
                user_line(),
            )
        )
        traced = tuple(Tracer(o, self, slot) for o, slot in zip(outs, results, strict=True))
        return traced if isinstance(out, tuple) else traced[0]

    def counted(self, operands: list[Any]) -> list[Any]:
        """The operands of Python's arithmetic, for which truth values are the integers 0 and 1."""
        if not all(own.kind == "python" and own.dtype == bool for own in map(spec_of, operands)):
            return operands
        return [self.record(PRIMITIVES["multiply"], (operand, 1), {}, operator.mul) for operand in operands]

    def freeze(self, outs: Sequence[Any], arguments: TreeDef, results: TreeDef) -> Staged:
        """The tape that computes the given values, without what they do not depend on, and does what has its turn."""
        targets = [self.operand(self.own(out)) for out in outs]
        needed = {target for target in targets if isinstance(target, int)}
        used = []
        for equation in reversed(self.equations):
            if not needed.isdisjoint(equation.results) or ordered(equation):
                used.append(equation)
                needed.update(o for o in equation.operands if isinstance(o, int))
        captures = [(outside, tracer.slot) for outside, tracer in self.captured.values() if tracer.slot in needed]
        constants = [(kept, slot) for kept, slot in self.constants if slot in needed]
        order = [*self.inputs, *(slot for _, slot in captures), *(slot for _, slot in constants)]
        for equation in reversed(used):
            order.extend(equation.results)
        renumbered = {slot: k for k, slot in enumerate(order)}
        inputs = len(self.inputs) + len(captures) + len(constants)

        def renumber(operand: Operand) -> Operand:
            return renumbered[operand] if isinstance(operand, int) else operand

        equations = tuple(
            Equation(
                e.primitive,
                tuple(map(renumber, e.operands)),
                e.params,
                tuple(renumbered[slot] for slot in e.results),
                e.specs,
                e.source,
            )
            for e in reversed(used)
        )
        tape = Tape(
            tuple(self.specs[slot] for slot in order[:inputs]),
            equations,
            tuple(map(renumber, targets)),
            tuple(kept for kept, _ in constants),
            arguments,
            results,
        )
        return Staged(tape, [outside for outside, _ in captures], outs)


def capture_key(outside: Any) -> Any:
    """What tells traced values apart. Slots alone do not: several values may share one tangent, or one number."""
    if not isinstance(outside, Tracer):
        return id(outside)
    slot = outside.slot
    return outside.level, slot if type(slot) is int else id(slot), id(outside.primal)


def reference(array: Any) -> Callable[[], Any]:
    """A function that returns the array as long as it is there; NumPy's arrays are not kept alive by it."""
    return weakref.ref(array) if isinstance(array, np.ndarray) else lambda: array


def frozen_copy(array: Any) -> Any:
    """A copy that nobody can write to."""
    copy = array.copy()
    if isinstance(copy, np.ndarray):
        copy.flags.writeable = False
    return copy


def is_operator(apply: Any) -> bool:
    """Whether an operation is done by Python's operator, or by another function that is no ufunc."""
    return apply is not None and not isinstance(apply, np.ufunc)


def abstract(primitive: Primitive, specs: Sequence[Spec], params: Mapping[str, Any], apply: Any) -> Any:
    """What an operation returns, as a spec: a Python number where Python's operator meets nothing else."""
    out = primitive.spec(*specs, **params)
    if is_operator(apply) and type(out) is Spec and all(s.kind == "python" for s in specs):
        return as_python(out)
    return out


class Staged(NamedTuple):
    """A function that was recorded.

    Attributes:
        tape: its inputs are the leaves of the arguments, then the captures, then the constants.
        captures: the traced values from outside that it closed over.
        outs: what it returned, as leaves.
    """

    tape: Tape
    captures: list[Any]
    outs: Sequence[Any]


def stage(
    fun: Callable[..., Any],
    inputs: Sequence[Any],
    structure: TreeDef,
    with_values: bool = False,
    body: Body | None = None,
) -> Staged:
    """Record a function.

    Args:
        fun: a function of trees.
        inputs: the leaves of its arguments: specs, or values where it shall run ``with_values``.
        structure: the structure of the tuple of arguments.
        with_values: whether values are computed on the way, so that Python can branch on them.
        body: what records, where it is one that speaks of the user's transformation in its errors.
    """
    body = Body(with_values) if body is None else body
    try:
        with TracingBody(body):
            result = run_user_code(fun, structure.unflatten(map(body.input, inputs)))
            outs, results = flatten(result)
        return body.freeze(outs, structure, results)
    finally:
        body.close()
