"""What happens to a function of SciPy when a value is traced: tried in reverse mode, in forward mode, under vmap, under jit."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff
from autodiff.scipy.mirror import holds_traced
from autodiff.trace.failures.classes import AutodiffError
from autodiff.trace.trees.tree import flatten
from tests.scipy.programs.check import Program, total

MODES = ("reverse", "forward", "vmap", "jit")
DIFFERENTIATED, CONSTANT, REFUSED = "differentiated", "constant", "refused"
UNLIKE, OBSCURE, SILENT = "unlike SciPy", "an error of another kind", "nothing said"
"""What must not happen."""


def in_mode(fun: Callable[..., Any], args: tuple[Any, ...], directions: tuple[Any, ...], mode: str) -> Any:
    """What a mode finds: the derivative along a direction, or the value."""
    if mode == "reverse":
        gradient = autodiff.grad(fun, tuple(range(len(args))))(*args)
        return sum(np.sum(g * d) for g, d in zip(gradient, directions, strict=True))
    if mode == "forward":
        return autodiff.jvp(fun, args, directions)[1]
    if mode == "vmap":
        return autodiff.vmap(fun)(*(np.stack([x, x]) for x in args))[1]
    return autodiff.jit(fun)(*args)


def directions_of(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """A direction for each argument."""
    return tuple(np.sin(1.0 + np.arange(np.size(x))).reshape(np.shape(x))[()] for x in args)


def tried(trial: Callable[[], Any]) -> Any:
    """What a trial returns; the kind of error if there is one."""
    try:
        return trial()
    except AutodiffError:
        return REFUSED
    except Exception:  # whatever it is, it is none of ours
        return OBSCURE


def of_program(program: Program) -> tuple[str, ...]:
    """What happens to a program of a function in each mode."""
    fun, args = total(program), tuple(np.asarray(x, float)[()] for x in program.args)
    directions = directions_of(args)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, step = fun(*args), program.step / 10

        def moved(by: float) -> Any:
            return fun(*(x + by * d for x, d in zip(args, directions, strict=True)))

        slope = (-moved(2 * step) + 8 * moved(step) - 8 * moved(-step) + moved(-2 * step)) / (12 * step)
        found = {}
        for mode in MODES:
            seen = tried(lambda mode=mode: in_mode(fun, args, directions, mode))  # type: ignore[misc]
            expected, rtol = (slope, max(1e-2, 10 * program.rtol)) if mode in MODES[:2] else (value, 1e-7)
            right = isinstance(seen, str) or np.allclose(seen, expected, rtol, 1e-4 if mode in MODES[:2] else 1e-9)
            found[mode] = seen if isinstance(seen, str) else DIFFERENTIATED if right else UNLIKE
    return tuple(found.values())


def of_constant(fun: Callable[[Any], Any], x: Any) -> tuple[str, ...]:
    """What happens in each mode to a function whose result does not move with its argument."""

    def sum_of(x: Any) -> Any:
        leaves = [leaf for leaf in flatten(fun(x))[0] if getattr(leaf, "dtype", np.dtype(object)).kind in "iuf"]
        return sum((np.sum(leaf) * 1.0 for leaf in leaves), 0.0) + 0.0 * np.sum(x)

    def kind(mode: str) -> str:
        seen = tried(lambda: in_mode(sum_of, (x,), directions_of((x,)), mode))
        expected = 0.0 if mode in MODES[:2] else sum_of(x)
        return seen if isinstance(seen, str) else CONSTANT if np.isclose(seen, expected) else UNLIKE

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tuple(map(kind, MODES))


def of_refusal(name: str, own: Callable[..., Any], modes: tuple[str, ...] = MODES) -> tuple[str, ...]:
    """Whether a call with a traced value says, by the function's name, that it is refused; in each mode."""
    words = re.compile(rf"^{re.escape(name)} cannot be called with a traced value \(")

    def called(x: Any) -> Any:
        assert holds_traced(x)
        own(x)
        return np.sum(x)

    def kind(mode: str) -> str:
        try:
            in_mode(called, (np.ones(3),), (np.ones(3),), mode)
        except AutodiffError as error:
            return REFUSED if words.match(str(error)) else OBSCURE
        except Exception:  # whatever it is, it is none of ours
            return OBSCURE
        return SILENT

    return tuple(map(kind, modes))
