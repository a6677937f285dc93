"""A tape that is called as one operation, whose derivatives and batches are such tapes again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff.backends.choice import AUTO, Backend, Choice
from autodiff.backends.gpu import is_gpu_array
from autodiff.backends.reference import run_tape
from autodiff.backends.reports.watching import open_profiles
from autodiff.ops.relative import absolute
from autodiff.trace.caching import cached_property
from autodiff.trace.link import Link
from autodiff.trace.live import ordered_after
from autodiff.trace.primitive import level_of, newest_traced
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.tape import Equation, Tape, in_turn
from autodiff.transforms.call import run_for_batch
from autodiff.transforms.custom.call import CustomCall, CustomLink
from autodiff.transforms.custom.rule import CustomRule, Leaves
from autodiff.transforms.jit.constants import Constants, with_known_values
from autodiff.transforms.jit.cutting import staged
from autodiff.transforms.jit.forward_mode import linearized, pushing
from autodiff.transforms.jit.reverse_mode import Backward, ReverseMode
from autodiff.transforms.partial import Forms, form_of, joined, parts_of

if TYPE_CHECKING:
    from autodiff.backends.announcing import Announcing, Listener
    from autodiff.backends.cupy.program import DeviceProgram
    from autodiff.backends.passes.schedule import Schedule
    from autodiff.backends.reports.timed import Timed
    from autodiff.backends.straight import Straight


INT64 = np.iinfo(np.int64)


class Program(CustomRule):
    """A tape, how it runs, and the programs that are derived from it, made when they are first wanted.

    Programs are equal when their tapes are.

    Args:
        tape: its constants are handed to the program with each call.
        name: the function's name and line, for error texts.
        choice: who runs it, on the host and on GPUs.
        donated: inputs whose arrays nobody needs after a call, so that outputs may take their memory: each is a plain
            array that owns it, may be written to, and that no other input shows.
        fast_math: whether division, exp and tanh of float32 may be approximate on GPUs.
    """

    def __init__(
        self, tape: Tape, name: str, choice: Choice = AUTO, donated: tuple[int, ...] = (), fast_math: bool = False
    ) -> None:
        self.tape = tape
        self._name = name
        self.choice = choice
        self.donated = donated
        self.fast_math = fast_math
        self.given_up: tuple[int, ...] = ()  # inputs that are looked at in each call, on GPUs
        self.derived: dict[Any, Any] = {}
        self.alone: Callable[..., tuple[Any, ...]] | None = None  # the one kernel that does everything
        numbers = [k for k, own in enumerate(tape.inputs) if own.kind == "python"]
        self.integers = tuple([k for k in numbers if tape.inputs[k].dtype == np.int64])

    @property
    def name(self) -> str:
        return self._name

    @property
    def count(self) -> int:
        return len(self.tape.inputs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and (self is other or self.tape == other.tape)

    def __hash__(self) -> int:
        return hash(self.tape)

    def __repr__(self) -> str:
        return f"<program of {self.name}>"

    @property
    def host(self) -> Backend:
        """Who runs it on the host."""
        assert self.choice.host is not None
        return self.choice.host

    @property
    def gpu(self) -> Backend:
        """Who runs it on GPUs.

        Raises:
            TypeError: if nobody does.
        """
        if self.choice.gpu is None:
            raise TypeError(
                f"jit: {self.name} was made with backend={self.choice.name!r}, which compiles for CPUs, and got an "
                f"array on a GPU{at_user_line()}. Leave backend away, which takes the compiler of where the arrays "
                "are, or pass cupy.asnumpy(x)."
            )
        return self.choice.gpu

    @cached_property
    def schedule(self) -> Schedule:
        """How the tape is run."""
        from autodiff.backends.passes.memory.sharing import contiguous_results  # noqa: PLC0415 - the compiler is loaded when something is compiled

        found = self.host.schedule(self.tape)
        return replace(found, tape=contiguous_results(self.tape, found.tape))

    @cached_property
    def on_gpu(self) -> DeviceProgram:
        """The tape as it runs on GPUs."""
        from autodiff.backends.cupy.program import DeviceProgram  # noqa: PLC0415 - programs on CPUs never need it

        return DeviceProgram(self.tape, self.name, self.gpu, self.given_up, self.fast_math)

    @cached_property
    def straight(self) -> Straight:
        """The tape as a Python function."""
        from autodiff.backends.straight import Straight  # noqa: PLC0415

        return Straight(self.schedule.tape, self.host, self.donated)

    @cached_property
    def timed(self) -> Timed:
        """The same, which notes in open profiles how long it takes."""
        from autodiff.backends.reports.timed import Timed  # noqa: PLC0415 - most programs are never timed

        return Timed(self.tape, self.host, self.name, self.donated)

    @cached_property
    def announcing(self) -> Announcing:
        """The same, which says when outputs are there."""
        from autodiff.backends.announcing import Announcing  # noqa: PLC0415 - most programs are never asked

        return Announcing(self.schedule.tape, self.host)

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        """The outputs for plain values, or as somebody's recording takes note of them."""
        if newest_traced(values) is None:
            return self.evaluate_anywhere(values)
        outs: tuple[Any, ...] = jit_call(*values, rule=self, tape=self.tape)
        return ordered_after(outs) if self.ordered else outs

    @cached_property
    def ordered(self) -> bool:
        """Whether something in it is done in its turn."""
        return in_turn(self.tape)

    def evaluate(self, values: Leaves) -> tuple[Any, ...]:
        """The outputs for plain values. Infinities and NaN come without NumPy's warnings, as in backward passes."""
        if self.integers and self.too_large(values):
            return self.evaluate_plainly(values)
        if self.alone is not None and not open_profiles:
            try:
                return self.alone(*values)
            except Exception as error:
                raise self.straight.explained(error) from None
        straight = self.straight
        self.alone = lone_kernel(self.schedule.tape)
        return explained(self.timed.run if open_profiles else straight.run, values, straight)

    def too_large(self, values: Leaves) -> bool:
        """Whether there are Python integers of more than 64 bits, of which kernels know nothing."""
        return any(not INT64.min <= values[k] <= INT64.max for k in self.integers)

    def evaluate_plainly(self, values: Leaves) -> tuple[Any, ...]:
        """The outputs by NumPy's functions, one operation after the other.

        Raises:
            OverflowError: if NumPy returns other dtypes for such integers, as uint64 for those from 2**63 on.
        """
        with np.errstate(all="ignore"):
            outs = tuple(run_tape(self.tape, values))
        for out, own in zip(outs, self.tape.output_specs, strict=True):
            if spec_of(out).dtype != own.dtype:
                number = next(values[k] for k in self.integers if not INT64.min <= values[k] <= INT64.max)
                raise OverflowError(
                    f"{self.name} was recorded for Python integers from -2**63 to 2**63 - 1, which give {own}, and got "
                    f"{number}, which gives {spec_of(out)}{at_user_line()}. Pass np.uint64({number}) or a float."
                )
        return outs

    def evaluate_for(self, listener: Listener, values: Leaves) -> tuple[Any, ...]:
        """The outputs for plain values on the CPU; a listener is told of each as soon as it is there.

        It is told nothing where the program is one kernel, or is timed.
        """
        if open_profiles or self.too_large(values) or lone_kernel(self.schedule.tape) is not None:
            return self.evaluate(values)
        return explained(partial(self.announcing.run_for, listener), (values,), self.announcing)

    def evaluate_anywhere(self, values: Leaves) -> tuple[Any, ...]:
        """The outputs for plain values, on a GPU where some of them are on one."""
        if self.choice.host is None or ("cupy" in sys.modules and any(map(is_gpu_array, values))):
            return self.evaluate_on_gpu(values)
        return self.evaluate(values)

    def evaluate_on_gpu(self, values: Leaves) -> tuple[Any, ...]:
        """The outputs for plain values that are on a GPU.

        Raises:
            TypeError: if an array is on the host, or the backend is Numba.
        """
        return self.on_gpu.timed(values) if open_profiles else self.on_gpu.run(values)

    def part(self, key: Any, tape: Tape) -> BoundProgram:
        """A program that was derived, with the constants of its tape."""
        found = self.derived[key] = BoundProgram(tape, f"{key[0]} of {self.name}", self.choice, self.fast_math)
        return found

    # The rule.

    def run(self, values: Leaves, positions: Sequence[int]) -> tuple[tuple[Any, ...], Any]:
        passes = self.passes(tuple(positions))
        outs = passes.forward(*values)
        outputs = len(self.tape.outputs)
        return outs[:outputs], ((*values, *outs[outputs:]), passes)

    def passes(self, positions: tuple[int, ...]) -> Passes:
        """The programs of reverse mode with respect to the inputs at some positions."""
        key = "reverse mode", positions
        found = self.derived.get(key)
        if found is None:
            mode = ReverseMode(self.tape, positions)
            found = self.derived[key] = Passes(mode, self.name, self.choice, self.fast_math)
        return found

    def pull(self, kept: Any, g: Leaves, positions: Sequence[int]) -> tuple[Any, ...]:
        available, passes = kept
        return passes.pull(available, g)  # type: ignore[no-any-return]

    def push(self, values: Leaves, tangents: Leaves) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        forms = tuple(map(form_of, tangents))
        parts = [part for tangent in tangents for part in parts_of(tangent)]
        if level_of(parts) > level_of(values):
            return self.push_later(values, parts, forms)
        key = "forward mode", forms
        found = self.derived.get(key)
        if found is None:
            tape, pushed = pushing(self.tape, forms)
            found = self.derived[key] = self.part(key, tape), pushed
        program, pushed = found
        outs = program(*values, *parts)
        outputs = len(self.tape.outputs)
        return outs[:outputs], joined(outs[outputs:], pushed)

    def push_later(self, values: Leaves, parts: Leaves, forms: Forms) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The outputs, as known as the values, and tangents recorded by those who record the given ones."""
        key = "linearization", forms
        found = self.derived.get(key)
        if found is None:
            cut = linearized(self.tape, forms)
            known, linear = self.part(("values", forms), cut.known), self.part(("tangents", forms), cut.linear)
            found = self.derived[key] = known, linear, cut.taken, cut.forms
        known, linear, taken, pushed = found
        outs, outputs = known(*values), len(self.tape.outputs)
        available = (*values, *outs[outputs:])
        return outs[:outputs], joined(linear(*(available[k] for k in taken), *parts), pushed)

    def for_batch(self, flags: tuple[bool, ...], size: int, values: Leaves) -> tuple[Any, ...]:
        """The outputs for a whole batch."""
        key = "batch", flags, size
        program = self.derived.get(key)
        if program is None:
            tape = staged(lambda *now: run_for_batch(self.tape, now, flags, size), map(spec_of, values))
            program = self.part(key, tape)
        return program(*values)


def explained(run: Callable[..., tuple[Any, ...]], arguments: Sequence[Any], straight: Straight) -> tuple[Any, ...]:
    """What a function gives, without NumPy's warnings; errors say which operation it was."""
    with np.errstate(all="ignore"):
        try:
            return run(*arguments)
        except Exception as error:
            raise straight.explained(error) from None


def lone_equation(tape: Tape) -> Equation | None:
    """The one kernel that a tape is; None if it is not."""
    from autodiff.backends.kernels.programs.call import whole  # noqa: PLC0415

    if len(tape.equations) != 1 or tape.equations[0].primitive is not whole:
        return None
    (equation,) = tape.equations
    if equation.operands != tuple(range(len(tape.inputs))) or tape.outputs != equation.results:
        return None
    return equation


def lone_kernel(tape: Tape) -> Callable[..., tuple[Any, ...]] | None:
    """The function of a tape that is one kernel; None if it is not."""
    equation = lone_equation(tape)
    return None if equation is None else equation.primitive.made(**dict(equation.params))  # type: ignore[attr-defined]


class Passes:
    """The programs of reverse mode.

    Args:
        mode: their tapes.
        name: the function's name and line, for error texts.
        choice: of the programs.
        fast_math: of the programs.
    """

    def __init__(self, mode: ReverseMode, name: str, choice: Choice, fast_math: bool = False) -> None:
        self.mode, self.name, self.choice, self.fast_math = mode, name, choice, fast_math
        self.forward = BoundProgram(mode.forward, f"the forward pass of {name}", choice, fast_math)
        self.backward: dict[Forms, tuple[BoundProgram, Backward]] = {}

    def pull(self, available: Sequence[Any], g: Sequence[Any]) -> tuple[Any, ...]:
        """The cotangents of the inputs from those of the outputs, with the inputs and residuals."""
        cts = [g[k] for k in self.mode.smooth]
        forms = tuple(map(form_of, cts))
        found = self.backward.get(forms)
        if found is None:
            made = self.mode.backward(forms)
            program = BoundProgram(made.tape, f"the backward pass of {self.name}", self.choice, self.fast_math)
            found = self.backward[forms] = program, made
        program, made = found
        parts = [part for ct in cts for part in parts_of(ct)]
        return joined(program(*(available[k] for k in made.taken), *parts), made.forms)


class BoundProgram:
    """A program with the constants of its tape.

    Args:
        tape: with its constants.
        name: for error texts.
        choice: of the program.
        fast_math: of the program.
    """

    __slots__ = ("constants", "program")

    def __init__(self, tape: Tape, name: str, choice: Choice, fast_math: bool = False) -> None:
        tape = with_known_values(tape)
        self.constants = Constants(tape.constants)
        plain = replace(tape, constants=(), arguments=None, results=None)
        self.program = Program(plain, name, choice, fast_math=fast_math)

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        return self.program(*values, *self.constants.beside(values))


class JitLink(CustomLink):
    """A call of a program: masked cotangents reach it as they are."""

    __slots__ = ()
    partial = True


class JitCall(CustomCall):
    """The primitive of ``jit``; its parameters are the program, as ``rule``, and its tape."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("jit")

        def evaluate(*values: Any, rule: Program, **_: Any) -> tuple[Any, ...]:
            return rule.evaluate_anywhere(values)

        self.evaluate = evaluate

    def accepted(self, tangent: Any) -> Any:
        return absolute(tangent)

    def link(self, positions: tuple[int, ...]) -> Link:
        found = self.links.get(positions)
        if found is None:
            found = self.links[positions] = JitLink(self, positions)
        return found

    def run_batch(self, values: Leaves, batched: Sequence[bool], params: Mapping[str, Any]) -> tuple[Any, ...]:
        size = next(spec_of(value).shape[0] for value, own in zip(values, batched, strict=True) if own)
        program: Program = params["rule"]
        return program.for_batch(tuple(map(bool, batched)), size, values)


jit_call = JitCall()
