"""Saved tapes that were changed: each is refused by a TapeError, or computes what it says, compiled or not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any

import numpy as np

import autodiff
from autodiff.backends.reference import run_tape
from autodiff.trace.errors import AutodiffError
from autodiff.trace.formats.graphviz import tape_graphviz
from autodiff.trace.formats.python import tape_python
from autodiff.trace.formats.save import tape_from_json, tape_to_json
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Tape, TapeError, inner_tapes
from autodiff.trace.trees.tree import flatten
from tests.hostile.mutation import changed, changed_bytes
from tests.hostile.programs import changed_tape
from tests.trace.tapes import FUNCTIONS, Point
from tests.transforms.control.test_formats import FUNCTIONS as CONTROL
from tests.transforms.control.test_formats import X

MOST_BYTES = 2**22
"""Tapes whose values take more are loaded, but not run."""

CLEAR = (
    AutodiffError, ValueError, TypeError, IndexError, ArithmeticError, MemoryError, NotImplementedError,
)  # fmt: skip
"""What NumPy and autodiff raise of values that an operation does not take."""


@cache
def corpus(large: bool) -> tuple[str, ...]:
    """Saved tapes: of the tests of tapes and loops; with ``large`` of all programs and cases, and of their gradients."""
    pairs = [pair for name, pair in FUNCTIONS.items() if name != "rule"]
    pairs += [(fun, (X,)) for fun in CONTROL.values()]
    return tuple(saved([*pairs, *every_program()] if large else pairs))


def every_program() -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """All programs of the tests, their gradients, and second derivatives of some."""
    from tests.ops.test_every_primitive import programs, total

    for number, (fun, args) in enumerate(programs()):
        yield fun, args
        inexact = tuple(k for k, arg in enumerate(args) if np.asarray(arg).dtype.kind in "fc")
        if inexact:
            gradient = autodiff.grad(total(fun), inexact)
            yield gradient, args
            if number % 4 == 0:
                yield autodiff.grad(total(gradient), inexact), args
                yield autodiff.vmap(fun), tuple(np.stack([arg, arg]) for arg in args)


def saved(pairs: Sequence[tuple[Any, tuple[Any, ...]]]) -> Iterator[str]:
    """The tapes of those functions that have tapes which can be saved."""
    for fun, args in pairs:
        with np.errstate(all="ignore"), suppress(*CLEAR):
            yield tape_to_json(autodiff.make_tape(fun)(*args))


def mutant(seed: int, texts: Sequence[str]) -> str:
    """A saved tape with random changes: of its bytes, of its JSON, or of its program."""
    random = Random(seed)
    text = random.choice(texts)
    way = random.random()
    if way < 0.1:
        return changed_bytes(text.encode(), random).decode("utf-8", "replace")
    if way < 0.35:
        data = changed(json.loads(text)["tape"], random, lambda: json.loads(random.choice(texts))["tape"])
        return json.dumps({"format": "autodiff tape", "version": 1, "tape": data})
    try:
        tape = tape_from_json(text, [Point])
        return tape_to_json(changed_tape(tape, random, lambda: tape_from_json(random.choice(texts), [Point])))
    except Exception:  # whatever the functions of primitives make of it: they have not been asked to check
        return mutant(seed + 2**32, texts)


def tried(text: str, compiled: bool) -> str:
    """What becomes of a saved tape: in short what happened, or, beginning with FAULT, what should not have.

    Args:
        text: the file.
        compiled: whether it is run under jit too.
    """
    try:
        tape = tape_from_json(text, [Point])
    except TapeError:
        return "refused"
    except Exception as error:
        return f"FAULT loading raises {type(error).__name__}: {error}"
    if tape_from_json(tape_to_json(tape), [Point]) != tape:
        return "FAULT it is another tape when it is saved again"
    str(tape)
    tape_graphviz(tape)
    if bytes_of(tape) > MOST_BYTES:
        return "loaded, too large to be run"
    return ran(tape, compiled)


def bytes_of(tape: Tape) -> int:
    """How many bytes all values of a tape take together, those of loops once for each step."""
    total = 0
    for equation in tape.equations:
        steps = dict(equation.params).get("length", 1) if equation.primitive.name == "scan" else 1
        total += max(steps, 1) * sum(bytes_of(inner) + 100 for _, inner in inner_tapes(equation))
    return total + sum(s.size * s.dtype.itemsize for s in tape.specs)


def ran(tape: Tape, compiled: bool) -> str:
    """What happens when a loaded tape runs: eagerly, as Python, and under jit."""
    values = [value_of(s, k) for k, s in enumerate(tape.inputs[: len(tape.inputs) - len(tape.constants)])]
    kept = [np.copy(v) for v in values]
    with np.errstate(all="ignore"):
        wanted = outcome(lambda: run_tape(tape, values))
        if isinstance(wanted, Exception):
            if not isinstance(wanted, CLEAR):
                return f"FAULT running raises {type(wanted).__name__}: {wanted}"
        else:
            wrong = [(spec_of(out), s) for out, s in zip(wanted, tape.output_specs, strict=True) if not like(out, s)]
            if wrong:
                return f"FAULT it says and gives {wrong}"
        problem = problem_of_python(tape, values, wanted)
        if problem:
            return f"FAULT as Python {problem}"
        if not compiled:
            return "ran" if not isinstance(wanted, Exception) else "raised"
        found = outcome(lambda: autodiff.jit(lambda *xs: tuple(run_tape(tape, xs)))(*values))
    if any(not np.array_equal(a, b, equal_nan=True) for a, b in zip(values, kept, strict=True)):
        return "FAULT it has changed its arguments"
    if isinstance(wanted, Exception) and not isinstance(found, Exception):  # of something that no result depends on?
        with np.errstate(all="ignore"):
            wanted = outcome(
                lambda: run_tape(autodiff.make_tape(lambda *xs: tuple(run_tape(tape, xs)))(*values), values)
            )
    return compared(wanted, found)


def problem_of_python(tape: Tape, values: Sequence[Any], wanted: Any) -> str:
    """What is wrong with a tape's Python source; empty where it does what the tape does, or cannot be written."""
    try:
        text = tape_python(tape)
    except TapeError:
        return ""
    scope: dict[str, Any] = {}
    exec(compile(text, "<tape>", "exec"), scope)
    args = values if tape.arguments is None else tape.arguments.unflatten(values)
    if isinstance(args, tuple) or tape.arguments is None:
        found = outcome(lambda: flatten(scope["tape"](*args))[0])
        if isinstance(found, Exception) != isinstance(wanted, Exception):
            return f"it gives {found!r} and not {wanted!r}"
        if not isinstance(found, Exception) and not all(map(close, wanted, found)):
            return f"it gives {found} and not {wanted}"
    return ""


def outcome(run: Callable[[], Any]) -> Any:
    """What a function returns, or its error."""
    try:
        return run()
    except Exception as error:
        return error


def compared(wanted: Any, found: Any) -> str:
    """Whether a compiled program does what the tape does."""
    if isinstance(found, Exception):
        if isinstance(wanted, Exception):
            return "raised, compiled too"
        return f"FAULT compiled it raises {type(found).__name__}: {found}"
    if isinstance(wanted, Exception):
        return f"FAULT compiled it does not raise {type(wanted).__name__}: {wanted}"
    for one, other in zip(wanted, found, strict=True):
        if (spec_of(one).shape, spec_of(one).dtype) != (spec_of(other).shape, spec_of(other).dtype):
            return f"FAULT compiled it gives {spec_of(other)} in the place of {spec_of(one)}"
        if not close(one, other):
            return f"FAULT compiled it gives {other} in the place of {one}"
    return "ran, compiled too"


def close(one: Any, other: Any, precision: float = 1e-2) -> bool:
    """Whether two results are the same, apart from rounding: what lies beyond memory is not almost right."""
    one, other = np.asarray(one), np.asarray(other)
    if one.shape != other.shape:
        return False
    if one.dtype.kind not in "fc":
        return bool(np.array_equal(one, other))
    there = np.isfinite(one)  # what rewriting makes of infinities is said elsewhere
    largest = max(float(np.abs(one[there].astype(complex)).max(initial=0.0)), 1.0)
    return bool(np.allclose(one[there], other[there], rtol=precision, atol=precision * largest))


def like(out: Any, s: Spec) -> bool:
    """Whether a value is what its spec says."""
    own = spec_of(out)
    return (own.shape, own.dtype, own.kind == "python") == (s.shape, s.dtype, s.kind == "python")


def value_of(s: Spec, seed: int) -> Any:
    """A small value of a spec."""
    drawn = np.random.default_rng(seed).normal(size=s.shape)
    if s.dtype.kind in "iu":
        drawn = np.abs(np.rint(drawn * 2))
    value = (drawn > 0 if s.dtype.kind == "b" else drawn).astype(s.dtype)
    return value.item() if s.kind == "python" else value[()] if s.kind == "scalar" else np.asarray(value, s.dtype)
