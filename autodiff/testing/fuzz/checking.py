"""One program, one draw, one mode: run both sides, and compare."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import autodiff
from autodiff.backends.verifier.launch import UnprovedKernelWarning
from autodiff.testing.fuzz.blame import of_user
from autodiff.testing.fuzz.calling import several
from autodiff.testing.fuzz.comparing import Finding, compare, same_pattern
from autodiff.testing.fuzz.cutting import without_dead_lines
from autodiff.testing.fuzz.drawing import Argument, Draw
from autodiff.testing.fuzz.lawful import broken_law
from autodiff.testing.fuzz.modes import Mode, tape
from autodiff.testing.fuzz.oracle import Oracle
from autodiff.testing.fuzz.printing import (
    eager_function_of,
    everywhere_function_of,
    function_of,
    watched_function_of,
)
from autodiff.testing.fuzz.program import Program, every_line, stable
from autodiff.testing.fuzz.transformations import batch, smooth
from autodiff.testing.lawbook.values import described
from autodiff.trace.errors import AliasingError, ConcretizationError, LeafError
from autodiff.trace.memory.guarding import GUARDED, guarded_copy
from autodiff.trace.trees.tree import flatten
from autodiff.transforms.control.carry import ControlError

REFUSED = (AliasingError,)
"""What compiled programs may raise where NumPy does not: it is documented."""

THREADS = (1, 2)

DERIVATIVES = (
    "autodiff.jvp",
    "autodiff.vjp",
    "autodiff.grad",
    "autodiff.linearize",
    "autodiff.jac",
    "autodiff.hessian",
)
"""What takes a derivative in a line of a program."""


@dataclass(frozen=True)
class Outcome:
    """How a check ended: "agrees", "raises" (both do), "refused", "staged", "undecided" or "mismatch"."""

    word: str
    finding: Finding | None = None


class Compiled:
    """The compiled functions of a program, made once for each mode, so that draws share them as calls of users do.

    Args:
        program: where it closes over arrays, every draw has a function of its own.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.functions: dict[str, Callable[..., Any]] = {}

    def function(self, mode: Mode, constants: tuple[Any, ...]) -> Callable[..., Any]:
        """The compiled function of a mode."""
        if self.program.constants:
            return mode.compiled(function_of(self.program, constants))
        found = self.functions.get(mode.text)
        if found is None:
            found = self.functions[mode.text] = mode.compiled(function_of(self.program, ()))
        return found


def check(program: Program, draw: Draw, mode: Mode, compiled: Compiled) -> Outcome:
    """Run a mode on a draw."""
    with quiet():
        if mode.laws:
            return lawful(program, draw, mode)
        if mode.of_variables and not of_one_precision(program, draw):
            return Outcome("refused")
        eager, eager_error = attempt(mode.eager, program, draw, mode)
        if eager_error is not None and of_user(eager_error, program) and returns(program, draw):
            return mismatch(
                "raises", f"{mode.eager_text} raised {type(eager_error).__name__}: {eager_error}; f returns"
            )
        constants = laid_out(draw.constants)
        args = mode.prepared(laid_out(draw.arguments))
        before = contents(args)
        function = compiled.function(mode, constants)
        try:
            result = function(*args)
        except Exception as error:
            return raised(eager_error, error, program, draw, mode)
        if any(np.asarray(leaf).dtype.hasobject for leaf in flatten(eager)[0]):
            return Outcome("refused")  # Python's whole numbers, too large for any dtype
        if eager_error is not None:
            return returned(eager_error, program, draw, mode)
        if contents(args) != before:
            return mismatch("input", f"argument {changed(before, contents(args))} was changed")
        leaves, structure = flatten(result)
        given = not mode.by_tape and result_is_given(leaves, (*args, *constants))
        if given and not shows_given(program, draw, mode):
            return mismatch("input", "a result shares memory with an argument or another result, and none does eagerly")
        expected, expected_structure = flatten(eager)
        if structure != expected_structure:
            return mismatch("structure", f"arrived {structure}, eager {expected_structure}")
        finding, undecided = compare(expected, leaves, Oracle(program, draw, mode))
        if staged(finding, mode, program, draw, leaves):
            return Outcome("staged")
        if (
            finding is not None
            and finding.kind in ("pattern", "value")
            and agrees_with_stable(program, draw, mode, leaves, expected)
        ):
            finding = None
        finding = finding or repeated(function, args, leaves)
        return Outcome("mismatch", finding) if finding else Outcome("undecided" if undecided else "agrees")


def attempt(
    transformation: Callable[..., Any], program: Program, draw: Draw, mode: Mode, everywhere: bool = False
) -> tuple[Any, Exception | None]:
    """The result without compiler, or the error; ``everywhere``, also of branches that are not taken."""
    try:
        constants = laid_out(draw.constants)
        function = transformation((everywhere_function_of if everywhere else eager_function_of)(program, constants))
        return function(*mode.prepared(laid_out(draw.arguments))), None
    except Exception as error:
        return None, error


def result_is_given(results: Iterable[Any], given: Iterable[Any]) -> bool:
    """Whether a result shares memory with what a function was given, or with another: to write to one changes both."""
    known = [x for x in given if isinstance(x, np.ndarray)]
    for result in results:
        if isinstance(result, np.ndarray):
            if any(np.shares_memory(result, x) for x in known):  # not interleaved ones
                return True
            known.append(result)
    return False


def shows_given(program: Program, draw: Draw, mode: Mode) -> bool:
    """Whether a result does so without compiler, or one of the function that is transformed: what it hands on."""
    constants, given = laid_out(draw.constants), laid_out(draw.arguments)
    function, args = eager_function_of(program, constants), mode.prepared(given)
    results = [*flatten(mode.eager(function)(*args))[0], *flatten(function(*given))[0]]
    if mode.batched:  # numbers of a batch are an array, of which there are views
        results += flatten(batch(function)(*args))[0]
    return result_is_given(results, (*args, *given, *constants))


def lawful(program: Program, draw: Draw, mode: Mode) -> Outcome:
    """How the laws of derivatives end for the program itself."""
    if not returns(program, draw):
        return Outcome("raises")
    if any("float32" in line.text for line in every_line(program.main)):
        return Outcome("refused")  # where a program rounds on its way, two modes agree no further than that
    function = eager_function_of(program, laid_out(draw.constants))
    word, detail, error = broken_law(function, laid_out(draw.arguments), mode.laws)
    if error is None:
        return Outcome("mismatch", Finding(word, detail)) if detail else Outcome(word)
    return mismatch("raises", detail) if of_user(error, program) else Outcome("refused")


def of_one_precision(program: Program, draw: Draw) -> bool:
    """Whether all floating values of a program have one dtype: a Variable keeps its own where arrays are promoted."""
    found = {np.asarray(one.value).dtype for one in (*draw.arguments, *draw.constants) if smooth(one.value)}

    def watch(number: int, value: Any) -> Any:
        if smooth(value):
            found.add(np.asarray(value).dtype)
        return value

    with suppress(Exception):  # what NumPy refuses, it refuses again
        watched_function_of(program, laid_out(draw.constants), watch)(*laid_out(draw.arguments))
    named = any("np.float" in line.text for line in every_line(program.main))
    return len(found) == 1 and not named


def returns(program: Program, draw: Draw) -> bool:
    """Whether the program runs on plain arrays."""
    try:
        eager_function_of(program, laid_out(draw.constants))(*laid_out(draw.arguments))
    except Exception:  # what NumPy refuses
        return False
    return True


def raised(eager: Exception | None, compiled: Exception, program: Program, draw: Draw, mode: Mode) -> Outcome:
    """What an error of the compiled function says.

    Branches that are not taken, and loops without steps, are recorded all the same: they may be refused where they
    would raise, or axes are so short that their slices are empty.
    """
    if eager is not None:
        return Outcome("raises")
    if mode.of_variables and not of_user(compiled, program):
        return Outcome("refused")
    if isinstance(compiled, ControlError) and mode.eager is several:
        return Outcome("refused")
    if isinstance(compiled, REFUSED) or (shortest(draw) < 2 and has_bodies(program)):
        return Outcome("refused")
    if attempt(mode.eager, program, draw, mode, everywhere=True)[1] is not None:
        return Outcome("refused")
    return mismatch("raises", f"eager returned; compiled raised {type(compiled).__name__}: {compiled}")


def returned(eager: Exception, program: Program, draw: Draw, mode: Mode) -> Outcome:
    """What it says that only eager raised: programs leave out what no result needs, and take more of what is traced.

    Whether a matrix is singular is decided by rounding, and by whether the result depends on its inverse.
    """
    if isinstance(eager, ConcretizationError | LeafError):
        return Outcome("refused")
    if isinstance(eager, np.linalg.LinAlgError | ZeroDivisionError | OverflowError):
        return Outcome("raises")  # Python's numbers raise where NumPy's, with which programs compute, are infinite
    if isinstance(eager, IndexError) and mode.derivative:
        return Outcome("raises")  # the value needs what is out of range, of which a derivative may be independent
    needed = replace(program, main=without_dead_lines(program.main))
    if shortest(draw) == 0 or attempt(mode.eager, needed, draw, mode)[1] is None:
        return Outcome("raises")
    return mismatch("raises", f"eager raised {type(eager).__name__}: {eager}; compiled returned")


def staged(finding: Finding | None, mode: Mode, program: Program, draw: Draw, leaves: list[Any]) -> bool:
    """Whether a kind, or NaN in a derivative, is that of the tape without compiler: it comes of staging alone.

    Where it is not known whether a loop takes a step, what its steps use has a derivative of zero in place of none, and
    the cotangents of a carry are masked no longer: that makes NaN of an infinite derivative further back.
    """
    if finding is None:
        return False
    of_derivative = finding.kind == "pattern" and (mode.derivative or differentiates(program))
    if finding.kind != "kind" and not of_derivative:
        return False
    result, error = attempt(lambda f: tape(mode.eager(f)), program, draw, mode)
    return error is None and all(
        described(a) == described(b) and same_pattern(np.asarray(a), np.asarray(b)).all()
        for a, b in zip(leaves, flatten(result)[0], strict=True)
    )


def differentiates(program: Program) -> bool:
    """Whether a line of a program takes a derivative."""
    return any(name in line.text for line in every_line(program.main) for name in DERIVATIVES)


def agrees_with_stable(program: Program, draw: Draw, mode: Mode, leaves: list[Any], eager: list[Any]) -> bool:
    """Whether results are those of the program without overflows that a compiler may avoid: log(1 + exp(x)).

    It may avoid them in some of the results alone.
    """
    other = stable(program)
    if other == program:
        return False
    result, error = attempt(mode.eager, other, draw, mode)
    if error is not None:
        return False
    own, its = Oracle(program, draw, mode), Oracle(other, draw, mode)
    left = [place for place in range(len(leaves)) if compare(eager, leaves, own, [place])[0] is not None]
    return compare(flatten(result)[0], leaves, its, left)[0] is None


def has_bodies(program: Program) -> bool:
    """Whether there are loops, branches or functions inside."""
    return any(line.bodies for line in program.main.lines)


def shortest(draw: Draw) -> int:
    """The length of the shortest axis."""
    shapes = [np.shape(argument.value) for argument in (*draw.arguments, *draw.constants)]
    return min((length for shape in shapes for length in shape), default=1)


def repeated(function: Callable[..., Any], args: tuple[Any, ...], leaves: list[Any]) -> Finding | None:
    """Whether a result stays as it is when the function is called again, and comes again with any number of threads."""
    first = contents(map(with_one_nan, leaves))
    with suppress(np.linalg.LinAlgError):  # other matrices may be singular
        function(*(np.flip(arg) if isinstance(arg, np.ndarray) else arg for arg in args))
    now = contents(map(with_one_nan, leaves))
    if now != first:
        return Finding("repeat", f"result {changed(first, now)} was changed by the next call")
    set_threads = getattr(autodiff, "set_num_threads", None)
    for threads in THREADS if set_threads else (None,):
        if set_threads:
            set_threads(threads)
        again = contents(map(with_one_nan, flatten(function(*args))[0]))
        if again != first:
            by = f" with {threads} threads" if threads else ""
            return Finding("repeat", f"result {changed(first, again)} has other bits in another call{by}")
    return None


def laid_out(arguments: tuple[Argument, ...]) -> tuple[Any, ...]:
    """Fresh arrays; where memory is guarded, between pages that nobody may touch, every other one at the first."""
    found = [argument.laid_out() for argument in arguments]
    if GUARDED:
        found = [guarded_copy(x, k % 2 == 0) if isinstance(x, np.ndarray) else x for k, x in enumerate(found)]
    return tuple(found)


def with_one_nan(value: Any) -> Any:
    """A value whose NaN have one sign and payload: NumPy's depend on where arrays begin in memory."""
    array = np.array(value, order="C")
    if array.dtype.kind in "fc":
        parts = array.reshape(-1).view(array.real.dtype)
        parts[np.isnan(parts)] = np.nan
    return array


def contents(values: Any) -> list[bytes]:
    """The bits of every value; of Python's large integers what they print as."""
    arrays = list(map(np.asarray, values))
    return [repr(array).encode() if array.dtype.hasobject else array.tobytes() for array in arrays]


def changed(before: list[bytes], after: list[bytes]) -> int:
    """The first that differs."""
    return next(k for k, (a, b) in enumerate(zip(before, after, strict=True)) if a != b)


def mismatch(kind: str, detail: str) -> Outcome:
    """What is wrong."""
    return Outcome("mismatch", Finding(kind, detail))


@contextmanager
def quiet() -> Iterator[None]:
    """Without warnings: programs meet empty means and infinite logarithms on purpose. An unproved kernel fails."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", UnprovedKernelWarning)
        yield
