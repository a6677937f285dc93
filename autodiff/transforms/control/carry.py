"""What goes round a loop: from step to step it keeps its structure, shapes and dtypes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.numpy.buffers import Buffer
from autodiff.trace.errors import AutodiffError, described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.trees.tree import TreeDef, flatten, paths
from autodiff.trace.values.foreign import remedy
from autodiff.trace.values.leaves import as_leaf, is_leaf
from autodiff.transforms.control.values import conformed, fillable, settled
from autodiff.transforms.custom.arguments import place_of

ORDER = "biufc"
"""Kinds of numbers, each of which can stand for those before it."""


class ControlError(AutodiffError, TypeError):
    """The body of a loop or branch returned something that does not fit."""


class Carry:
    """The form of what goes round a loop.

    A Python number in ``init`` has no dtype of its own: it takes the one that the body gives it. Python's bools become
    NumPy's, of which ``~`` is ``not``: of Python's it is an integer, -2 or -1, and both count as true.

    Args:
        name: the loop, for error texts.
        fun: its body.
        init: the tree that it starts with.

    Attributes:
        leaves: the leaves of ``init``.
        structure: its structure.
        specs: what the leaves are from step to step, as far as is known.
    """

    def __init__(self, name: str, fun: Callable[..., Any], init: Any) -> None:
        self.name = name
        self.fun = fun
        self.init = init
        leaves, self.structure = array_leaves(name, "init", init)
        self.leaves = [np.bool_(leaf) if type(leaf) is bool else leaf for leaf in leaves]
        self.specs = [settled(spec_of(leaf)) for leaf in self.leaves]

    @property
    def start(self) -> list[Any]:
        """The leaves of ``init`` with the specs that are known now."""
        return [conformed(leaf, spec) for leaf, spec in zip(self.leaves, self.specs, strict=True)]

    def tree(self, leaves: Sequence[Any]) -> Any:
        """The carry as a body gets it, which may write traced values to it."""
        return self.structure.unflatten(map(fillable, leaves))

    def result(self, leaves: Sequence[Any]) -> Any:
        """The carry as the loop's caller gets it."""
        return self.structure.unflatten(map(as_leaf, leaves))

    def take(self, returned: Any) -> list[Any]:
        """The leaves of what the body returned, checked and brought to the specs."""
        leaves, structure = array_leaves(self.name, f"the carry that {place_of(self.fun)} returns", returned)
        if structure != self.structure:
            raise ControlError(
                f"{self.name}: the carry must keep its structure, but {place_of(self.fun)} returned {structure} where "
                f"init is {self.structure}{at_user_line()}; return a carry like init"
            )
        found = [settled(spec_of(leaf)) for leaf in leaves]
        specs = [common(now, new) for now, new in zip(self.specs, found, strict=True)]
        if None in specs:
            raise ControlError(self.mismatch(found, specs))
        self.specs = [spec for spec in specs if spec is not None]
        leaves = [one if type(one) is Buffer else leaf for one, leaf in zip(flatten(returned)[0], leaves, strict=True)]
        return [conformed(leaf, spec) for leaf, spec in zip(leaves, self.specs, strict=True)]

    def mismatch(self, found: Sequence[Spec], specs: Sequence[Spec | None]) -> str:
        """The text that lists the leaves that changed."""
        changed = [
            f"{path or 'it'} is {now!r} in init and {new!r} after a step"
            for path, now, new, spec in zip(paths(self.init), self.specs, found, specs, strict=True)
            if spec is None
        ]
        return (
            f"{self.name}: the carry must keep its shapes and dtypes, but {place_of(self.fun)} changed them: "
            f"{'; '.join(changed)}{at_user_line()}. Give init the shape and dtype that it has after a step, or convert "
            "the result with astype."
        )


def common(now: Spec, new: Spec) -> Spec | None:
    """The spec of a leaf that was one thing before a step and is another after it; None where they do not go together.

    Python numbers give way.
    """
    if now.shape != new.shape:
        return None
    later = ORDER.find(new.dtype.kind) - ORDER.find(now.dtype.kind)
    if new.kind == "python":
        if now.kind == "python":
            return new if later > 0 else now
        return now if later <= 0 else None
    if now.kind == "python":
        return new if later >= 0 else None
    return now if now.dtype == new.dtype else None


def array_leaves(name: str, what: str, tree: Any) -> tuple[list[Any], TreeDef]:
    """The leaves of a tree, all of which must be numbers or arrays."""
    leaves, structure = flatten(tree)
    for k, leaf in enumerate(leaves):
        if not is_number(leaf):
            path, then = paths(tree)[k], remedy(leaf)
            raise ControlError(
                f"{name} works on numbers and arrays, but {what} holds {described(leaf)}{' at ' + path if path else ''}"
                f"{at_user_line()}; {then or 'leave out everything else, a function can close over it'}"
            )
    return list(map(as_leaf, leaves)), structure


def is_number(leaf: Any) -> bool:
    """Whether a leaf is a number or an array, or stands for one."""
    if not is_leaf(leaf):
        return False
    its = spec_of(as_leaf(leaf))
    return its.dtype.kind in "biu" or its.inexact
