"""Which axes of a program's values are one and the same, by where they come from and never by their lengths.

A kernel that takes a block of rows at a time needs to know which axis of each value is its rows. Every operation says
which axes of its operands go along with which of its results (*kin*, beside what makes its lines); axes that go along
are one class. An axis along which an operation takes elements from other places is *mixed*. The rows are a class of
which no axis is mixed, and to which every axis of that length belongs: so the lines that are written may then know them
by their length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from autodiff.backends.kernels.programs.storage import Impossible
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tape import Equation, Operand, Tape

Names = tuple[int, ...]
"""The axes of a value, each by a number of its own."""


class Axes:
    """The axes of all values of a program, bodies of loops and branches included.

    Args:
        tape: the program.
        kin: for each primitive's name, what notes the axes that go along.

    Attributes:
        values: whose axes these are.
        lengths: of each axis.
        mixed: axes along which an operation mixes elements, with its name.
        leaving: values of the program that nothing in it reads.
    """

    def __init__(self, tape: Tape, kin: Callable[[Equation], Kin | None]) -> None:
        self.kin = kin
        self.values: list[Spec] = []
        self.lengths: list[int] = []
        self.parents: list[int] = []
        self.mixed: dict[int, str] = {}
        read = {o for equation in tape.equations for o in equation.operands if isinstance(o, int)}
        self.whole = tape
        self.leaving = {out for out in tape.outputs if isinstance(out, int)} - read
        self.follow(tape, [self.new(s) for s in tape.inputs])

    def new(self, spec: Spec) -> Names:
        """Names for the axes of a value."""
        first = len(self.lengths)
        self.values.append(spec)
        self.lengths.extend(spec.shape)
        self.parents.extend(range(first, len(self.lengths)))
        return tuple(range(first, len(self.lengths)))

    def root(self, axis: int) -> int:
        """The axis that stands for the class of another one."""
        parents = self.parents
        while parents[axis] != axis:
            parents[axis] = axis = parents[parents[axis]]
        return axis

    def join(self, first: int, second: int) -> None:
        """Make two axes of one length one class."""
        self.parents[self.root(first)] = self.root(second)

    def follow(self, tape: Tape, inputs: Sequence[Names]) -> list[Names]:
        """Go through a tape; the axes of its outputs."""
        values = list(inputs)

        def names(operand: Operand) -> Names:
            return values[operand] if isinstance(operand, int) else self.new(spec_of(operand.value))

        for equation in tape.equations:
            results = [self.new(s) for s in equation.specs]
            step = Step(self, tape, equation, [names(o) for o in equation.operands], results)
            note = self.kin(equation)
            if note is not None:
                note(step)
            step.close()
            values.extend(results)
        return [names(out) for out in tape.outputs]

    def refuse_other_rows(self, rows: int) -> None:
        """See to it that axes of a length are one class, one to a value, and that nothing mixes what lies along it.

        Raises:
            Impossible: if that is not so.
        """
        if any(s.shape.count(rows) > 1 for s in self.values):
            raise Impossible("a value with two axes as long as the rows")
        found = [axis for axis, length in enumerate(self.lengths) if length == rows]
        for axis in found:
            if axis in self.mixed:
                raise Impossible(f"{self.mixed[axis]} mixes rows")
        if len({self.root(axis) for axis in found}) > 1:
            raise Impossible(f"axes of {rows} elements that have nothing to do with each other")


class Step:
    """One operation: the axes of its operands and results, and what is known of them.

    Attributes:
        equation: the operation.
        operands: their axes.
        results: theirs.
    """

    def __init__(
        self, axes: Axes, tape: Tape, equation: Equation, operands: Sequence[Names], results: Sequence[Names]
    ) -> None:
        self.axes, self.tape, self.equation = axes, tape, equation
        self.operands, self.results = operands, results
        self.known: set[int] = set()

    def along(self, own: int, other: int) -> None:
        """Two axes go along with each other, element by element."""
        if self.axes.lengths[own] == self.axes.lengths[other]:
            self.axes.join(own, other)
            self.known |= {own, other}
        else:  # an axis of one element that is repeated
            self.known |= {axis for axis in (own, other) if self.axes.lengths[axis] == 1}

    def aligned(self, own: Names, other: Names) -> None:
        """The axes of two values go along, counted from the last one."""
        for first, second in zip(reversed(own), reversed(other), strict=False):
            self.along(first, second)

    def same_everywhere(self, axes: Names) -> None:
        """Along these axes the result does not change: all its elements are one."""
        self.known.update(axes)

    def leaves(self) -> bool:
        """Whether the result leaves the program, and nothing in it reads it."""
        return self.tape is self.axes.whole and self.axes.leaving.issuperset(self.equation.results)

    def close(self) -> None:
        """What nothing is known of is mixed."""
        for axis in chain.from_iterable((*self.operands, *self.results)):
            if axis not in self.known:
                self.axes.mixed.setdefault(axis, self.equation.primitive.name)


Kin = Callable[[Step], None]


def broadcasting(step: Step) -> None:
    """Operands that broadcast to one result."""
    (out,) = step.results
    for own in step.operands:
        step.aligned(own, out)
