"""Which operations become one kernel: a tape with kernels in the places of what they fuse.

Operations are taken in their order. Each joins the group of one of its operands if it fits on the group's grid
(:mod:`autodiff.backends.kernels.forms`) and nothing outside of the group would then wait for the group and be waited
for at once; groups that meet in it become one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from autodiff.backends.kernels.forms import PASSING, Grid, Shape
from autodiff.backends.kernels.products.matrices import large_product, matrix_kernel
from autodiff.backends.kernels.rows.call import row_kernel
from autodiff.backends.kernels.scalars import costly
from autodiff.backends.passes.fusion.groups import SHARED, Fusion, Unit
from autodiff.backends.passes.fusion.rematerialization import Rematerialization
from autodiff.backends.passes.rewrite.dead import drop_dead
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape

PRODUCTS = ("matmul", "linear_map")

FEW, MANY = 2048, 65536
"""So many elements make a kernel of one costly operation worth its call, and of one that moves memory."""


def worthwhile(unit: Unit, specs: Mapping[int, Spec]) -> bool:
    """Whether a group is worth a kernel."""
    if unit.grid is None:
        return False
    working = [e for e in unit.equations if e.primitive.name not in PASSING]
    elements = unit.grid.rows * unit.grid.columns
    if len(working) > 1:
        return True
    if not working or elements < FEW:
        return False
    (equation,) = working
    dear = equation.primitive.family == "elementwise" and costly(
        equation.primitive,
        [specs[o] if isinstance(o, int) else o.value for o in equation.operands],
        equation.specs[0],
    )
    return dear or elements >= MANY


def fuse(tape: Tape, machine: Machine | None = None) -> Tape:
    """The tape with a kernel in the place of each group of operations.

    Args:
        tape: without constants.
        machine: what kernels it has; those of the CPU if None.
    """
    machine = machine or CPU
    fusion = Fusion(tape, machine.numbers, machine.shared, machine.together, machine.suits)
    number: dict[int, int] = {slot: slot for slot in range(len(tape.inputs))}
    equations: list[Equation] = []
    final = {out for out in tape.outputs if isinstance(out, int)}
    readers: dict[int, set[Unit]] = {}
    for unit in dict.fromkeys(u.root() for u in fusion.units):
        for equation in unit.equations:
            for operand in equation.operands:
                if isinstance(operand, int):
                    readers.setdefault(operand, set()).add(unit)

    def add(equation: Equation, operands: Sequence[Operand], slots: Sequence[int]) -> None:
        free = len(number)
        results = tuple(range(free, free + len(slots)))
        again = tuple(number[o] if isinstance(o, int) else o for o in operands)
        equations.append(Equation(equation.primitive, again, equation.params, results, equation.specs, equation.source))
        number.update(zip(slots, results, strict=True))

    kernels = dict.fromkeys(unit for unit in fusion.ordered() if machine.worthwhile(unit, fusion.specs))
    again = Rematerialization(fusion, kernels, readers, final)
    for unit in again.ordered():
        if unit in kernels:
            assert unit.grid is not None
            made = [slot for e in unit.equations for slot in e.results]
            wanted = [slot for slot in made if slot in again.stored]
            inner, brought = sub_tape(again.equations(unit), wanted, fusion.specs)
            add(machine.kernel(inner, unit.grid.shape), brought, wanted)
        else:
            for equation in unit.equations:
                special = machine.special(equation, fusion)
                if special is not None:
                    add(*special, equation.results)
                else:
                    add(equation, equation.operands, equation.results)
    outputs = tuple(number[out] if isinstance(out, int) else out for out in tape.outputs)
    return drop_dead(Tape(tape.inputs, tuple(equations), outputs, tape.constants, tape.arguments, tape.results))


def product_kernel(equation: Equation, fusion: Fusion) -> tuple[Equation, tuple[int, ...]] | None:
    """The kernel of a large product, with the views that it reads, and its operands; None if it is something else."""
    if equation.primitive.name not in PRODUCTS or not all(isinstance(o, int) for o in equation.operands):
        return None
    chain = [*fusion.views(equation.operands), equation]
    inner, brought = sub_tape(chain, equation.results, fusion.specs)
    return (matrix_kernel(inner), brought) if large_product(inner) is not None else None


@dataclass(frozen=True)
class Machine:
    """What kernels a machine has.

    Attributes:
        kernel: the operation that stands for a group on a grid, without operands and results.
        worthwhile: whether a group is worth one.
        special: the operation that stands for one that is in no group, and its operands; None if it stays as it is.
        numbers: whether single numbers are arrays of one element for its kernels.
        shared: of so many elements an array that two groups read makes them one.
        together: groups of so many elements at most are made one if they have the same shape.
        suits: whether operations on a grid may become one kernel.
    """

    kernel: Callable[[Tape, Shape], Equation]
    worthwhile: Callable[[Unit, Mapping[int, Spec]], bool]
    special: Callable[[Equation, Fusion], tuple[Equation, tuple[int, ...]] | None]
    numbers: bool = False
    shared: int = SHARED
    together: int = 0
    suits: Callable[[Grid, Sequence[Equation]], bool] = lambda grid, equations: True


CPU = Machine(row_kernel, worthwhile, product_kernel)


def sub_tape(
    equations: Sequence[Equation], wanted: Sequence[int], specs: Mapping[int, Spec]
) -> tuple[Tape, tuple[int, ...]]:
    """The tape of some operations, and the slots that are its inputs."""
    made = {slot for e in equations for slot in e.results}
    brought = tuple(dict.fromkeys(o for e in equations for o in e.operands if isinstance(o, int) and o not in made))
    number = {slot: k for k, slot in enumerate((*brought, *(slot for e in equations for slot in e.results)))}

    def moved(e: Equation) -> Equation:
        operands = tuple(number[o] if isinstance(o, int) else o for o in e.operands)
        return Equation(e.primitive, operands, e.params, tuple(number[r] for r in e.results), e.specs, e.source)

    inputs = tuple(specs[slot] for slot in brought)
    return Tape(inputs, tuple(map(moved, equations)), tuple(number[slot] for slot in wanted)), brought
