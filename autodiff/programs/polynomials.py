"""``numpy.polynomial`` for traced coefficients: NumPy's own modules, rewritten as a program's are, under other names.

Their functions make arrays of what they are given, and fill others: they are whole programs themselves. NumPy's modules
stay as they are; where nothing is traced they are what runs. Where only shapes are known, leading coefficients that are
zero stay, as their number would depend on values, and fits do not warn of a rank that is too small.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

import autodiff.numpy
from autodiff.numpy.buffers import settled
from autodiff.numpy.dispatch import FUNCTIONS, contains_traced
from autodiff.numpy.namespace import KNOWN, StandIn, enter, has_traced_values
from autodiff.programs.calls import NAMES
from autodiff.programs.compiling import compiled
from autodiff.programs.counterparts import FINDERS
from autodiff.trace.errors import ConcretizationError
from autodiff.trace.recording import is_recording

FAMILIES = ("polynomial", "chebyshev", "legendre", "laguerre", "hermite", "hermite_e")
COPIES: dict[str, ModuleType] = {}
"""The rewritten modules, by the names of NumPy's."""


class OfFullRank:
    """NumPy, whose least squares find the rank that there should be."""

    linalg = SimpleNamespace(
        lstsq=lambda a, b, rcond=None: (*(found := FUNCTIONS[np.linalg.lstsq](a, b, rcond))[:2], a.shape[1], found[3])
    )

    def __getattr__(self, name: str) -> Any:
        return getattr(autodiff.numpy, name)


def fit(function: Any, *args: Any, **kwargs: Any) -> Any:
    """A fit that does not look at the rank."""
    names = {**function.__globals__, "np": OfFullRank()}
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__)(*args, **kwargs)


UNTIL_KNOWN: dict[str, Callable[..., Any]] = {
    "trimseq": lambda function, seq: seq,
    "_fit": fit,
}
"""What functions of ``polyutils`` do where they would look at values of which only shapes are known."""


def until_known(function: Callable[..., Any], otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """A function, and what it does where it would look at values of which only shapes are known."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except ConcretizationError:
            return otherwise(function, *args, **kwargs)

    return call


def copy_of(name: str) -> ModuleType:
    """A module of ``numpy.polynomial``, rewritten; what it imports from its neighbours is rewritten too."""
    if name not in COPIES:
        original = import_module(f"numpy.polynomial.{name}")
        copy = COPIES[name] = ModuleType(original.__name__, original.__doc__)
        copy.__dict__.update(NAMES, __package__="numpy.polynomial", __file__=original.__file__)
        for neighbour in () if name in ("polyutils", "_polybase") else ("polyutils", "_polybase"):
            shared = import_module(f"numpy.polynomial.{neighbour}")
            enter(shared, copy_of(neighbour))
            for own, value in vars(shared).items():
                if getattr(value, "__module__", None) == shared.__name__:
                    enter(value, getattr(COPIES[neighbour], own))
        exec(compiled(inspect.getsource(original), str(original.__file__)), copy.__dict__)
        for own, otherwise in UNTIL_KNOWN.items() if name == "polyutils" else ():
            copy.__dict__[own] = until_known(copy.__dict__[own], otherwise)
    return COPIES[name]


def counterpart(value: Any) -> Any:
    """What stands for a module, a function or a class of ``numpy.polynomial``."""
    found = KNOWN.get(id(value))
    if found is not None:
        return found[1]
    if isinstance(value, ModuleType):
        return enter(value, StandIn(value, counterpart))
    home = str(getattr(value, "__module__", "")).rpartition(".")[2]
    if home not in (*FAMILIES, "polyutils") or not hasattr(value, "__name__"):  # a polynomial is called, too
        return value
    return enter(value, Kind(value, home) if isinstance(value, type) else asking(value, home))


class Kind(type):
    """The type of what stands for a class of polynomials: while something is traced, for the rewritten one."""

    original: type
    home: str

    def __new__(cls, original: type, home: str) -> Kind:
        return super().__new__(cls, original.__name__, (), {"original": original, "home": home})

    def __init__(cls, original: type, home: str) -> None:
        super().__init__(original.__name__, (), {})

    def now(cls) -> Any:
        """The class that is called now."""
        return getattr(copy_of(cls.home), cls.original.__name__) if is_recording() else cls.original

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls.now()(*args, **kwargs)

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls.now(), name)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, (cls.original, cls.now()))


def asking(original: Callable[..., Any], home: str) -> Callable[..., Any]:
    """A function, in whose place a rewritten one is called where an argument is traced."""

    @wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not has_traced_values():
            return original(*args, **kwargs)
        args, kwargs = settled((args, kwargs))
        if not contains_traced((*args, *kwargs.values())):
            return original(*args, **kwargs)
        own = getattr(copy_of(home), original.__name__)
        return getattr(own, "_implementation", own)(*args, **kwargs)  # behind NumPy's dispatch, which would ask again

    return call


def install() -> None:
    """Enter what stands for ``numpy.polynomial`` and its modules."""
    others = dict(FINDERS)
    FINDERS.clear()
    FINDERS.update({"numpy.polynomial": counterpart, **others})
    enter(np.polynomial, StandIn(np.polynomial, counterpart))
    for name in FAMILIES:
        counterpart(import_module(f"numpy.polynomial.{name}"))


install()
