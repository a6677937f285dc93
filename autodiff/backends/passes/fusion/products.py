"""Stacks of products with what their operands are made of, and with sums of what is computed of their results.

An operand that is cheap arithmetic on less is computed where it is multiplied, block by block: it need not go through
memory. Sums of the rows of a result are made while a block of it is in cache; so are, of a product with many terms,
the sums over these of its operands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autodiff.backends.kernels.forms import Unfit, sub_specs
from autodiff.backends.kernels.places import MOVING, Index, operand_places
from autodiff.backends.kernels.products.stack_plan import TERMS, longer, stack_plan
from autodiff.backends.kernels.products.stacks import stack_text, stacked
from autodiff.backends.kernels.scalars import DTYPES, costly, unsupported
from autodiff.backends.passes.fusion.fuse import sub_tape
from autodiff.backends.passes.fusion.regrouping import Group, with_groups
from autodiff.trace.caching import cached_property
from autodiff.trace.tape import Equation, Tape

AGAIN = 16
"""So many operations may be done again."""

ALIKE, LESS = 1.25, 0.5
"""What an operand is made of may have so many times its bytes: where nobody else needs the operand, or else."""

SMALL = 4
"""A value of so many times fewer elements than an operand costs little to read."""


def fuse_products(tape: Tape) -> Tape:
    """The tape with kernels in the places of stacks of products."""
    while True:
        products = Products(tape)
        groups = []
        for equation in tape.equations:
            if products.stacked(equation):
                groups.append(products.group(equation))
                if len(groups[-1].results) > 1:
                    break  # others may wait for one of its results now, and it for them
        else:
            return with_groups(tape, groups) if groups else tape
        tape = with_groups(tape, groups)


class Products:
    """The stacks of products of a tape.

    Args:
        tape: without them.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.specs = dict(enumerate(tape.specs))
        self.made = {slot: e for e in tape.equations for slot in e.results}
        self.order = {slot: number for number, e in enumerate(tape.equations) for slot in e.results}
        self.final = {out for out in tape.outputs if isinstance(out, int)}
        self.readers: dict[int, list[Equation]] = {}
        for equation in tape.equations:
            for operand in dict.fromkeys(equation.operands):
                if isinstance(operand, int):
                    self.readers.setdefault(operand, []).append(equation)

    def stacked(self, equation: Equation) -> bool:
        """Whether an operation is a stack of products."""
        if equation.primitive.name != "matmul" or not all(isinstance(o, int) for o in equation.operands):
            return False
        first, second = (self.specs[o] for o in equation.operands if isinstance(o, int))
        return min(first.ndim, second.ndim) > 1 and stacked(first, second, equation.specs[0])

    @cached_property
    def above(self) -> list[int]:
        """For each slot the set of all slots that it is computed from, and itself, as the bits of a number."""
        found = [1 << slot for slot in range(len(self.specs))]
        for equation in self.tape.equations:
            given = 0
            for operand in equation.operands:
                if isinstance(operand, int):
                    given |= found[operand]
            for slot in equation.results:
                found[slot] |= given
        return found

    def needs(self, slot: int, other: int) -> bool:
        """Whether a value is computed from another one."""
        return bool(self.above[slot] >> other & 1)

    # What operands are made of.

    def group(self, product: Equation) -> Group:
        """A product with what is computed along with it."""
        number = self.order[product.results[0]]
        inside: dict[int, Equation] = {product.results[0]: product}
        made: dict[int, Equation] = {}
        for operand in product.operands:
            assert isinstance(operand, int)
            views, base = self.views(operand)
            inside.update(views)
            own = self.computed(base)
            if self.fits({**inside, **made, **own}, product.results):
                made.update(own)
        inside.update(made)
        results = product.results
        terms = longer(product.specs[0].shape[-2], self.specs[product.operands[0]].shape[-1]) == TERMS  # type: ignore[index]
        for more in self.sums_of_operands(made) if terms else self.sums_of_result(product):
            more = {slot: e for slot, e in more.items() if slot not in inside}
            total = max(more)
            leaves = Group(tuple({**inside, **more}.values()), (), number).operands
            waits = any(self.needs(leaf, slot) for leaf in leaves for slot in (*results, total))
            if not waits and self.fits({**inside, **more}, (*results, total)):
                inside.update(more)
                results = (*results, total)
        return Group(self.sorted(inside), results, number)

    def sorted(self, equations: dict[int, Equation]) -> tuple[Equation, ...]:
        return tuple(sorted(equations.values(), key=lambda e: self.order[e.results[0]]))

    def fits(self, equations: dict[int, Equation], results: Sequence[int]) -> bool:
        """Whether a kernel can do these operations."""
        tape, brought = sub_tape(self.sorted(equations), results, self.specs)
        if any(self.specs[slot].kind != "array" or self.specs[slot].dtype not in DTYPES for slot in brought):
            return False
        try:
            stack_text(tape)
        except Unfit:
            return False
        plan = stack_plan(tape)
        return plan.units == 1 or plan.second.source is not None  # else each block would make all of it again

    def views(self, slot: int) -> tuple[dict[int, Equation], int]:
        """The operations by which a value is a view, and of what."""
        found: dict[int, Equation] = {}
        while slot in self.made and self.moves(self.made[slot]):
            found[slot] = self.made[slot]
            slot = found[slot].operands[0]  # type: ignore[assignment]
        return found, slot

    def moves(self, equation: Equation) -> bool:
        """Whether an operation only says where elements are read."""
        if equation.primitive.name not in MOVING:
            return False
        place = tuple(Index(str(axis)) for axis in range(equation.specs[0].ndim))
        try:
            return bool(list(operand_places(equation, place, self.specs)))
        except Unfit:
            return False

    def computed(self, slot: int) -> dict[int, Equation]:
        """The cheap operations that make a value, if it need not be stored for it; else nothing."""
        found: dict[int, Equation] = {}
        leaves: set[int] = set()
        waiting = [slot]
        while waiting:
            now = waiting.pop()
            equation = self.made.get(now)
            if equation is not None and (self.cheap(equation) or self.moves(equation)):
                found[now] = equation
                waiting += [o for o in equation.operands if isinstance(o, int)]
            else:
                leaves.add(now)
            if len(found) > AGAIN:
                return {}
        large = [leaf for leaf in leaves if self.specs[leaf].size * SMALL > self.specs[slot].size]
        if any(leaf in self.made and self.made[leaf].primitive.family == "elementwise" for leaf in large):
            return {}
        most = LESS if slot in self.final or any(map(self.stores, self.users(slot))) else ALIKE
        return found if sum(map(self.bytes, leaves)) <= most * self.bytes(slot) else {}

    def bytes(self, slot: int) -> int:
        return self.specs[slot].size * self.specs[slot].dtype.itemsize

    def cheap(self, equation: Equation) -> bool:
        """Whether an operation is arithmetic on elements."""
        primitive, operands = equation.primitive, sub_specs(equation.operands, self.specs)
        if primitive.family != "elementwise" or equation.specs[0].dtype not in DTYPES:
            return False
        out = equation.specs[0]
        return not unsupported(primitive, operands, out) and not costly(primitive, operands, out)

    def users(self, slot: int) -> Iterator[Equation]:
        """The operations that read a value, also through views."""
        for equation in self.readers.get(slot, ()):
            if equation.primitive.name in MOVING:
                yield from self.users(equation.results[0])
            else:
                yield equation

    def stores(self, equation: Equation) -> bool:
        """Whether an operation wants its operands in memory."""
        return not (self.cheap(equation) or self.stacked(equation) or equation.primitive.name == "sum")

    # What is computed along with them.

    def sums_of_operands(self, made: dict[int, Equation]) -> Iterator[dict[int, Equation]]:
        """Sums of what operands are made of."""
        for slot in made:
            for equation in self.readers.get(slot, ()):
                if equation.primitive.name == "sum":
                    yield {equation.results[0]: equation}

    def sums_of_result(self, product: Equation) -> Iterator[dict[int, Equation]]:
        """Sums of what is computed of a result alone, or of that and small values."""
        found: dict[int, dict[int, Equation]] = {product.results[0]: {}}
        for number in range(self.order[product.results[0]] + 1, len(self.tape.equations)):
            equation = self.tape.equations[number]
            inside = [o for o in equation.operands if o in found]
            if not inside or len(equation.results) != 1:
                continue
            so_far = {slot: e for o in inside for slot, e in found[o].items()}  # type: ignore[index]
            so_far[equation.results[0]] = equation
            others = [o for o in equation.operands if isinstance(o, int) and o not in found]
            small = all(self.specs[o].size * SMALL <= product.specs[0].size for o in others)
            full = equation.specs[0].size == product.specs[0].size
            if equation.primitive.name == "sum" and equation.specs[0].ndim:
                yield so_far
            elif full and small and len(so_far) < AGAIN and (self.cheap(equation) or self.moves(equation)):
                found[equation.results[0]] = so_far
