"""What happens to methods of arrays and ufuncs, np.polynomial and np.random when a value is traced: seen, not said.

``python -m tests.numpy.observed`` calls each name in reverse mode, in forward mode, under ``vmap`` and under ``jit``, and
writes ``docs/numpy-methods-coverage.md``. A derivative counts as one if it is that of differences of NumPy's values.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import autodiff
from autodiff.programs import counterparts
from autodiff.programs.drawing import GENERATORS, draw
from autodiff.trace.failures.classes import AutodiffError
from autodiff.trace.trees.tree import flatten

PAGE = Path(__file__).parents[2] / "docs" / "numpy-methods-coverage.md"
MODES = ("reverse", "forward", "vmap", "jit")
X = np.array([[0.7, 1.3], [0.4, 1.9]])
V, W = np.array([0.6, 1.7, 0.9]), np.array([0.5, 1.2])
STEP = 1e-6

DIFFERENTIATED, CONSTANT, REFUSED, UNLIKE = "differentiated", "constant", "refused", "unlike NumPy"


class Call(NamedTuple):
    """A call of one name.

    Attributes:
        fun: takes the array that is traced.
        x: where.
        smooth: whether differences of NumPy's values say what the derivative is; draws by rejection do not.
    """

    fun: Callable[[Any], Any]
    x: Any
    smooth: bool = True


def number_of(value: Any) -> Any:
    """All floating-point results in one number; None if there are none."""
    total: Any = None
    for k, leaf in enumerate(flatten(value)[0]):
        leaf = np.asarray(leaf) if isinstance(leaf, (float, complex)) and not hasattr(leaf, "shape") else leaf
        if getattr(leaf, "dtype", np.dtype(int)).kind not in "fc":
            continue
        weights = np.cos(0.3 + k + np.arange(leaf.size)).reshape(leaf.shape)
        own = np.sum(np.real(leaf) * weights)
        total = own if total is None else total + own
    return total


def in_mode(call: Call, mode: str) -> Any:
    """What a mode finds: the derivative along a direction, or the value."""

    def total(x: Any) -> Any:
        found = number_of(call.fun(x))
        return np.sum(x) * 0.0 if found is None else found

    direction = np.sin(1.0 + np.arange(call.x.size)).reshape(call.x.shape)
    if mode == "reverse":
        return np.sum(autodiff.grad(total)(call.x) * direction)
    if mode == "forward":
        return autodiff.jvp(total, (call.x,), (direction,))[1]
    return autodiff.vmap(total)(np.stack([call.x, call.x]))[0] if mode == "vmap" else autodiff.jit(total)(call.x)


def expected_of(call: Call) -> tuple[Any, Any]:
    """The value by NumPy, and its difference quotient along the direction; None where no result is a real number."""
    direction = np.sin(1.0 + np.arange(call.x.size)).reshape(call.x.shape)
    value, after, before = (number_of(call.fun(call.x + k * STEP * direction)) for k in (0, 1, -1))
    return value, None if value is None else (after - before) / (2 * STEP)


def kinds(call: Call) -> tuple[str, ...]:
    """What happens in each mode."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, slope = expected_of(call)
        flat = value is None or (call.smooth and (slope == 0 or not np.isfinite(slope)))
        return tuple(kind(call, mode, value, slope, flat) for mode in MODES)


def kind(call: Call, mode: str, value: Any, slope: Any, flat: bool) -> str:
    """What happens in one mode."""
    try:
        found = in_mode(call, mode)
    except (AutodiffError, AttributeError, TypeError, NotImplementedError):
        return REFUSED
    expected = slope if mode in ("reverse", "forward") else value
    if flat:
        return CONSTANT if value is None or mode in MODES[2:] or found == 0 or not np.isfinite(slope) else UNLIKE
    wrong = call.smooth and not np.allclose(found, expected, rtol=1e-5, atol=1e-7)
    return UNLIKE if wrong else DIFFERENTIATED


def first_that_runs(fun: Any, given: list[tuple[int, tuple[Any, ...]]], smooth: bool = True) -> Call | None:
    """A call with the first arguments that NumPy takes; the argument of an index is traced."""
    for place, args in given:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fun(*args)
        except Exception:  # NumPy says in many ways that it wants other arguments
            continue
        return Call(
            lambda x, place=place, args=args: fun(*args[:place], x, *args[place + 1 :]), np.asarray(args[place]), smooth
        )
    return None


# fmt: off
ARGUMENTS = {
    "astype": (float,), "choose": ([X, X],), "clip": (0.5, 1.5), "compress": ([True, False], 0), "dot": (X,), "fill": (1.0,),
    "item": (0,), "partition": (0,), "argpartition": (0,), "repeat": (2,), "reshape": (4,), "resize": ((4,),), "searchsorted": (0.5,),
    "setfield": (1.0, float), "getfield": (float,), "swapaxes": (0, 1), "take": ([0],), "view": (), "put": ([0], 1.0), "tofile": (None,),
    "to_device": ("cpu",), "itemset": (0, 1.0), "__getitem__": (0,),
}
# fmt: on


def array_methods() -> Iterator[tuple[str, Call]]:
    """The public methods and attributes of arrays."""
    for name in sorted(name for name in dir(np.ndarray) if not name.startswith("_")):
        at = V if name == "searchsorted" else X

        def fun(x: Any, name: str = name) -> Any:
            x = np.copy(x)  # a method may write to it
            found = getattr(x, name)
            found = found(*ARGUMENTS.get(name, ())) if callable(found) else found
            return x if found is None else found

        call = first_that_runs(fun, [(0, (at,))])
        if call is not None:
            yield f"ndarray.{name}", call


def ufunc_methods() -> Iterator[tuple[str, Call]]:
    """The methods of ufuncs of two operands."""
    for name in sorted(name for name in dir(np) if isinstance(getattr(np, name), np.ufunc)):
        ufunc = getattr(np, name)
        if ufunc.signature is not None or ufunc.nin != 2 or ufunc.nout != 1:
            continue
        calls = {
            "reduce": lambda x, u=ufunc: u.reduce(x, 0),
            "accumulate": lambda x, u=ufunc: u.accumulate(x, 0),
            "reduceat": lambda x, u=ufunc: u.reduceat(x, [0, 1], 0),
            "outer": lambda x, u=ufunc: u.outer(x, W),
            "at": lambda x, u=ufunc: written(u, x),
        }
        for method, fun in calls.items():
            call = first_that_runs(fun, [(0, (X,))])
            if call is not None:
                yield f"{name}.{method}", call


def written(ufunc: Any, x: Any) -> Any:
    """``ufunc.at`` on a copy."""
    x = np.copy(x)
    ufunc.at(x, [0, 1], W)
    return x


def polynomials() -> Iterator[tuple[str, Call]]:
    """The functions of ``np.polynomial``, and the methods of its classes."""
    square, cube = np.array([[0.5, 1.1], [0.3, 0.7]]), np.arange(8.0).reshape(2, 2, 2) / 8
    for family in ("polynomial", "chebyshev", "legendre", "laguerre", "hermite", "hermite_e"):
        module = getattr(np.polynomial, family)
        for name in sorted(module.__all__):
            found = getattr(module, name)
            if isinstance(found, type):
                yield from of_class(family, name, found)
            elif callable(found):
                given = [
                    (0, (V, W)), (0, (V,)), (0, (V, 2)), (0, (V, V, square)), (0, (V, V, V, cube)), (0, (V, V, 1)), (0, (V, V, [1, 1])),
                    (0, (V, V, V, [1, 1, 1])), (0, (np.array(0.5), 1.2)),
                ]  # fmt: skip
                call = first_that_runs(counterparts.counterpart(found), given)
                if call is not None:
                    yield f"{family}.{name}", call


def of_class(family: str, name: str, found: type) -> Iterator[tuple[str, Call]]:
    """The methods of a class of polynomials, of traced coefficients; of those that make one, of what they are given."""
    own = counterparts.counterpart(found)
    for method in sorted(name for name in dir(found) if not name.startswith("_")):

        def fun(c: Any, *args: Any, method: str = method) -> Any:
            made = getattr(own(c), method)
            result = made(*args) if callable(made) else made
            return getattr(result, "coef", result)

        call = first_that_runs(fun, [(0, (V,)), (0, (V, 1)), (0, (V, W)), (0, (V, own)), (0, (V, own(W)))])
        if method in ("fit", "fromroots", "interpolate", "basis", "identity"):
            given = [(0, (V, V, 1)), (0, (V,))]
            call = first_that_runs(lambda *args, method=method: getattr(own, method)(*args).coef, given)
        if call is not None:
            yield f"{name}.{method}", call


def draws() -> Iterator[tuple[str, Call]]:
    """The methods of random generators, by their parameters."""
    one, many = np.array(0.6), np.array([0.5, 0.3, 0.2])
    for generator in GENERATORS:
        for name in sorted(name for name in dir(generator) if not name.startswith("_")):

            def fun(*args: Any, generator: Any = generator, name: str = name) -> Any:
                made = np.random.default_rng(3) if generator is np.random.Generator else np.random.RandomState(3)
                own = [arg.copy() if np.ndim(arg) else arg for arg in args]
                found = draw(getattr(made, name))(*own)
                return own[0] if name == "shuffle" else found

            given = [(0, (one,)), (0, (one, 0.7)), (0, (np.array(0.2), 0.6, 0.9)), (1, (3, one)), (1, (3, many)), (0, (many,)),
                     (0, (many, np.eye(3)))]  # fmt: skip
            if name in ("choice", "permutation", "shuffle"):
                given = [(0, (many,))]
            call = (
                None if name in ("bytes", "seed", "set_state", "spawn") else first_that_runs(fun, given, smooth=False)
            )
            if call is not None:
                yield f"{generator.__name__}.{name}", call


PARTS = {
    "Methods and attributes of arrays": array_methods,
    "Methods of ufuncs": ufunc_methods,
    "np.polynomial": polynomials,
    "np.random, by parameters": draws,
}


@lru_cache(1)
def table() -> dict[str, dict[str, tuple[str, ...]]]:
    """For each name of each part what happens in each mode."""
    return {part: {name: kinds(call) for name, call in names()} for part, names in PARTS.items()}


def page() -> str:
    """The table as a page of the documentation."""
    lines = [
        "# Methods of arrays and ufuncs, polynomials, random numbers",
        "",
        "Written by `python -m tests.numpy.observed`, which calls each name with a traced value in reverse mode, in forward",
        "mode, under `vmap` and under `jit`, as a rewritten program does. *Differentiated*: the derivative is that of",
        "differences of NumPy's values (of random numbers: there is one); *constant*: NumPy's values do not change, or are",
        "no real numbers; *refused*: an error says so. Names that take sizes, text or files alone are left out.",
        "",
        f"NumPy {np.__version__}.",
    ]
    for part, names in table().items():
        lines += ["", f"## {part}"]
        for found, group in groupby(sorted(names.items(), key=lambda item: (item[1], item[0])), lambda item: item[1]):
            own = [name for name, _ in group]
            said = ", ".join(f"{mode}: {its}" for mode, its in zip(MODES, found, strict=True))
            said = f"{found[0]} in all modes" if len(set(found)) == 1 else said
            lines += ["", f"**{said}** ({len(own)}): {' '.join(f'`{name}`' for name in own)}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
