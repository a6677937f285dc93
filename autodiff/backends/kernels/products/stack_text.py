"""The text of a kernel of a stack of products."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from autodiff.backends.kernels.elements import COLUMN, ROW, Elements, indented, looped, sums
from autodiff.backends.kernels.forms import Unfit
from autodiff.backends.kernels.places import Index, Place, operand_places, strides
from autodiff.backends.kernels.products.stack_plan import ROWS, TERMS, Operand, StackPlan
from autodiff.backends.kernels.scalars import literal


class StackText:
    """The text of a kernel.

    Args:
        plan: of the stack.

    Raises:
        Unfit: if something in it does not work element by element.
    """

    def __init__(self, plan: StackPlan) -> None:
        self.plan = plan
        self.dtype = plan.out.dtype
        self.numbers = count()
        self.text = "\n".join(self.lines()) + "\n"

    def name(self, stem: str) -> str:
        """A name that nobody has."""
        return f"{stem}{next(self.numbers)}"

    def elements(self) -> Elements:
        return Elements(self.plan.tape, self.name)

    def lines(self) -> Iterator[str]:
        plan = self.plan
        yield "def kernel(block, lo, hi):"
        word = 0
        for slot, spec in enumerate(plan.tape.inputs):
            yield f"    in{slot} = pointer(block, {word})  # {spec}"
            word += 1
        for slot in plan.wanted:
            yield f"    out{slot} = pointer(block, {word})  # {plan.specs[slot]}"
            word += 1
        if plan.memory:
            yield f"    memory = pointer(block, {word})"
            yield f"    memory = shifted(memory, lo // {plan.chunk} * {plan.memory})"
            for name, place in plan.rooms.items():
                if name != "end":
                    yield f"    {name} = shifted(memory, {place})"
        yield "    for r in range(lo, hi):"
        yield from indented(list(self.stack()), 2)
        body = self.whole() if plan.plain else self.by_rows() if plan.cut == ROWS else self.by_terms()
        yield from indented(body, 2)

    def stack(self) -> Iterator[str]:
        """Which matrix of the stack it is, and which block of it."""
        plan = self.plan
        if plan.units == 1:
            yield "q = r"
        elif plan.together:
            yield from (f"n = r // {plan.matrices}", f"q = r - n * {plan.matrices}")
        else:
            yield from (f"q = r // {plan.units}", f"n = r - q * {plan.units}")
        below = 1
        for name, length in reversed(list(zip(plan.names, plan.lead, strict=True))):
            if length > 1:
                over = "q" if below == 1 else f"q // {below}"
                yield f"{name} = {over}" if below * length == plan.matrices else f"{name} = {over} % {length}"
            below *= length

    def whole(self) -> list[str]:
        """A product of two matrices that are there."""
        plan = self.plan
        lines, a = self.operand("a", plan.first, "0", "")
        more, b = self.operand("b", plan.second, "0", "")
        c, step = self.result()
        sizes = plan.rows, plan.columns, plan.terms
        return [*lines, *more, *c, self.multiply(a, b, ("c_r", step), sizes, 0)]

    # Blocks of rows.

    def by_rows(self) -> list[str]:
        """A block of rows of a matrix."""
        plan = self.plan
        if plan.units == 1:
            return ["first = 0", *self.rows(plan.rows)]
        (_, size, many), *others = plan.runs
        if not others:
            return [f"first = n * {size}", *self.rows(size)]
        ((later, less, _),) = others
        lines = [f"if n < {many}:", f"    first = n * {size}", *indented(self.rows(size))]
        return [*lines, "else:", f"    first = {later} + (n - {many}) * {less}", *indented(self.rows(less))]

    def rows(self, size: int) -> list[str]:
        """So many rows: their operands, the product, and what is computed of it."""
        plan = self.plan
        lines, a = self.operand("a", plan.first, "first", f"first + {size}")
        more, b = self.operand("b", plan.second, "0", str(plan.terms))
        c, step = self.result()
        lines += [*more, *c]
        lines.append(self.multiply(a, b, ("c_r", step), (size, plan.columns, plan.terms), 0))
        return [*lines, *self.reduced(size, step)] if plan.reductions else lines

    def result(self) -> tuple[list[str], int]:
        """Where a block of the result lies, and how far its rows lie apart."""
        plan = self.plan
        if not plan.stored:
            return ["c_r = c"], plan.padded(plan.columns)
        moved = f"q * {plan.rows * plan.columns * plan.size}"
        if plan.units > 1:
            moved += f" + first * {plan.columns * plan.size}"
        return [f"c_r = shifted(out{plan.product.results[0]}, {moved})"], plan.columns

    def reduced(self, size: int, step: int) -> list[str]:
        """Sums of what is computed of the rows of the result."""
        plan, elements = self.plan, self.elements()
        slot = plan.product.results[0]
        load = f"load_{self.dtype}(c_r, ({ROW} - first) * {step} + {COLUMN})"
        elements.found[slot, plan.place] = elements.name("v")
        elements.columns.append(f"{elements.found[slot, plan.place]} = {load}")
        ends = []
        for out in plan.reductions:
            inner, place, kept = row_sum(plan, out)
            value = elements.element(inner, place)
            total = elements.name("s")
            elements.rows.append(f"{total} = {literal(0, plan.specs[out].dtype)}")
            elements.columns.append(f"{total} = reduce_add({total}, {value})")
            own, first = strides(plan.specs[out].shape, kept)
            ends.append(f"store_{self.dtype}(out{out}, {sums(own, tuple(own), first)}, {total})")
        return looped(elements, f"first, first + {size}", plan.columns, ends)

    # Blocks of terms.

    def by_terms(self) -> list[str]:
        """All sums of a matrix, a block of terms after the other."""
        plan = self.plan
        matrix = plan.rows * plan.columns
        lines = [f"c_r = shifted(out{plan.product.results[0]}, q * {matrix * plan.size})", *self.zeros("c_r", matrix)]
        ends = []
        for out in plan.reductions:  # they are made in memory of their own: nobody else writes near it
            operand, _, kept = plan.summed(out)
            own, first = strides(plan.specs[out].shape, kept)
            length = operand.columns if COLUMN in own else 1
            lines += self.zeros(f"t{out}", length)
            ends += [f"for {COLUMN} in range({length}):", *indented([self.stored(out, own, first)])]
        for start, size, many in plan.runs:
            lines.append(f"for first in range({start}, {start + size * many}, {size}):")
            lines += indented(self.terms(size))
        return [*lines, *ends]

    def stored(self, out: int, own: dict[str, int], first: int) -> str:
        """A sum over terms written where it belongs."""
        value = f"load_{self.dtype}(t{out}, {COLUMN})"
        return f"store_{self.dtype}(out{out}, {sums(own, tuple(own), first)}, {value})"

    def zeros(self, name: str, length: int) -> list[str]:
        """Zeros in memory."""
        return [
            f"for {COLUMN} in range({length}):",
            f"    store_{self.dtype}({name}, {COLUMN}, {literal(0, self.dtype)})",
        ]

    def terms(self, size: int) -> list[str]:
        """So many terms."""
        plan = self.plan
        lines, a = self.operand("a", plan.first, "first", f"first + {size}")
        more, b = self.operand("b", plan.second, "first", f"first + {size}")
        return [*lines, *more, self.multiply(a, b, ("c_r", plan.columns), (plan.rows, plan.columns, size), 1)]

    # Both.

    def operand(self, name: str, operand: Operand, start: str, end: str) -> tuple[list[str], tuple[str, int, int]]:
        """The lines that make an operand ready, and its address and steps."""
        plan, elements = self.plan, self.elements()
        if operand.source is not None:
            slot, place = operand.source
            base = elements.base(slot, place)
            own, _ = strides(plan.specs[slot].shape, place)
            step = own.get(ROW, 0) * plan.size
            moved = base if start == "0" or not step else f"shifted({base}, {start} * {step})"
            return [*elements.before, f"{name}_r = {moved}"], (f"{name}_r", *operand.steps)
        value = elements.element(operand.slot, operand.place)
        wide = plan.padded(operand.columns)
        row = ROW if start == "0" else f"({ROW} - first)"
        elements.columns.append(f"store_{self.dtype}({name}, {row} * {wide} + {COLUMN}, {value})")
        for out in plan.reductions if plan.cut == TERMS else ():
            other, place, kept = plan.summed(out)
            if other is operand:
                (inner,) = plan.made[out].operands
                assert isinstance(inner, int)
                at = COLUMN if any(index.variable == COLUMN for index in kept) else "0"
                added = f"load_{self.dtype}(t{out}, {at}) + {elements.element(inner, place)}"
                elements.columns.append(f"store_{self.dtype}(t{out}, {at}, {added})")
        return looped(elements, f"{start}, {end}", operand.columns), (name, *operand.steps)

    def multiply(
        self,
        a: tuple[str, int, int],
        b: tuple[str, int, int],
        c: tuple[str, int],
        sizes: tuple[int, int, int],
        add: int,
    ) -> str:
        """The product of two matrices in memory."""
        numbers = ", ".join(map(str, (*a, *b, *c, *sizes, add)))
        return f"multiply_matrices_{self.dtype}({numbers})"


def row_sum(plan: StackPlan, slot: int) -> tuple[int, Place, Place]:
    """For a sum of the rows of a result: what is summed, where an element lies there, and the sum.

    Raises:
        Unfit: if it is something else.
    """
    equation = plan.made[slot]
    (inner,) = equation.operands
    assert isinstance(inner, int)
    place = pushed(plan, inner)
    axes = {axis % len(place) for axis in dict(equation.params)["axes"]}
    if {place[axis].variable for axis in axes} - {""} != {COLUMN} and plan.columns > 1:
        raise Unfit("a sum of something else")
    return inner, place, tuple(index for axis, index in enumerate(place) if axis not in axes)


def pushed(plan: StackPlan, slot: int) -> Place:
    """Where an element of what is computed of the result lies, for an element of the result.

    Raises:
        Unfit: if a view leaves something out.
    """
    if slot == plan.product.results[0]:
        return plan.place
    equation = plan.made[slot]
    inside = [o for o in equation.operands if isinstance(o, int) and depends(plan, o)]
    given = pushed(plan, inside[0])
    shape = equation.specs[0].shape
    if equation.primitive.family == "elementwise":
        if plan.specs[inside[0]].shape != shape:
            raise Unfit("a result that is spread")
        return given
    marks = tuple(Index(str(axis)) if length != 1 else Index() for axis, length in enumerate(shape))
    ((_, there),) = operand_places(equation, marks, plan.specs)
    found = [Index() for _ in shape]
    for index, own in zip(given, there, strict=True):
        if own.variable:
            if own.step != 1 or own.start:
                raise Unfit("a slice of a result")
            found[int(own.variable)] = index
        elif index.variable:
            raise Unfit("a result of which a part is taken")
    return tuple(found)


def depends(plan: StackPlan, slot: int) -> bool:
    """Whether a value is computed of the result of the product."""
    if slot == plan.product.results[0]:
        return True
    equation = plan.made.get(slot)
    return equation is not None and any(depends(plan, o) for o in equation.operands if isinstance(o, int))
