"""``math`` and ``cmath`` for traced numbers: errors are those of Python's own functions, derivatives are ours."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from functools import reduce, wraps
from operator import mul
from typing import Any

import numpy as np

from autodiff.numpy.buffers import settled
from autodiff.numpy.dispatch import FUNCTIONS, UFUNCS, contains_traced, missing
from autodiff.numpy.namespace import StandIn, counterpart, enter, has_traced_values
from autodiff.ops.elementwise import cast, from_parts, python_number
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer, concrete

Function = Callable[..., Any]


def ufunc(function: np.ufunc) -> Function:
    """What a ufunc runs on traced values."""
    return lambda *args: UFUNCS[function](*args)


def special(name: str) -> Function:
    """A ufunc of scipy.special, which is loaded when it is called."""

    def call(x: Any) -> Any:
        import scipy.special  # noqa: PLC0415 - takes a while, and few programs ask for it

        return getattr(scipy.special, name)(x)

    return call


def log(x: Any, base: Any = math.e) -> Any:
    """The logarithm to a base."""
    found = UFUNCS[np.log](x)
    return found if base is math.e else found / (UFUNCS[np.log](base) if isinstance(base, Traced) else math.log(base))


def hypot(*coordinates: Any) -> Any:
    """The length of a vector."""
    return reduce(lambda a, b: UFUNCS[np.hypot](a, b), coordinates)


def dist(p: Any, q: Any) -> Any:
    """The distance of two points."""
    return hypot(*(a - b for a, b in zip(p, q, strict=True)), 0.0)


def ldexp(x: Any, i: int) -> Any:
    """x times a power of two."""
    return x * (2.0**i if isinstance(i, Traced) else math.ldexp(1.0, i))


def frexp(x: Any) -> tuple[Any, Any]:
    """A fraction from a half to one, and the power of two that it is multiplied with."""
    fraction, exponent = UFUNCS[np.frexp](x)
    known = concrete(exponent)
    return number(fraction), python_number(exponent) if type(known) is Spec else int(known)


def modf(x: Any) -> tuple[Any, Any]:
    """Fraction and whole part, both with the sign of x."""
    whole = UFUNCS[np.trunc](x)
    return x - whole, whole


def polar(x: Any) -> tuple[Any, Any]:
    """Absolute value and angle."""
    return abs(x), FUNCTIONS[np.angle](x)


SAME = """
    acos=arccos acosh=arccosh asin=arcsin asinh=arcsinh atan=arctan atan2=arctan2 atanh=arctanh cbrt copysign cos cosh
    degrees exp exp2 expm1 fabs fmod log10 log1p log2 pow=power radians remainder sin sinh sqrt tan tanh
"""
REAL: dict[str, Function] = {
    **{name: ufunc(getattr(np, own or name)) for name, _, own in (word.partition("=") for word in SAME.split())},
    "dist": dist,
    "erf": special("erf"),
    "erfc": special("erfc"),
    "frexp": frexp,
    "fsum": lambda terms: sum(terms, 0.0),
    "gamma": special("gamma"),
    "hypot": hypot,
    "ldexp": ldexp,
    "lgamma": special("gammaln"),
    "log": log,
    "modf": modf,
    "prod": lambda terms, *, start=1: reduce(mul, terms, start),
    "remainder": lambda x, y: x - y * UFUNCS[np.rint](x / y),
    "sumprod": lambda p, q: sum(a * b for a, b in zip(p, q, strict=True)),
}
"""What has a derivative."""


def of_complex(name: str) -> Function:
    """A function of math, of complex numbers; the sign of a zero says on which side of a branch cut they are."""
    return lambda x, *base: REAL[name](x if spec_of(x).dtype.kind == "c" else from_parts(x, 0.0), *base)


ELEMENTARY = "acos acosh asin asinh atan atanh cos cosh exp log log10 sin sinh sqrt tan tanh"
COMPLEX: dict[str, Function] = {
    **{name: of_complex(name) for name in ELEMENTARY.split()},
    "phase": lambda x: FUNCTIONS[np.angle](x),
    "polar": polar,
    "rect": lambda r, phi: from_parts(r * UFUNCS[np.cos](phi), r * UFUNCS[np.sin](phi)),
}


def whole(function: np.ufunc) -> Function:
    """A function that rounds, to Python's integer."""
    return lambda x: python_number(cast(UFUNCS[function](x), dtype=np.dtype(int)))


def is_close(a: Any, b: Any, *, rel_tol: Any = 1e-9, abs_tol: Any = 0.0) -> Any:
    """Whether two numbers agree up to a part of the larger one."""
    most = UFUNCS[np.maximum](rel_tol * UFUNCS[np.maximum](abs(a), abs(b)), abs_tol)
    return UFUNCS[np.logical_or](a == b, UFUNCS[np.logical_and](abs(a - b) <= most, UFUNCS[np.isfinite](a - b)))


STEPS: dict[str, Function] = {
    "ceil": whole(np.ceil),
    "floor": whole(np.floor),
    "isclose": is_close,
    "isfinite": ufunc(np.isfinite),
    "isinf": ufunc(np.isinf),
    "isnan": ufunc(np.isnan),
    "trunc": whole(np.trunc),
}
"""What has none: whole numbers, true or false. Where the number is known Python computes it."""

OF_VECTORS = frozenset(("dist", "fsum", "prod", "sumprod"))
"""Functions that go through their arguments."""


def number(x: Any) -> Any:
    """An argument of a function of numbers: of one element, as Python's own number where it is an array.

    Raises:
        TypeError: if it has several elements.
    """
    if not isinstance(x, Traced):
        return x
    its = spec_of(x)
    if its.size != 1:
        raise TypeError(
            f"only an array of one element can be converted to a Python number, got {its!r}{at_user_line()}; call "
            "NumPy's function of the same name"
        )
    if its.shape:
        x = FUNCTIONS[np.reshape](x, ())
    if its.dtype.kind in "iub":
        x = cast(x, dtype=np.dtype(float))
    return python_number(x) if isinstance(x, Tracer) and x.spec.kind != "python" else x


def numbers(values: Any) -> Any:
    """The same of all arguments, and of those in a list."""
    if isinstance(values, (tuple, list)):
        return type(values)(map(numbers, values))
    return number(values)


def plain_numbers(values: Any) -> Any:
    """The numbers behind traced ones; None where one of them is not known."""
    if isinstance(values, (tuple, list)):
        found = [plain_numbers(value) for value in values]
        return None if any(part is None for part in found) else found
    plain = concrete(values)
    return None if type(plain) is Spec else plain


def of_traced(original: Function, own: Function | None) -> Function:
    """A function of ``math`` that takes traced numbers too; errors of the domain are Python's own."""
    name = f"{original.__module__}.{original.__name__}"

    @wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if not has_traced_values():
            return original(*args, **kwargs)
        if original.__name__ in OF_VECTORS:
            args = tuple(list(arg) for arg in args)
        args, kwargs = settled((args, kwargs))
        if not contains_traced((*args, *kwargs.values())):
            return original(*args, **kwargs)
        args, kwargs = numbers(args), {key: numbers(value) for key, value in kwargs.items()}
        plain = plain_numbers(args)
        found = None if plain is None else original(*plain, **{k: concrete(v) for k, v in kwargs.items()})
        if original.__name__ in STEPS:
            return STEPS[original.__name__](*args, **kwargs) if found is None else found
        if own is None:
            raise missing(name)
        return own(*args, **kwargs) if original is math.frexp else numbers(own(*args, **kwargs))

    return function


def stand_in(module: Any, table: dict[str, Function]) -> None:
    """Enter what stands for the module, and for its functions."""
    for name in dir(module):
        original = getattr(module, name)
        if callable(original) and not name.startswith("_"):
            enter(original, of_traced(original, table.get(name)))
    enter(module, StandIn(module, counterpart))


stand_in(math, REAL)
stand_in(cmath, COMPLEX)
