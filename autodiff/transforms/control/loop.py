"""A scan over trees: a Python loop where values are known, one operation where they are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autodiff.trace.errors import described, run_user_code
from autodiff.trace.primitive import Primitive
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import TreeDef
from autodiff.transforms.control.carry import Carry, ControlError, array_leaves
from autodiff.transforms.control.rows import Collected, order, own_row, row_spec, rows_of
from autodiff.transforms.control.staging import leaves_structure, must_stage, record_body
from autodiff.transforms.control.values import fillable
from autodiff.transforms.custom.arguments import place_of


class Step:
    """The body of a scan, on leaves.

    Args:
        carry: the form of what goes round.
        slices: the structure of what comes in at each step.

    Attributes:
        results: the structure of what comes out at each step, when one step was taken.
    """

    def __init__(self, carry: Carry, slices: TreeDef) -> None:
        self.carry = carry
        self.slices = slices
        self.results: TreeDef | None = None

    def __call__(self, carry: Sequence[Any], row: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        name, fun = self.carry.name, self.carry.fun
        pair = run_user_code(fun, (self.carry.tree(carry), self.slices.unflatten(map(fillable, row))))
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ControlError(
                f"{name}: {place_of(fun)} must return a pair (carry, y), but returned {described(pair)}"
                f"{at_user_line()}; y may be None"
            )
        after = self.carry.take(pair[0])
        leaves, results = array_leaves(name, f"what {place_of(fun)} returns", pair[1])
        if self.results not in (None, results):
            raise ControlError(
                f"{name}: the results of all steps are stacked, but {place_of(fun)} returned {results} after "
                f"{self.results}{at_user_line()}; return the same structure in every step"
            )
        self.results = results
        return after, leaves


def scan_with(
    primitive: Primitive,
    name: str,
    fun: Callable[[Any, Any], Any],
    init: Any,
    xs: tuple[Sequence[Any], TreeDef],
    length: int,
    reverse: bool = False,
    unroll: int = 1,
) -> tuple[Any, Any]:
    """The last carry, and the stacked results, of a loop over slices.

    Args:
        primitive: the operation that the loop becomes where values are not known.
        name: the loop's name for error texts.
        fun: its body.
        init: the first carry, a tree.
        xs: the leaves of the tree whose slices come in, and its structure.
        length: how many slices there are.
        reverse: whether to begin with the last one.
        unroll: how many steps a compiled loop takes at once.
    """
    step = Step(Carry(name, fun, init), xs[1])
    if length and not must_stage([*step.carry.leaves, *xs[0]]):
        last, ys = run_loop(step, xs[0], length, reverse)
    else:
        last, ys = staged_loop(primitive, step, xs[0], length, reverse, unroll)
    assert step.results is not None
    return step.carry.result(last), step.results.unflatten(ys)


def run_loop(step: Step, xs: Sequence[Any], length: int, reverse: bool) -> tuple[Sequence[Any], Sequence[Any]]:
    """The loop in Python."""
    collected = Collected(step.carry.name, length)
    columns = [rows_of(leaf) for leaf in xs]
    carry: Sequence[Any] = [own_row(leaf) for leaf in step.carry.leaves]
    for k in order(length, reverse):
        carry, ys = step(carry, [own_row(column[k]) for column in columns])
        collected.add(k, ys)
    return carry, collected.stacked()


def staged_loop(
    primitive: Primitive, step: Step, xs: Sequence[Any], length: int, reverse: bool, unroll: int
) -> tuple[Sequence[Any], Sequence[Any]]:
    """The loop as one operation; its body is recorded again if a Python number took on a dtype."""
    carry = step.carry
    count = len(carry.leaves)
    rows = [row_spec(spec_of(leaf)) for leaf in xs]
    specs = None
    while specs != carry.specs:
        specs = carry.specs
        recorded = record_body(step, [*specs, *rows], leaves_structure(count, len(xs)))
    if not recorded.tape.outputs:
        return [], []
    outs = primitive(
        *carry.start,
        *xs,
        *recorded.outside,
        tape=recorded.tape,
        carry=count,
        slices=len(xs),
        length=length,
        reverse=reverse,
        unroll=unroll,
    )
    return outs[:count], outs[count:]
