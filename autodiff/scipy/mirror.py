"""Modules with SciPy's names: a function of ours where there is one, else SciPy's, which refuses traced values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from importlib import import_module
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType
from typing import Any, TypeVar

from autodiff.numpy.buffers import settled
from autodiff.numpy.dispatch import contains_traced, missing
from autodiff.numpy.namespace import has_traced_values
from autodiff.trace.recording import is_recording
from autodiff.trace.traced import Traced

F = TypeVar("F", bound=Callable[..., Any])


def holds_traced(tree: Any) -> bool:
    """Whether a traced value stands anywhere among arguments."""
    return any(is_traced(leaf) for leaf in leaves_of(tree))


def is_traced(leaf: Any) -> bool:
    """Whether it is a traced value, or an object made of some, as sparse matrices and rotations are."""
    if isinstance(leaf, Traced):
        return isinstance(leaf.settled(), Traced)
    return getattr(type(leaf), "holds_traced", None) is True


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


def refusing(function: Callable[..., Any], name: str, reason: str | None = None) -> Callable[..., Any]:
    """A function of SciPy that says what it is, and why, when it is called with traced values."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if holds_traced(args) or holds_traced(kwargs):
            raise missing(name, reason)
        if is_recording():
            args = tuple(guarded(arg, name) for arg in args)
            kwargs = {key: guarded(arg, name) for key, arg in kwargs.items()}
        return plain_call(function, args, kwargs)

    call.__dict__["refused"] = True
    return call


def guarded(value: Any, name: str) -> Any:
    """A function that SciPy will call, and that must not return traced values, with which SciPy would do anything."""
    if not isinstance(value, (FunctionType, MethodType)):
        return value

    @wraps(value)
    def call(*args: Any, **kwargs: Any) -> Any:
        found = value(*args, **kwargs)
        if holds_traced(found):
            raise missing(name, "the function that it calls depends on traced values")
        return found

    return call


def mirrored(module: str, reasons: Mapping[str, str] = MappingProxyType({})) -> Callable[[str], Any]:
    """``__getattr__`` of a module that stands for one of SciPy's.

    Args:
        module: SciPy's, such as ``"scipy.linalg"``.
        reasons: why functions have no derivative, by name.

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
            known[name] = refusing(found, f"{module}.{name}", reasons.get(name)) if plain else found
        return known[name]

    return find
