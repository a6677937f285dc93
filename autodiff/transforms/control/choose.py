"""One of several functions by a number: a Python branch where the number is known, one operation where it is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from autodiff.ops.elementwise import cast
from autodiff.trace.errors import run_user_code
from autodiff.trace.primitive import Primitive
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, common_dtype, result_spec, spec_of
from autodiff.trace.tape import Equation, Literal, Tape
from autodiff.trace.tracer import concrete
from autodiff.trace.trees.tree import flatten
from autodiff.transforms.control.carry import ControlError, array_leaves
from autodiff.transforms.control.staging import Recorded, joined, known, record_body
from autodiff.transforms.control.values import conformed, settled
from autodiff.transforms.custom.arguments import place_of

Branches = Sequence[Callable[..., Any]]


def choose_with(primitive: Primitive, name: str, index: Any, branches: Branches, operands: tuple[Any, ...]) -> Any:
    """The result of the branch of that number, which must be in range where it is known.

    Args:
        primitive: the operation that the choice becomes where the number is not known.
        name: the choice's name for error texts.
        index: the number.
        branches: functions of the operands.
        operands: trees.
    """
    if known(index):
        return chosen(name, branches[int(concrete(index))], operands)
    leaves, structure = array_leaves(name, "the operands", operands)
    leaves = [leaf if spec_of(leaf).kind == "python" else conformed(leaf, settled(spec_of(leaf))) for leaf in leaves]
    specs = [settled(spec_of(leaf)) for leaf in leaves]
    recorded = [record_body(checked(name, branch), specs, structure) for branch in branches]
    alike(name, branches, recorded)
    tapes, outside = joined(recorded, len(leaves))
    results = recorded[0].results
    if not tapes[0].outputs:
        return results.unflatten(())
    wanted = [
        common_spec(name, branches, results, column) for column in zip(*(t.output_specs for t in tapes), strict=True)
    ]
    tapes = [with_outputs(tape, wanted) for tape in tapes]
    return results.unflatten(primitive(index, *leaves, *outside, branches=tuple(tapes)))


def chosen(name: str, branch: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
    """The result of a branch: Python numbers as NumPy's, which they are where the choice is one operation."""
    leaves, results = flatten(checked(name, branch)(*operands))
    return results.unflatten(conformed(leaf, strong(settled(spec_of(leaf)))) for leaf in leaves)


def checked(name: str, branch: Callable[..., Any]) -> Callable[..., Any]:
    """A branch whose results must be numbers and arrays."""

    def run(*operands: Any) -> Any:
        result = run_user_code(branch, operands)
        array_leaves(name, f"what {place_of(branch)} returns", result)
        return result

    return run


def strong(spec: Spec) -> Spec:
    """The spec of NumPy's number in place of Python's."""
    return result_spec((), spec.dtype) if spec.kind == "python" else spec


def alike(name: str, branches: Branches, recorded: Sequence[Recorded]) -> None:
    """Refuse branches that return trees of different structure."""
    for branch, body in zip(branches, recorded, strict=True):
        if body.results != recorded[0].results:
            raise ControlError(
                f"{name}: all branches must return the same structure, but {place_of(branches[0])} returned "
                f"{recorded[0].results} and {place_of(branch)} returned {body.results}{at_user_line()}"
            )


def common_spec(name: str, branches: Branches, results: Any, column: Sequence[Spec]) -> Spec:
    """The spec of one leaf of the results, to which Python numbers give way.

    Raises:
        ControlError: if branches disagree on it.
    """
    shapes = {s.shape for s in column}
    dtypes = {s.dtype for s in column if s.kind != "python"}
    dtype = common_dtype(*column)
    if len(shapes) > 1 or len(dtypes) > 1 or (dtypes and dtype not in dtypes):
        got = " and ".join(f"{s!r} from {place_of(branch)}" for s, branch in zip(column, branches, strict=True))
        raise ControlError(
            f"{name}: all branches must return the same shapes and dtypes, but returned {got}{at_user_line()}; convert "
            "with np.broadcast_to and astype"
        )
    return result_spec(shapes.pop(), dtype)


def with_outputs(tape: Tape, wanted: Sequence[Spec]) -> Tape:
    """The tape with Python numbers among its outputs in the dtypes that are wanted."""
    equations, outputs = list(tape.equations), list(tape.outputs)
    free = len(tape.specs)
    for k, (now, new) in enumerate(zip(tape.output_specs, wanted, strict=True)):
        out = outputs[k]
        if isinstance(out, Literal):
            outputs[k] = Literal(conformed(out.value, new))
        elif now.kind == "python":
            equations.append(Equation(cast, (out,), (("dtype", new.dtype),), (free,), (new,)))
            outputs[k] = free
            free += 1
    return replace(tape, equations=tuple(equations), outputs=tuple(outputs))
