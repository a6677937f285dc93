"""Modules with SciPy's names: a function of ours where there is one, else SciPy's, which refuses traced values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from types import BuiltinFunctionType, FunctionType
from typing import Any, TypeVar

from autodiff.numpy.buffers import settled
from autodiff.numpy.dispatch import contains_traced, missing
from autodiff.numpy.namespace import has_traced_values
from autodiff.trace.traced import Traced

F = TypeVar("F", bound=Callable[..., Any])


def holds_traced(tree: Any) -> bool:
    """Whether a traced value stands anywhere among arguments."""
    return any(isinstance(leaf, Traced) and isinstance(leaf.settled(), Traced) for leaf in leaves_of(tree))


def plain_call(original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """A function of SciPy's, of which buffers are given as the arrays that they hold."""
    if has_traced_values():
        args, kwargs = settled((args, kwargs))
    return original(*args, **kwargs)


def leaves_of(tree: Any) -> Iterator[Any]:
    """What stands in nested lists, tuples and dictionaries."""
    if isinstance(tree, (list, tuple)):
        for part in tree:
            yield from leaves_of(part)
    elif isinstance(tree, dict):
        yield from leaves_of(list(tree.values()))
    else:
        yield tree


def counterpart(original: Callable[..., Any]) -> Callable[[F], F]:
    """Make a function what stands for one of SciPy's: with plain arguments it is SciPy's own that runs."""

    def register(own: F) -> F:
        @wraps(own)
        def call(*args: Any, **kwargs: Any) -> Any:
            if contains_traced(args) or contains_traced(list(kwargs.values())):
                return own(*args, **kwargs)
            return plain_call(original, args, kwargs)

        call.__dict__["differentiated"] = True
        return call  # type: ignore[return-value]

    return register


def refusing(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A function of SciPy that says what it is when it is called with traced values."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if holds_traced(args) or holds_traced(kwargs):
            raise missing(name)
        return plain_call(function, args, kwargs)

    call.__dict__["refused"] = True
    return call


def mirrored(module: str) -> Callable[[str], Any]:
    """``__getattr__`` of a module that stands for one of SciPy's.

    Args:
        module: SciPy's, such as ``"scipy.linalg"``.

    Returns:
        a function that finds what a name is in SciPy. Functions refuse traced values by name.
    """
    known: dict[str, Any] = {}

    def find(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        if name not in known:
            found = getattr(import_module(module), name)
            plain = isinstance(found, (FunctionType, BuiltinFunctionType))
            known[name] = refusing(found, f"{module}.{name}") if plain else found
        return known[name]

    return find
