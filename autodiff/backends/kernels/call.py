"""A kernel as a function of Python: who makes its results, lends it memory to work in, and raises what it has noted.

A kernel is described by its launch and by what each argument of the launch is: an operand, a result, memory to work in.
From that follows the function around it, its form on memory that stays, and the part that it has in a program without
Python (:mod:`autodiff.backends.export`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff.backends.idle import SMALL, Idle
from autodiff.backends.kernels.finishing import Number, Step
from autodiff.backends.kernels.launching import ArrayArgument, KernelLaunch, bits
from autodiff.backends.kernels.roles import HOOK, STATUS, Role, name_of
from autodiff.trace.caching import cached_property
from autodiff.trace.errors import AutodiffError, described
from autodiff.trace.memory.aligned import room
from autodiff.trace.memory.recycling import maker
from autodiff.trace.spec import Spec

if TYPE_CHECKING:
    from autodiff.backends.kernels.programs.calling_out import Hook

Array = np.ndarray[Any, Any]
Scope = dict[str, Any]


@dataclass(frozen=True)
class OnMemory:
    """A kernel on memory that stays.

    Attributes:
        run: runs it, and looks at nothing.
        results: the arrays that it writes to; without axes where results are numbers.
        memory: what else it reads and writes, which must live as long as it is run.
    """

    run: Callable[[], object]
    results: tuple[Array, ...]
    memory: tuple[Any, ...]


@dataclass(frozen=True)
class KernelCall:
    """A kernel, and what is done around it.

    Args:
        launch: the kernel, and how it is run.
        roles: what the arguments of the launch are, in their order.
        inputs: what the operands are.
        outputs: what the results are.
        before: what is done before it runs.
        after: how results are made of what it leaves in memory to work in.
        notes: the errors that it may ask for, by numbers from 2 on.
        hook: what it calls for operations that have no form in kernels.
        handed: the results and the memory that come with a call, in their order; None where the function makes them.
        lying: the results that lie in the memory of operands, with these.
    """

    launch: KernelLaunch
    roles: Sequence[Role]
    inputs: Sequence[Spec]
    outputs: Sequence[Spec]
    before: Sequence[Step] = ()
    after: Sequence[Step] = ()
    notes: Sequence[str] = ()
    hook: Hook | None = None
    handed: Sequence[Role] | None = None
    lying: Mapping[int, int] = field(default_factory=dict)

    @cached_property
    def call(self) -> Callable[..., tuple[Any, ...]]:
        """The function of the operands, and of what comes with a call.

        Raises:
            UnprovedKernelError: if it cannot be proved that the kernel stays within its memory.
            KernelError: if it cannot be compiled.
        """
        scope: Scope = {"launch": self.launch.bound()}
        exec("\n".join(self.lines(scope)), scope)
        found: Callable[..., tuple[Any, ...]] = scope["call"]
        return found

    @property
    def work(self) -> dict[Role, ArrayArgument]:
        """The memory that calls hand to each other: where the kernel works, and where it notes errors."""
        return {
            role: argument
            for role, argument in zip(self.roles, self.launch.arguments, strict=True)
            if role == STATUS or role[0] == "work"
            if isinstance(argument, ArrayArgument)
        }

    # The function of Python.

    def lines(self, scope: Scope) -> Iterator[str]:
        """The text of the function; ``scope`` is filled with what it refers to."""
        inputs = [f"in{k}" for k in range(len(self.inputs))]
        outs = [f"in{self.lying[k]}" if k in self.lying else f"out{k}" for k in range(len(self.outputs))]
        body = [*self.running(scope), f"return ({''.join(f'{out}, ' for out in outs)})"]
        if self.handed is not None:
            yield f"def call({', '.join([*inputs, *map(name_of, self.handed)])}):"
            yield from indented(body)
            return
        yield f"def call({', '.join(inputs)}):"
        for k, own in enumerate(self.outputs):
            if own.kind == "array":
                scope[f"new{k}"] = maker(own)
                yield f"    out{k} = new{k}()"
        if self.work:
            scope.update(idle=self.idle(), made=self.made)
            yield from ("    try:", "        own = idle.pop()", "    except IndexError:", "        own = made()")
            yield f"    {', '.join(map(name_of, self.work))}, = own"
            body = ["try:", *indented(body), "finally:", "    idle.append(own)"]
        yield from indented(body)

    def running(self, scope: Scope) -> Iterator[str]:
        """Lines that run the kernel on what has names."""
        inputs = [f"in{k}" for k in range(len(self.inputs))]
        scope.update(fitting=fitting, refuse=refuse, specs=self.inputs)
        if self.hook is not None:
            scope["hook"] = self.hook.address
        launch = f"if launch({', '.join(map(name_of, self.roles))}) is NotImplemented:"
        for step in self.before:
            yield from step.lines(scope, self.outputs)
        yield launch
        yield from (f"    {name} = fitting({name}, specs[{k}])" for k, name in enumerate(inputs))
        yield from (f"    {launch}", f"        refuse({', '.join(inputs)})")
        yield from self.raising(scope)
        for step in self.after:
            yield from step.lines(scope, self.outputs)

    def raising(self, scope: Scope) -> Iterator[str]:
        """Lines that raise what was noted while the kernel ran."""
        if self.hook is not None:
            memory = next(role for role, argument in self.work.items() if argument.scratch)
            scope.update(errors=self.hook.errors, raise_error=self.hook.raise_error, address_of=address_of)
            yield from ("if errors:", f"    raise_error(address_of({name_of(memory)}))")
        if STATUS in self.work:
            scope["raise_noted"] = partial(raise_noted, notes=self.notes)
            yield from ("if status[0]:", "    raise_noted(status)")

    def made(self) -> tuple[Array, ...]:
        """Memory for one call."""
        return tuple([self.new(role) for role in self.work])

    def new(self, role: Role) -> Array:
        """New memory of some role."""
        own = self.work[role]
        assert own.size is not None
        if own.scratch:
            return room(own.size)
        return np.zeros(own.size, own.dtype) if role == STATUS else np.empty(own.size, own.dtype)

    def idle(self) -> list[tuple[Any, ...]]:
        """Where memory waits that no call uses."""
        small = sum((own.size or 0) * own.dtype.itemsize for own in self.work.values()) <= SMALL
        return [] if small else Idle()

    # The same on memory that stays.

    def on_memory(self, values: Sequence[Any]) -> OnMemory:
        """The kernel on memory that stays.

        Args:
            values: the operands; of arrays, which are in C order, the kernel reads what they hold when it runs.

        Raises:
            UnprovedKernelError: if it cannot be proved that the kernel stays within its memory.
            KernelError: if it cannot be compiled.
        """
        names: Scope = {f"in{k}": value for k, value in enumerate(values)}
        own = {name_of(role): self.new(role) for role in self.work}
        outs = [np.zeros(s.shape, s.dtype) for s in self.outputs]
        names.update(own)
        after: list[Step] = []
        for step in self.after:
            if isinstance(step, Number) and (shown := step.shown(names, self.outputs)) is not None:
                outs[step.result] = shown  # nothing need be moved
            else:
                after.append(step)
        names.update({f"out{k}": out for k, out in enumerate(outs)})
        words = list(self.launch.words)
        for role, argument in zip(self.roles, self.launch.arguments, strict=True):
            if role == HOOK:
                assert self.hook is not None
                words[argument.word] = self.hook.address
            elif isinstance(argument, ArrayArgument):
                words[argument.word] = address_of(names[name_of(role)])
            else:
                words[argument.word] = bits(fitting(values[role[1]], self.inputs[role[1]]))
        launch = self.launch.on_words(words)
        scope: Scope = {**names, "launch": launch}
        lines = [line for step in self.before for line in step.lines(scope, self.outputs, stays=True)]
        lines += ["launch()", *self.raising(scope)]
        lines += [line for step in after for line in step.lines(scope, self.outputs, stays=True)]
        if lines == ["launch()"]:
            return OnMemory(launch, tuple(outs), (*values, *own.values()))
        exec("\n".join(["def run():", *indented(lines)]), scope)
        return OnMemory(scope["run"], tuple(outs), (*values, *own.values()))


def indented(lines: Sequence[str]) -> list[str]:
    """Lines one step further in."""
    return [f"    {line}" for line in lines]


def address_of(array: Array) -> int:
    """Where an array begins."""
    found: int = array.__array_interface__["data"][0]
    return found


class IndexRangeError(AutodiffError, IndexError):
    """An index that a compiled program met is out of range."""


def raise_noted(status: Array, notes: Sequence[str]) -> None:
    """Raise the error that a kernel asks for.

    Raises:
        IndexRangeError: if an index was out of range.
        LinAlgError: if a matrix had no inverse or factor.
    """
    number, status[0] = int(status[0]), 0
    if number == 1:
        raise IndexRangeError("an index is out of range for the axis that it picks from")
    error = np.linalg.LinAlgError(notes[number - 2])
    error.names_its_place = True  # type: ignore[attr-defined] # it stands in one of many operations
    raise error


def refuse(*values: Any) -> None:
    """A call whose arguments are not what the program was recorded for, although they were brought to that."""
    raise TypeError(f"a kernel cannot take {', '.join(map(described, values))}")


def fitting(value: Any, spec: Spec) -> Any:
    """A value as kernels take it."""
    if spec.kind == "array":
        if type(value) is np.ndarray and value.dtype is spec.dtype and value.shape == spec.shape:
            flags = value.flags  # the usual way here is an array that lies in another order
            return value if flags.c_contiguous and flags.aligned else value.copy()
        found = np.require(value, spec.dtype, ("C", "A")).view(np.ndarray)
        if found.size != spec.size:
            raise ValueError(
                f"an array has the shape {found.shape} where the program was recorded for {spec.shape}: shapes must "
                "not depend on values, as that of the residuals of lstsq does on the rank"
            )
        return found.reshape(spec.shape)
    if spec.dtype == np.float32:
        return np.float32(value)
    return float(value) if spec.dtype.kind == "f" else int(value)
