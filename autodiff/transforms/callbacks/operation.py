"""The operation that calls a function of the user's own with plain arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.ops.shape import broadcast_to
from autodiff.trace.errors import RuleError, described
from autodiff.trace.parameters import Domain, instance_of
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec, is_number, native, result_spec, spec_of
from autodiff.trace.trees.containers import parts_of
from autodiff.trace.trees.tree import TreeDef, flatten
from autodiff.trace.values.arrays import first_on_gpu, placed
from autodiff.trace.values.leaves import as_leaf, is_leaf


class Callback:
    """A function of trees as one of leaves, whose results are what was declared.

    Args:
        name: how error texts call it.
        function: takes the trees.
        arguments: the structure of the tuple of its arguments.
        results: the structure of its result.
        specs: of the result's leaves.
        vectorized: whether it takes leading axes, of a batch, of all arguments.
        casts: whether floating-point numbers of another dtype are taken, as from rules.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        arguments: TreeDef,
        results: TreeDef,
        specs: Sequence[Spec],
        vectorized: bool,
        casts: bool = False,
    ) -> None:
        self.name = name
        self.function = function
        self.arguments = arguments
        self.results = results
        self.specs = tuple(specs)
        self.vectorized = vectorized
        self.casts = casts

    def __call__(self, lead: tuple[int, ...], values: Sequence[Any]) -> tuple[Any, ...]:
        """The results' leaves, which have the leading axes that are given."""
        found = self.function(*self.arguments.unflatten(map(read_only, values)))
        leaves, structure = flatten(found)
        if structure != self.results:
            raise RuleError(f"{self.name} returned {structure}, but {self.results} was declared; they must be alike")
        return tuple(self.checked(leaf, own, lead) for leaf, own in zip(leaves, self.specs, strict=True))

    def checked(self, leaf: Any, own: Spec, lead: tuple[int, ...]) -> Any:
        """A leaf of the result in an array of its own. Python's numbers take on the dtype that was declared."""
        wanted = result_spec((*lead, *own.shape), own.dtype)
        got = spec_of(as_leaf(leaf)) if is_leaf(leaf) else None
        weak = (
            got is not None and (self.casts or got.kind == "python") and np.can_cast(got.dtype, own.dtype, "same_kind")
        )
        if got is None or got.shape != wanted.shape or (got.dtype != wanted.dtype and not weak):
            raise RuleError(
                f"{self.name} returned {described(leaf)}, but {wanted!r} was declared; return that shape and dtype, or "
                "declare the other ones in result_spec"
            )
        made = np.array(leaf, own.dtype)
        return made if wanted.shape else made[()]

    def takes(self, got: Spec, own: Spec) -> bool:
        """Whether a value of one dtype may stand where another was declared."""
        weak = self.casts or got.kind == "python"
        return got.dtype == own.dtype or (weak and np.can_cast(got.dtype, own.dtype, "same_kind"))


def read_only(value: Any) -> Any:
    """An array as the function sees it: tapes hold it, too, so it must not be written to."""
    if not isinstance(value, np.ndarray):
        return value
    seen = value.view()
    seen.flags.writeable = False
    return seen


def evaluate(*values: Any, callback: Callback, lead: tuple[int, ...], batched: tuple[bool, ...]) -> tuple[Any, ...]:
    """Call the function: for each example of a batch, if it is not vectorized."""
    if not lead or callback.vectorized:
        return callback(lead, values)
    found = [
        callback((), [value[place] if own else value for value, own in zip(values, batched, strict=True)])
        for place in np.ndindex(lead)
    ]
    columns = zip(*found, strict=True) if found else ([] for _ in callback.specs)
    shapes = [(*lead, *own.shape) for own in callback.specs]
    return tuple(
        np.array(column, own.dtype).reshape(shape)
        for column, own, shape in zip(columns, callback.specs, shapes, strict=True)
    )


def evaluate_on_gpu(*values: Any, **params: Any) -> tuple[Any, ...]:
    """The same with arrays on a GPU, which the function gets as NumPy's."""
    home = first_on_gpu(values)
    host = [value.get() if hasattr(value, "get") else value for value in values]
    return tuple(placed(np.asarray(out), home) for out in evaluate(*host, **params))


def specs_of(*specs: Spec, callback: Callback, lead: tuple[int, ...], batched: tuple[bool, ...]) -> tuple[Spec, ...]:
    """What was declared, with the axes of batches."""
    return tuple(result_spec((*lead, *own.shape), own.dtype) for own in callback.specs)


def for_batch(values: Sequence[Any], batched: Sequence[bool], params: Any) -> Any:
    """One more axis of a batch, before those that there are: all operands have them, if one has."""
    size = next(spec_of(value).shape[0] for value, own in zip(values, batched, strict=True) if own)
    callback, lead, before = params["callback"], params["lead"], params["batched"]
    whole = (size, *lead)
    every = callback.vectorized
    full = [
        value if own or not (every or had) else broadcast_to(value, shape=(size, *spec_of(value).shape))
        for value, own, had in zip(values, batched, before, strict=True)
    ]
    aligned = [
        broadcast_to(value[(slice(None), *(None,) * len(lead))], shape=(*whole, *spec_of(value).shape[1:]))
        if own and lead and not had
        else value
        for value, own, had in zip(full, batched, before, strict=True)
    ]
    flags = tuple(bool(every or own or had) for own, had in zip(batched, before, strict=True))
    return call_python(*aligned, callback=callback, lead=whole, batched=flags)


CALLBACK = instance_of(Callback, "a function with a declared result")
LEAD = Domain("lengths of batches", lambda value, operands: isinstance(value, tuple))

call_python: Primitive = Primitive(
    "call_python", "general", ("*xs",), evaluate, specs_of, {}, batch=for_batch, on_gpu=evaluate_on_gpu,
    params={"callback": CALLBACK, "lead": LEAD, "batched": LEAD}, register=False,
)  # fmt: skip
"""A call of a function of Python's with plain arrays. It has no rule: see :mod:`autodiff.transforms.callbacks.rule`."""


def declared(name: str, result_spec: Any) -> tuple[list[Spec], TreeDef]:
    """The specs that a tree declares: of specs, of arrays, or of whatever has a shape and a dtype.

    Raises:
        TypeError: naming what is none of these.
    """
    leaves, structure = flatten(result_spec)
    return [declared_leaf(name, leaf) for leaf in leaves], structure


def declared_leaf(name: str, leaf: Any) -> Spec:
    """The spec that one leaf declares."""
    if isinstance(leaf, Spec):
        return leaf if leaf.dtype.isnative else result_spec_of(leaf)
    own = spec_of(leaf) if is_leaf(leaf) else None
    if own is None and parts_of(leaf) is None and hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
        own = result_spec_of(leaf)
    if own is None or not is_number(own.dtype):
        raise TypeError(
            f"{name}: result_spec must be a tree of arrays or of what autodiff.eval_shape returns, got "
            f"{described(leaf)}; write np.empty(shape, dtype) for what the function returns"
        )
    return result_spec_of(own)


def result_spec_of(own: Any) -> Spec:
    """The spec of a result with this shape and dtype."""
    return result_spec(tuple(own.shape), native(np.dtype(own.dtype)))
