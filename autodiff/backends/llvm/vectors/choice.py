"""How a loop is printed: how wide vectors are, how many at once, and whether there is a loop at all."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from autodiff.backends.language.mathematics import FUNCTIONS
from autodiff.backends.language.types import SIZES
from autodiff.backends.llvm.mathematics.library import program
from autodiff.backends.llvm.products.machine import Machine
from autodiff.backends.llvm.vectors.loops import Form
from autodiff.backends.llvm.vectors.operations import DTYPES
from autodiff.backends.llvm.vectors.quotients import PRICE, divisors
from autodiff.backends.llvm.vectors.tree import Node, Plan, Store

LONG = 24  # instructions of a round of which one vector at a time is enough
HEAVY = 64  # and of which one copy is, where masks cost little
SHORT = 10  # instructions of a round that waits for its sums
FEW = 3  # rounds that are no vector
STRAIGHT = 160  # instructions of a loop without a loop
MANY = 16  # vectors of a loop without a loop, at most
CROWDED = 4000  # instructions of all loops without a loop, of which a kernel has enough
STRAIGHT_IN_CROWD = 40  # and then those of one


def better_written_out(plan: Plan) -> bool:
    """Whether a loop has so few rounds, of so little work, that LLVM does better without it."""
    return plan.length is not None and plan.length <= FEW and sum(weights_of(plan).values()) <= LONG


def straight_of(plans: Iterable[Plan], machine: Machine) -> int:
    """How many instructions a loop without a loop may have in a kernel of so many loops.

    LLVM takes longer than proportionally to the instructions of a kernel, and processors read them from memory once
    they are more than their first cache has room for.
    """
    total = 0
    for plan in plans:
        size, _, vectors = work_of(plan, machine)
        if is_straight(size, vectors):
            total += vectors * size
    return STRAIGHT if total <= CROWDED else STRAIGHT_IN_CROWD


def work_of(plan: Plan, machine: Machine) -> tuple[int, int, int]:
    """The instructions of a round, the lanes of a vector, and the vectors of a loop: 0 if its length is not known."""
    weights = weights_of(plan)
    size, lanes = sum(weights.values()), machine.bits // (8 * SIZES[leading_type(weights)])
    if plan.length is None:
        return size, lanes, 0
    while lanes > 1 and lanes // 2 >= plan.length:
        lanes //= 2
    return size, lanes, -(-plan.length // lanes)


def is_straight(size: int, vectors: int, most: int = STRAIGHT) -> bool:
    """Whether a loop of so many vectors, with so many instructions each, is printed without a loop."""
    return vectors == 1 or (0 < vectors <= MANY and vectors * size <= most)


def form_of(plan: Plan, machine: Machine, straight: int = STRAIGHT) -> Form:
    """The form of a loop on a machine.

    Args:
        plan: of the loop.
        machine: for which it is.
        straight: how many instructions it may have without a loop.
    """
    size, lanes, vectors = work_of(plan, machine)
    multiplies = size <= PRICE * len(divisors(plan))
    if is_straight(size, vectors, straight):
        return Form(lanes, 0, True, machine.scales, multiplies)
    if size > LONG:
        return Form(lanes, 0 if machine.bits == 512 and size > HEAVY else 1, False, machine.scales, multiplies)
    return Form(lanes, 4 if plan.accumulators and size <= SHORT else 2, False, machine.scales, multiplies)


def leading_type(weights: dict[str, int]) -> str:
    """The type of element that fills a register: the floating type that does the most, else the widest one."""
    floats = {type_: weights[type_] for type_ in ("f4", "f8") if type_ in weights}
    if floats:
        return max(floats, key=lambda type_: (floats[type_], type_))
    return max(weights, key=lambda type_: SIZES[type_])


def weights_of(plan: Plan) -> dict[str, int]:
    """How many instructions a round takes for each type of element."""
    found: dict[str, int] = {}

    def count(node: Node) -> None:
        if node.operation not in ("number", "name") and node.varying:
            type_ = node.operands[-1].type if node.type == "b1" and node.operands else node.type
            found[type_] = found.get(type_, 0) + weight(node.operation, node.type)
        for operand in node.operands if node.operation != "load" or node.detail.stride is None else ():
            count(operand)

    for statement in plan.statements:
        count(statement.value)
        if isinstance(statement, Store):
            found[statement.type] = found.get(statement.type, 0) + 1
    return found or {"i8": 1}


@cache
def weight(operation: str, type_: str) -> int:
    """How many instructions an operation takes."""
    if operation in FUNCTIONS:
        instructions = program(operation, DTYPES[type_]).instructions
        return sum(each.operation not in ("parameter", "constant") for each in instructions)
    return 3 if operation in ("//", "%") else 1
