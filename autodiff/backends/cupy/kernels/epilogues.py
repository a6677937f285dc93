"""What is computed of totals when a kernel is done: a mean from a sum, a norm from a sum of squares.

On their own such operations on single numbers would be a launch that does next to nothing. One thread of the last block
does them instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from autodiff.backends.cupy.kernels.constants import Constants
from autodiff.backends.cupy.kernels.expressions import statements
from autodiff.backends.kernels.folds import reduces
from autodiff.backends.kernels.forms import PASSING
from autodiff.backends.kernels.scalars import cast
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape


class Epilogue:
    """The operations of a kernel that wait for its totals.

    Args:
        tape: of the whole kernel.
        count: so many of its operations, the last ones, wait.

    Attributes:
        main: the tape of the loops alone. Its outputs are those that they make, and the totals that others need.
        equations: the operations after them.
        brought: the inputs that these read.
    """

    def __init__(self, tape: Tape, count: int) -> None:
        self.tape = tape
        first = len(tape.equations) - count
        main, self.equations = tape.equations[:first], tape.equations[first:]
        made = {slot for equation in main for slot in equation.results}
        read = dict.fromkeys(o for e in self.equations for o in e.operands if isinstance(o, int))
        outputs = dict.fromkeys((*(out for out in tape.outputs if out in made), *(o for o in read if o in made)))
        self.main = replace(tape, equations=main, outputs=tuple(outputs)) if count else tape
        self.brought = [slot for slot in read if slot < len(tape.inputs)]

    @property
    def made(self) -> list[int]:
        """The slots of the operations after the loops."""
        return [slot for equation in self.equations for slot in equation.results]

    def lines(self, constants: Constants) -> Iterator[str]:
        """The operations as C++.

        Args:
            constants: the numbers of the kernel that are parameters.
        """
        specs = self.tape.specs
        for slot in self.brought:
            if specs[slot].kind == "array":
                yield f"const auto in{slot} = at{slot}[0];"
        named = dict(enumerate(specs))
        yield from statements(f"v{e.results[0]} = {self.text(e, named, constants)}" for e in self.equations)

    def text(self, equation: Equation, specs: dict[int, Spec], constants: Constants) -> str:
        """The expression of an operation."""
        if equation.primitive.name in PASSING:
            (given,) = equation.operands
            dtype = equation.specs[0].dtype
            return self.name(given) if isinstance(given, int) else constants.number(equation, 0, dtype)
        if reduces(equation):  # of one number
            (given,) = equation.operands
            assert isinstance(given, int)
            return cast(self.name(given), specs[given].dtype, equation.specs[0].dtype)
        return constants.expression(equation, [self.name(o) for o in equation.operands], specs)

    def name(self, operand: Operand) -> str:
        if not isinstance(operand, int):
            return ""
        return f"in{operand}" if operand < len(self.tape.inputs) else f"v{operand}"
