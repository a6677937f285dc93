"""NumPy's functions that return views, on traced arrays: what they return shares memory as NumPy's results do."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from autodiff.numpy.arrays.outline import known
from autodiff.numpy.dispatch import ABSENT, FUNCTIONS, first_parameter
from autodiff.trace.tracer import Tracer
from autodiff.trace.view import IMAG, READ_ONLY, REAL, SHARED, UNKNOWN, View, lying

Sharing = Callable[[Any, Any, dict[str, Any]], str | None]
"""What the result of a function shares with its first argument, by the argument, the result and the options; None for
a copy."""


def viewing(function: Callable[..., Any], sharing: Sharing, numpys: Callable[..., Any] = np.reshape) -> Any:
    """A function of NumPy's that returns views, on traced arrays as well.

    Args:
        function: the function; its first argument is the array.
        sharing: says what a result shares.
        numpys: NumPy's own function, where sharing depends on strides.
    """
    name = first_parameter(function)

    @wraps(function)
    def call(x: Any = ABSENT, *args: Any, **kwargs: Any) -> Any:
        if x is ABSENT:
            return call(kwargs.pop(name), **kwargs) if name in kwargs else function(**kwargs)
        out = function(x, *args, **kwargs)
        if not isinstance(x, Tracer) or out is x:
            return out
        how = sharing(x, out, kwargs)
        if how == UNKNOWN and (plain := lying(x)) is not None:
            how = SHARED if np.may_share_memory(plain, numpys(plain, *args, **kwargs)) else None
        if how is None:
            return out

        def view(part: Any, place: int | None) -> Any:
            if type(part) is not Tracer or part.spec.kind != "array":
                return part

            def again(base: Any) -> Any:
                whole = function(base, *args, **kwargs)
                return whole if place is None else whole[place]

            return View(part, x, again, PARTS.get(numpys) or object(), how)

        if isinstance(out, (list, tuple)):
            return type(out)(view(part, place) for place, part in enumerate(out))
        return view(out, None)

    return call


def always(x: Any, out: Any, options: dict[str, Any]) -> str:
    """Functions that always return views."""
    return SHARED


def read_only(x: Any, out: Any, options: dict[str, Any]) -> str:
    """Functions that return views to which NumPy forbids writing."""
    return READ_ONLY


def if_strides_allow(x: Any, out: Any, options: dict[str, Any]) -> str | None:
    """What reshaping shares: memory whose strides fit, which is not known where only shapes are."""
    if options.get("copy"):
        return None
    ours, theirs = known(out), known(x)
    if not isinstance(ours, np.ndarray):
        return UNKNOWN
    return SHARED if np.may_share_memory(ours, theirs) else None


def if_axes_allow(x: Any, out: Any, options: dict[str, Any]) -> str | None:
    """What np.reshape shares: memory however it lies, where axes are only split."""
    return if_strides_allow(x, out, options) if options.get("copy") or not only_splits(x.shape, out.shape) else SHARED


def only_splits(old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    """Whether each axis becomes one or several neighbouring axes, so that no two become one."""
    if 0 in old:
        return False
    lengths = iter([length for length in new if length > 1])
    for length in old:
        while length > 1:
            part = next(lengths)
            if length % part:
                return False
            length //= part
    return True


def of_matrix(x: Any, out: Any, options: dict[str, Any]) -> str | None:
    """What np.diag shares: it shows the diagonal of a matrix, but copies a vector into a new matrix."""
    return READ_ONLY if x.ndim == 2 else None


def of_complex(x: Any, out: Any, options: dict[str, Any]) -> str | None:
    """The parts of complex arrays; the imaginary part of a real one is an array of zeros."""
    return SHARED if x.dtype.kind == "c" else None


PARTS: dict[Any, str] = {np.real: REAL, np.imag: IMAG}
"""Functions whose views are keyed by what they show."""

# fmt: off
SHARING: dict[Sharing, tuple[Callable[..., Any], ...]] = {
    always: (
        np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.expand_dims, np.squeeze, np.flip,
        np.fliplr, np.flipud, np.rot90, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.split, np.array_split,
        np.hsplit, np.vsplit, np.dsplit,
    ),
    read_only: (np.broadcast_to, np.diagonal, np.linalg.diagonal, np.lib.stride_tricks.sliding_window_view),
    of_matrix: (np.diag,),
    of_complex: (np.real, np.imag),
    if_strides_allow: (np.ravel,),
    if_axes_allow: (np.reshape,),
}
# fmt: on


def install() -> None:
    """Let the functions that return views do so for traced arrays."""
    for newer in ("unstack", "matrix_transpose", "permute_dims"):  # in NumPy 2.0 or 2.1 and later
        if hasattr(np, newer):
            SHARING[always] = (*SHARING[always], getattr(np, newer))
    SHARING[always] = (*SHARING[always], np.linalg.matrix_transpose)
    for sharing, functions in SHARING.items():
        for function in functions:
            if function in FUNCTIONS:
                FUNCTIONS[function] = viewing(FUNCTIONS[function], sharing, function)
