"""Operations on complex numbers that have no form in parts, as operations on parts: in the bodies of loops.

``fft`` of the parts of an array gives the parts of its transform. So the body of a loop stays one on real numbers, and
the loop a kernel, which calls out for this operation.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec, spec

Dtypes = tuple[np.dtype[Any] | None, ...]


def run(*xs: Any, primitive: Primitive, given: Dtypes, params: tuple[tuple[str, Any], ...]) -> Any:
    """The results of an operation; complex ones as two arrays."""
    parts = iter(xs)
    operands = [next(parts) if dtype is None else put_together(next(parts), next(parts), dtype) for dtype in given]
    found = primitive.evaluate(*operands, **dict(params))
    outs = found if isinstance(found, tuple) else (found,)
    return tuple(part for out in outs for part in ((out.real, out.imag) if np.iscomplexobj(out) else (out,)))


def put_together(real: Any, imag: Any, dtype: np.dtype[Any]) -> Any:
    """A complex value of its parts; Python's own of two Python numbers."""
    if type(real) is float and type(imag) is float:
        return complex(real, imag)
    whole = np.empty(np.shape(real) if isinstance(real, np.ndarray) else np.shape(imag), dtype)
    whole.real, whole.imag = real, imag
    return whole if isinstance(real, np.ndarray) or isinstance(imag, np.ndarray) else whole[()]


def specs_of(*xs: Spec, primitive: Primitive, given: Dtypes, params: tuple[tuple[str, Any], ...]) -> tuple[Spec, ...]:
    """The specs of the parts of the results."""
    parts = iter(xs)
    operands = []
    for dtype in given:
        own = next(parts)
        operands.append(own if dtype is None else spec(own.shape, dtype, own.kind))
        if dtype is not None:
            next(parts)
    found = primitive.spec(*operands, **dict(params))
    return tuple(part for own in (found if isinstance(found, tuple) else (found,)) for part in parts_of(own))


def parts_of(own: Spec) -> tuple[Spec, ...]:
    """The specs of the parts of a value; its own where it is real."""
    if own.dtype.kind != "c":
        return (own,)
    return (spec(own.shape, np.finfo(own.dtype).dtype, own.kind),) * 2


@cache
def of_parts(primitive: Primitive) -> Primitive:
    """An operation on complex numbers as one that is given, and gives, their parts."""
    evaluate, specs = partial(run, primitive=primitive), partial(specs_of, primitive=primitive)
    name = f"{primitive.name}_of_parts"
    return Primitive(name, "general", ("*xs",), evaluate, specs, {}, params=None, register=False)
