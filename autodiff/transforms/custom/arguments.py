"""How the arguments of a function with its own rule become operands, and how rules see them again as trees."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec
from autodiff.trace.traced import Traced
from autodiff.trace.trees.tree import TreeDef, flatten
from autodiff.trace.values.arrays import is_array
from autodiff.trace.values.leaves import as_leaf
from autodiff.transforms.arguments import function_name


def place_of(fun: Callable[..., Any]) -> str:
    """``name (file.py:12)``: a function and where it is written."""
    code = getattr(inspect.unwrap(fun), "__code__", None)
    where = f" ({os.path.basename(code.co_filename)}:{code.co_firstlineno})" if code else ""
    return function_name(fun) + where


def positional(fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """All arguments of a call by position, with defaults filled in."""
    if not kwargs and _count(fun) in (None, len(args)):
        return args
    bound = inspect.signature(fun).bind(*args, **kwargs)
    if bound.kwargs:
        raise TypeError(
            f"{place_of(fun)} was called with the keyword-only arguments {', '.join(bound.kwargs)}{at_user_line()}; "
            "rules get arguments by position: make them positional"
        )
    bound.apply_defaults()
    return bound.args


def _count(fun: Callable[..., Any]) -> int | None:
    """How many arguments a function takes by position; None where that is not known or not fixed."""
    code = getattr(fun, "__code__", None)
    return None if code is None or code.co_flags & inspect.CO_VARARGS else code.co_argcount


class ById:
    """Stands for a value that cannot be hashed: equal only to itself."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ById) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def hashable(value: Any) -> Any:
    """The value, or what stands for it in comparisons where it cannot be hashed."""
    try:
        hash(value)
    except TypeError:
        return ById(value)
    return value


class Layout:
    """The form of the arguments of one call: which are static, and which leaves of the others are operands.

    Attributes:
        static: pairs of position and value of the static arguments.
        structure: the structure of the tuple of the others.
        operands: which of its leaves are operands.
        fixed: the other leaves, which are no arrays; None in the places of operands.
        key: what equal layouts have in common.
    """

    __slots__ = ("fixed", "key", "operands", "static", "structure")

    def __init__(self, static: dict[int, Any], structure: TreeDef, leaves: Sequence[Any]) -> None:
        self.static = tuple(sorted(static.items()))
        self.structure = structure
        self.operands = tuple(k for k, leaf in enumerate(leaves) if is_operand(leaf))
        self.fixed = tuple(None if is_operand(leaf) else leaf for leaf in leaves)
        named = tuple((k, hashable(value)) for k, value in self.static)
        self.key = (named, structure, self.operands, tuple((type(f), hashable(f)) for f in self.fixed))

    @property
    def static_args(self) -> tuple[Any, ...]:
        return tuple(value for _, value in self.static)

    def trees(self, values: Sequence[Any], otherwise: Sequence[Any] | None = None) -> tuple[Any, ...]:
        """The arguments that are not static, with the given operands."""
        leaves = list(self.fixed if otherwise is None else otherwise)
        for k, value in zip(self.operands, values, strict=True):
            leaves[k] = value
        return self.structure.unflatten(leaves)  # type: ignore[no-any-return]

    def leaf_specs(self, specs: Sequence[Spec]) -> list[Spec | None]:
        """For each leaf the spec of the operand there; None for other leaves."""
        found: list[Spec | None] = [None] * len(self.fixed)
        for k, spec in zip(self.operands, specs, strict=True):
            found[k] = spec
        return found

    def full(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """All arguments, with the given operands."""
        args = list(self.trees(values))
        for k, value in self.static:
            args.insert(k, value)
        return tuple(args)


def laid_out(fun: Callable[..., Any], args: tuple[Any, ...], nondiff: Sequence[int]) -> tuple[Layout, list[Any]]:
    """The layout of the arguments of one call, and the values of the operands."""
    static = {}
    for k in nondiff:
        if not -len(args) <= k < len(args):
            raise TypeError(f"nondiff_argnums of {place_of(fun)} has {k}, but it was called with {len(args)} arguments")
        static[k % len(args)] = args[k]
        refuse_traced(fun, k, args[k])
    leaves, structure = flatten(tuple(value for k, value in enumerate(args) if k not in static))
    leaves = [as_leaf(leaf) if isinstance(leaf, np.ndarray) else leaf for leaf in leaves]
    layout = Layout(static, structure, leaves)
    return layout, [leaves[k] for k in layout.operands]


def is_operand(leaf: Any) -> bool:
    """Whether a leaf is an array or a floating-point number; other leaves are passed on as they are."""
    return isinstance(leaf, (Traced, np.ndarray, np.generic, float, complex)) or is_array(leaf)


def refuse_traced(fun: Callable[..., Any], position: int, value: Any) -> None:
    """Refuse a static argument that is traced."""
    if any(isinstance(leaf, Traced) for leaf in flatten(value)[0]):
        raise DifferentiationError(
            f"argument {position} of {place_of(fun)} is traced but listed in nondiff_argnums{at_user_line()}; take it "
            "out of nondiff_argnums, and return None as its cotangent if it has none"
        )
