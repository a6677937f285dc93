"""SciPy's own formulas of distributions, run on traced values.

A distribution of SciPy computes its density in a method such as ``_logpdf``, which is a formula in NumPy's functions. A
few names stand in the way: functions that ask no argument who it is, and those that call a formula on selected elements
only. The method is run with others in the places of these names; its code stays as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache, wraps
from types import FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from scipy.special import log_ndtr, ndtr

from autodiff.numpy.dispatch import FUNCTIONS, UFUNCS, contains_traced
from autodiff.numpy.namespace import array
from autodiff.ops.elementwise import isfinite, logical_or, where
from autodiff.scipy.python_code import apply_where, select
from autodiff.transforms.stop_gradient import stop_gradient

Evaluate = Callable[..., Any]


class NumPyNames:
    """NumPy's names, in which functions take traced values anywhere among their arguments."""

    def __getattr__(self, name: str) -> Any:
        original = getattr(np, name)
        if name in ("array", "asarray"):
            return array
        own = UFUNCS.get(original) if isinstance(original, np.ufunc) else None
        if isinstance(original, type) or not callable(original):
            return original
        own = own or FUNCTIONS.get(original)
        return original if own is None else asking(original, own)


def asking(original: Evaluate, own: Evaluate) -> Evaluate:
    """A function of NumPy that is ours where an argument is traced."""

    @wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        return (own if contains_traced((*args, *kwargs.values())) else original)(*args, **kwargs)

    return function


def log_gauss_mass(a: Any, b: Any) -> Any:
    """The logarithm of the probability of the interval from a to b, as SciPy computes it for ``truncnorm``.

    SciPy fills selected elements of a complex array. Here each element has one of two formulas: an interval on one side
    of zero is reflected into the left tail, where digits are, and one around zero is what its tails leave.
    """
    a, b = (where(isfinite(x), x, stop_gradient(x)) for x in (a, b))
    right = a > 0
    tail = logical_or(right, b <= 0)
    high = log_ndtr(where(tail, where(right, -a, b), 1.0))
    low = log_ndtr(where(tail, where(right, -b, a), -1.0))
    central = np.log1p(-ndtr(where(tail, -1.0, a)) - ndtr(-where(tail, 1.0, b)))
    return where(tail, high + np.log1p(-np.exp(low - high)), central)


NUMPY = NumPyNames()
SELECTING = SimpleNamespace(apply_where=apply_where)
OWN: dict[str, Evaluate] = {"_lazyselect": select, "_log_gauss_mass": log_gauss_mass}
"""What stands in the places of functions that fill selected elements, by their names."""


@cache
def names_of(module: ModuleType) -> dict[str, Any]:
    """A module's names for functions that shall run on traced values."""
    names = dict(vars(module))
    for name, value in vars(module).items():
        names[name] = in_place_of(value, names)
    return names


def in_place_of(value: Any, names: dict[str, Any]) -> Any:
    """What stands in the place of a name's value."""
    if value is np:
        return NUMPY
    if isinstance(value, ModuleType):
        return SELECTING if value.__name__.endswith("array_api_extra") else value
    name = getattr(value, "__name__", "")
    if name in OWN:
        return OWN[name]
    if callable(value) and not isinstance(value, type) and getattr(np, name or "-", None) is value:
        return getattr(NUMPY, name)
    if isinstance(value, FunctionType) and (value.__module__ or "").startswith("scipy.stats"):  # or none: made by exec
        return with_names(value, names)
    return value


def with_names(function: FunctionType, names: dict[str, Any]) -> FunctionType:
    """The same code, which looks up its global names elsewhere."""
    again = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    again.__kwdefaults__ = function.__kwdefaults__
    return again


@cache
def borrowed_method(function: FunctionType) -> FunctionType:
    """A method of SciPy's that runs on traced values."""
    return with_names(function, names_of(sys.modules[function.__module__]))


def borrowed(distribution: Any, evaluate: Evaluate, methods: frozenset[str]) -> Any:
    """A distribution whose methods run on traced values.

    Args:
        distribution: SciPy's.
        evaluate: ``evaluate(distribution, name, args)`` computes what is named in ``methods`` when others call it.
        methods: those names.
    """
    kind = type(distribution)

    class Borrowed(kind):  # type: ignore[misc, valid-type]
        def __getattribute__(self, name: str) -> Any:
            if name in methods:
                return lambda *args: evaluate(distribution, name, args)
            found = getattr(kind, name, None)
            if isinstance(found, FunctionType) and found.__module__.startswith("scipy.stats"):
                return MethodType(borrowed_method(found), self)
            return object.__getattribute__(self, name)

    own = object.__new__(Borrowed)
    own.__dict__.update(distribution.__dict__)
    return own


def run_formula(distribution: Any, evaluate: Evaluate, methods: frozenset[str], name: str, args: Sequence[Any]) -> Any:
    """A method's formula on traced values."""
    own = borrowed(distribution, evaluate, methods)
    return MethodType(borrowed_method(getattr(type(distribution), name)), own)(*args)
