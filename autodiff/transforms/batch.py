"""Batching: ``vmap``. The function is recorded for one example, and the tape is run for all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from autodiff.backends.reference import run_equation
from autodiff.ops.bounded import bounded_integer
from autodiff.ops.elementwise import cast
from autodiff.ops.shape import broadcast_to, reshape, transpose
from autodiff.trace.primitive import Primitive
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, common_dtype, result_spec, spec_of
from autodiff.trace.staging import stage
from autodiff.trace.tape import Tape, operand_specs
from autodiff.trace.trees.containers import parts_of, steps_into
from autodiff.trace.trees.tree import TreeDef, flatten
from autodiff.trace.values.arrays import first_on_gpu, is_array, placed_constants, placed_number
from autodiff.trace.values.arrays import placed as at_place_of
from autodiff.trace.values.leaves import as_leaf
from autodiff.trace.values.weak_numbers import COMPARISONS, taken_dtype
from autodiff.transforms.arguments import function_name
from autodiff.transforms.transformed import DECORATED, TransformedFunction


def run_batched(tape: Tape, inputs: Sequence[Any], batched: Sequence[bool], size: int) -> list[tuple[Any, bool]]:
    """Run a tape for a whole batch.

    Args:
        tape: recorded for one example.
        inputs: values for its inputs; those that are batched have the batch as their first axis.
        batched: which ones are.
        size: how many examples there are.

    Returns:
        pairs of each output and whether it is batched.
    """
    slots: list[Any] = [*inputs, *placed_constants(tape.constants, inputs)]
    beside = first_on_gpu(inputs)
    flags = [*batched, *(False for _ in tape.constants)]
    known = tape.specs
    for equation in tape.equations:
        operands = [slots[o] if isinstance(o, int) else o.value for o in equation.operands]
        which = [flags[o] if isinstance(o, int) else False for o in equation.operands]
        params = dict(equation.params)
        if any(which):
            if equation.primitive.family == "elementwise":
                operands = giving_way(equation.primitive, operands, which, operand_specs(equation.operands, known))
            out = batch_operation(equation.primitive, operands, which, params, size)
        else:
            out = run_equation(equation, operands)
            if beside is not None and isinstance(out, np.ndarray):  # made of numbers alone
                out = at_place_of(out, beside)
        outs = out if isinstance(out, tuple) else (out,)
        slots.extend(outs)
        flags.extend([any(which)] * len(outs))
    return [(slots[o], flags[o]) if isinstance(o, int) else (o.value, False) for o in tape.outputs]


def giving_way(
    primitive: Primitive, operands: Sequence[Any], batched: Sequence[bool], specs: Sequence[Spec]
) -> list[Any]:
    """Operands among which Python numbers that differ between examples, which are arrays here, still give way."""
    if all(own.kind == "python" for own in specs):
        return list(operands)
    return [
        weakly(primitive, operand, position, specs) if is_batched and specs[position].kind == "python" else operand
        for position, (operand, is_batched) in enumerate(zip(operands, batched, strict=True))
    ]


def weakly(primitive: Primitive, numbers: Any, position: int, specs: Sequence[Spec]) -> Any:
    """Python numbers in the dtype to which the operation brings them."""
    ufunc = primitive.evaluate if isinstance(primitive.evaluate, np.ufunc) else None
    dtype = common_dtype(*specs) if ufunc is None else taken_dtype(ufunc, specs, position)
    if spec_of(numbers).dtype == dtype or (ufunc in COMPARISONS and dtype.kind in "iu"):
        return numbers
    whole = ufunc is not None and specs[position].dtype.kind == "i" and dtype.kind in "iu"
    return (bounded_integer if whole else cast)(numbers, dtype=dtype)


def batch_operation(
    primitive: Primitive, operands: Sequence[Any], batched: Sequence[bool], params: dict[str, Any], size: int
) -> Any:
    """One operation on a whole batch."""
    if primitive.batch is not None:
        return primitive.batch(operands, batched, params)
    if primitive.family == "elementwise":
        return primitive(*aligned(operands, batched), **params)
    return primitive(
        *(o if is_batched else repeated(o, size, operands) for o, is_batched in zip(operands, batched, strict=True)),
        **params,
    )


def aligned(operands: Sequence[Any], batched: Sequence[bool]) -> list[Any]:
    """Operands that broadcast against each other example by example."""
    ranks = [spec_of(o).ndim - is_batched for o, is_batched in zip(operands, batched, strict=True)]
    rank = max(ranks)
    return [
        reshape(o, shape=(o.shape[0], *(1,) * (rank - own), *o.shape[1:])) if is_batched and own < rank else o
        for o, is_batched, own in zip(operands, batched, ranks, strict=True)
    ]


def repeated(value: Any, size: int, beside: Sequence[Any] = ()) -> Any:
    """A value that is the same for all examples, with a batch axis; a number comes to lie where other values do."""
    value = placed_number(value, *beside)
    return broadcast_to(value, shape=(size, *spec_of(value).shape))


def moved(value: Any, source: int, destination: int) -> Any:
    """The value with one axis moved."""
    ndim = spec_of(value).ndim
    if source == destination:
        return value
    order = [k for k in range(ndim) if k != source]
    order.insert(destination, source)
    return transpose(value, axes=tuple(k - ndim for k in order))


def vmap(fun: Callable[..., Any] = DECORATED, in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """The function applied to each example of a batch, all at once.

    Args:
        fun: a function of one example; arguments and results are trees of arrays. Without it, the other arguments
            make a decorator: ``@vmap(in_axes=1)``.
        in_axes: the batch axis of each argument: an int; None for an argument that all examples share; or a tuple with
            an entry for each argument, which may be a tree whose structure is a prefix of the argument's.
        out_axes: the batch axis of the results: an int, or a tree whose structure is a prefix of the result's; None for
            results that are the same for all examples.

    Returns:
        a function of the same arguments. Keyword arguments are batched along axis 0.

    Raises:
        ValueError: if the batch sizes differ, an axis does not exist, or a result is batched but its axis is None.
        ConcretizationError: if the function branches on a value that differs between examples.

    >>> import numpy as np
    >>> vmap(np.dot, in_axes=(0, None))(np.eye(2), np.array([3.0, 4.0]))
    array([3., 4.])
    """
    if fun is DECORATED:
        return partial(vmap, in_axes=in_axes, out_axes=out_axes)

    def mapped(*args: Any, **kwargs: Any) -> Any:
        tree = (args, kwargs)
        axes = spread_prefix("in_axes", (axes_of(fun, in_axes, args), 0), tree)
        leaves, structure = flatten(tree)
        leaves = [leaf if axis is None else as_leaf(leaf) for axis, leaf in zip(axes, leaves, strict=True)]
        axes = [normal_axis(axis, leaf, "in_axes") for axis, leaf in zip(axes, leaves, strict=True)]
        size = batch_size(fun, leaves, axes)
        inside = [leaf for leaf, axis in zip(leaves, axes, strict=True) if axis is not None]
        axes_inside = [axis for axis in axes if axis is not None]

        def of_examples(*examples: Any) -> Any:
            remaining = iter(examples)
            full = [leaf if axis is None else next(remaining) for leaf, axis in zip(leaves, axes, strict=True)]
            positional, named = structure.unflatten(full)
            return fun(*positional, **named)

        examples = [example_spec(leaf, axis) for leaf, axis in zip(inside, axes_inside, strict=True)]
        staged = stage(of_examples, examples, flat_structure(len(examples)))
        fronted = [moved(leaf, axis, 0) for leaf, axis in zip(inside, axes_inside, strict=True)]
        flags = [True] * len(fronted) + [False] * len(staged.captures)
        outs = run_batched(staged.tape, [*fronted, *staged.captures], flags, size)
        results = staged.tape.results
        assert results is not None
        destinations = spread_prefix("out_axes", out_axes, results.unflatten(value for value, _ in outs))
        return results.unflatten(
            placed(fun, value, is_batched, axis, size)
            for (value, is_batched), axis in zip(outs, destinations, strict=True)
        )

    return TransformedFunction(fun, mapped, vmap, fun, in_axes, out_axes)


def flat_structure(count: int) -> TreeDef:
    """The structure of a tuple of so many leaves."""
    return flatten((0.0,) * count)[1]


def example_spec(leaf: Any, axis: int) -> Spec:
    """The spec of one example of a batch."""
    whole = spec_of(leaf)
    return result_spec(whole.shape[:axis] + whole.shape[axis + 1 :], whole.dtype)


def placed(fun: Callable[..., Any], value: Any, is_batched: bool, axis: int | None, size: int) -> Any:
    """A result with its batch axis where it was asked for."""
    if axis is None:
        if is_batched:
            raise ValueError(
                f"vmap: out_axes is None for a result of {function_name(fun)} that differs between examples"
                f"{at_user_line()}; name its axis"
            )
        return value
    if not is_batched:
        value = repeated(value, size)
        if is_array(value):
            value = value.copy()
    ndim = spec_of(value).ndim
    if not -ndim <= axis < ndim:
        raise ValueError(f"vmap: out_axes={axis} but the batched result has {ndim} axes{at_user_line()}")
    return moved(value, 0, axis % ndim)


def normal_axis(axis: Any, leaf: Any, option: str) -> int | None:
    """An axis as a number from 0, or None."""
    if axis is None:
        return None
    if not isinstance(axis, int) or isinstance(axis, bool):
        raise TypeError(f"vmap: {option} must be made of ints and None, got {axis!r}")
    shape = spec_of(leaf).shape
    if not -len(shape) <= axis < len(shape):
        raise ValueError(
            f"vmap: {option}={axis} but an argument has shape {shape}{at_user_line()}; choose one of its axes, or None"
        )
    return axis % len(shape)


def batch_size(fun: Callable[..., Any], leaves: Sequence[Any], axes: Sequence[int | None]) -> int:
    """How many examples the arguments hold."""
    sizes = {spec_of(leaf).shape[axis] for leaf, axis in zip(leaves, axes, strict=True) if axis is not None}
    if len(sizes) != 1:
        found = f"batches of sizes {sorted(sizes)}" if sizes else "nothing to batch: every axis is None"
        raise ValueError(f"vmap: {function_name(fun)} was called with {found}{at_user_line()}; there must be one size")
    return sizes.pop()


def axes_of(fun: Callable[..., Any], in_axes: Any, args: Sequence[Any]) -> tuple[Any, ...]:
    """What `in_axes` says of each positional argument; a list is a tree like each argument where one is a list.

    Raises:
        ValueError: if it says it of more or fewer.
    """
    if not isinstance(in_axes, tuple | list) or (isinstance(in_axes, list) and any(isinstance(x, list) for x in args)):
        return (in_axes,) * len(args)
    if len(in_axes) != len(args):
        raise ValueError(
            f"vmap: in_axes={in_axes!r} has {len(in_axes)} entries, but {function_name(fun)} was called with "
            f"{len(args)} positional arguments{at_user_line()}; give one for each, or one for all"
        )
    return tuple(in_axes)


def spread_prefix(option: str, prefix: Any, tree: Any) -> list[Any]:
    """For each leaf of a tree what a tree that begins like it says of it."""
    found: list[Any] = []
    waiting = [(prefix, tree)]
    while waiting:
        own, part = waiting.pop()
        if own is None or isinstance(own, int):
            found += [own] * flatten(part)[1].count
            continue
        begins, parts = parts_of(own), parts_of(part)
        if type(own) is not type(part) or begins is None or parts is None or len(begins[1]) != len(parts[1]):
            raise ValueError(f"vmap: {option} has {own!r} where the values have {flatten(part)[1]}{at_user_line()}")
        if isinstance(part, dict):
            if set(own) != set(part):
                raise ValueError(f"vmap: {option} has the keys {sorted(own)}, the values {sorted(part)}")
            keys = [step.key for step in steps_into(type(part), parts[0], len(parts[1]))]
            waiting.extend([(own[key], part[key]) for key in keys][::-1])
        else:
            waiting.extend([*zip(begins[1], parts[1], strict=True)][::-1])
    return found
