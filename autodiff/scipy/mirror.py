"""Modules with SciPy's names: a function of ours where there is one, else SciPy's, which refuses traced values."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterator, Mapping
from functools import cache, wraps
from importlib import import_module
from importlib.util import find_spec
from inspect import Parameter, Signature, signature
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, TypeVar

import numpy as np

from autodiff.numpy.buffers import settled
from autodiff.numpy.dispatch import contains_traced, missing, peeled
from autodiff.numpy.namespace import has_traced_values
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.recording import is_recording
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced

F = TypeVar("F", bound=Callable[..., Any])


def holds_traced(tree: Any) -> bool:
    """Whether a traced value stands anywhere among arguments."""
    return any(is_traced(leaf) for leaf in leaves_of(tree))


def is_traced(leaf: Any) -> bool:
    """Whether it is a traced value, or an object made of some, as sparse matrices and rotations are."""
    if isinstance(leaf, Traced):
        return isinstance(leaf.settled(), Traced)
    found = getattr(type(leaf), "holds_traced", None)
    return bool(found(leaf)) if callable(found) else found is True


def plain_call(original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """A function of SciPy's, of which buffers are given as the arrays that they hold, and SciPy's own distributions."""
    if has_traced_values():
        args, kwargs = settled((args, kwargs))
    return original(*map(as_scipy, args), **{key: as_scipy(arg) for key, arg in kwargs.items()})


def as_scipy(value: Any) -> Any:
    """The object of SciPy's that one of ours stands for."""
    own = getattr(type(value), "as_scipy", None)
    return value if own is None else own(value)


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
                args, kwargs = as_written_in_scipy(original, own, args, kwargs)
                return own(*args, **kwargs)
            return plain_call(original, args, kwargs)

        call.__dict__["differentiated"] = True
        return call  # type: ignore[return-value]

    return register


def as_written_in_scipy(original: Callable[..., Any], own: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The arguments of a call, as a function of ours takes them whichever way SciPy lets them be written.

    Those that SciPy requires are given by place, so that their names are SciPy's. Others are given by name, so that
    their order is SciPy's. What ours has no name for is left out if it is SciPy's default.
    """
    theirs, ours = signature_of(original, True), signature_of(own, False)
    if theirs is None or ours is None or has_kind(theirs, Parameter.VAR_POSITIONAL):
        return args, kwargs
    try:
        bound = theirs.bind(*args, **kwargs)
    except TypeError:  # a name of former times, which SciPy still takes; or a mistake, of which ours will tell
        return args, kwargs
    places, names = [], {}
    for name, value in bound.arguments.items():
        parameter = theirs.parameters[name]
        if parameter.kind is Parameter.VAR_KEYWORD:
            names.update(value)
        elif parameter.default is Parameter.empty and parameter.kind is not Parameter.KEYWORD_ONLY:
            places.append(value)
        elif takes(ours, name):
            names[name] = value
        elif not (is_default(value, parameter.default) or says_how(name)):
            raise DifferentiationError(
                f"{original.__name__} of traced values has no {name}={value!r}{at_user_line()}; leave it out"
            )
    return tuple(places), names


@cache
def signature_of(function: Callable[..., Any], follow_wrapped: bool) -> Signature | None:
    """The parameters of a function, unless it is compiled and does not say."""
    try:
        return signature(function, follow_wrapped=follow_wrapped)
    except (TypeError, ValueError):
        return None


def has_kind(theirs: Signature, kind: Any) -> bool:
    """Whether there is a parameter of a kind, such as ``**options``."""
    return any(parameter.kind is kind for parameter in theirs.parameters.values())


def takes(ours: Signature, name: str) -> bool:
    """Whether a function can be given a parameter by this name."""
    return name in ours.parameters or has_kind(ours, Parameter.VAR_KEYWORD)


def is_default(value: Any, default: Any) -> bool:
    """Whether a default is written out."""
    plain = isinstance(value, (bool, int, float, str)) and type(value) is type(default)
    return value is default or (plain and value == default)


def says_how(name: str) -> bool:
    """Whether a parameter only says how SciPy computes, and what it may overwrite."""
    return name in ("check_finite", "lapack_driver", "workers", "lwork") or name.startswith("overwrite_")


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


def constant(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A function of SciPy's whose results are places, labels or truths: they have no derivative, of traced values too.

    Where only shapes are known, its arguments are refused.
    """

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = settled((args, kwargs))
        plain = {key: peeled(arg, name) for key, arg in kwargs.items()}
        return function(*(peeled(arg, name) for arg in args), **plain)

    return call


def refusing_class(original: type, name: str, reason: str | None = None) -> type:
    """A class of SciPy's of which no object can be made with traced values; its objects are SciPy's own.

    Classes that are derived from it are as if they were derived from SciPy's.
    """
    kind = ABCMeta if type(original) is type else type(original)  # so that it goes with abstract classes

    class Refusing(kind):  # type: ignore[misc, valid-type]
        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if cls is not own:
                return super().__call__(*args, **kwargs)
            if holds_traced(args) or holds_traced(kwargs):
                raise missing(name, reason)
            return plain_call(original, args, kwargs)

        def __instancecheck__(cls, value: Any) -> bool:
            return original in type(value).__mro__ if cls is own else super().__instancecheck__(value)

        def __subclasscheck__(cls, kind: type) -> bool:
            # Abstract classes ask all that derive from them, of which this is one: it must not ask back.
            return original in kind.__mro__ if cls is own else super().__subclasscheck__(kind)

    own: Any = None
    try:
        own = Refusing(original.__name__, (original,), {"__module__": original.__module__, "__doc__": original.__doc__})
    except TypeError:  # a class from which none can be derived
        return original
    own.refused = True
    return own  # type: ignore[no-any-return]


class RefusingObject:
    """An object of SciPy's that can be called: it and its methods refuse traced values."""

    def __init__(self, original: Any, name: str, reason: str | None) -> None:
        self.__dict__.update(original=original, __doc__=original.__doc__, __name__=name.rpartition(".")[2])
        self.__dict__["call"] = refusing(original, name, reason)
        self.__dict__["refused"] = True
        self.__dict__["path"] = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.__dict__["original"], name)
        return refusing(found, f"{self.path}.{name}") if isinstance(found, MethodType) else found

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.original, name, value)

    def __repr__(self) -> str:
        return repr(self.original)


RESULTS = ("OptimizeResult", "RootResults")
"""Classes that keep what they are given, whatever it is."""


def stand_in(found: Any, name: str, reason: str | None) -> Any:
    """What stands for a name of SciPy's that has no derivative."""
    if isinstance(found, ModuleType) and found.__name__.startswith("scipy."):
        return import_module(f"autodiff.{found.__name__}") if find_spec(f"autodiff.{found.__name__}") else found
    if isinstance(found, (FunctionType, BuiltinFunctionType)):
        return refusing(found, name, reason)
    if isinstance(found, type) and not issubclass(found, (Exception, Warning)) and found.__name__ not in RESULTS:
        return refusing_class(found, name, reason)
    if getattr(found, "__module__", "").startswith("numpy"):  # which asks its arguments
        return found
    if callable(found) and not isinstance(found, (type, np.ufunc)):
        return RefusingObject(found, name, reason)
    return found


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


def mirrored(
    module: str, reasons: Mapping[str, str] = MappingProxyType({}), constants: str = ""
) -> Callable[[str], Any]:
    """``__getattr__`` of a module that stands for one of SciPy's.

    Args:
        module: SciPy's, such as ``"scipy.linalg"``.
        reasons: why functions have no derivative, by name.
        constants: names of functions whose results are constant, with spaces between them.

    Returns:
        a function that finds what a name is in SciPy. Functions refuse traced values by name.
    """
    known: dict[str, Any] = {}

    def find(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        if name not in known:
            found, path = getattr(import_module(module), name), f"{module}.{name}"
            is_constant = name in constants.split()
            known[name] = constant(found, path) if is_constant else stand_in(found, path, reasons.get(name))
        return known[name]

    return find
