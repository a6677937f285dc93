"""Elements that lie a few apart in memory: whole vectors are loaded or stored, and their lanes sorted.

Elements 0, 2, 4, ... of memory are lanes of two vectors that are neighbours; the last vector begins so that it ends
with the last element, so nothing beyond that is read. Stores of a round that fill memory together, as to 2j and 2j + 1,
become stores of whole vectors. To gather and to scatter takes some instructions for each lane instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff.backends.language.types import SIZES, Pointer, Type
from autodiff.backends.llvm.vectors.masks import Masks
from autodiff.backends.llvm.vectors.tree import Node, Place, Plan, Store

FEW = (2, 3, 4)  # how far elements may lie apart


class Interleaving(Masks):
    """Prints loads and stores of such elements."""

    def apart(self, address: Any, stride: int, type_: str, stored: Any, mark: Any) -> Any:
        """The elements from an address on, so many apart.

        Args:
            address: of the element of the first lane.
            stride: from a lane to the next.
            type_: of the elements.
            stored: how they lie in memory.
            mark: what a load is told of its memory with.
        """
        count, places = self.count, [stride * lane for lane in range(self.count)]
        begins = sorted({min(at * count, places[-1] + 1 - count) for at in range(stride)})
        held = [next(k for k, begin in enumerate(begins) if place < begin + count) for place in places]
        first, *others = (self.neighbours(address, begin, stride, type_, stored, mark) for begin in begins)
        lanes = [place if part == 0 else 0 for place, part in zip(places, held, strict=True)]
        found = first
        for number, other in enumerate(others, 1):
            inside = [count + place - begins[number] for place in places]
            kept = lanes if number == 1 else range(count)
            chosen = [new if part == number else old for new, old, part in zip(inside, kept, held, strict=True)]
            found = self.sorted(found, other, chosen)
        return found

    def neighbours(self, address: Any, begin: int, stride: int, type_: str, stored: Any, mark: Any) -> Any:
        """A vector of elements, from one of those behind an address on."""
        place = self.builder.add(address, self.word(begin * SIZES[type_]))
        if self.mask is not None:
            lanes = [-(-(begin + at) // stride) for at in range(self.count)]  # a lane behind it is wanted
            return self.load_live(place, type_, stored, lanes, mark)
        found = self.builder.load(self.builder.inttoptr(place, self.vector(stored).as_pointer()), align=SIZES[type_])
        mark(found)
        return found

    def woven(self, address: Any, values: Sequence[Any], type_: str, mark: Any) -> None:
        """Store vectors: first the first lanes of all, then the second ones."""
        count, stride = self.count, len(values)
        whole = values[0]
        for number, value in enumerate(values[1:], 1):  # one behind the other
            longer = self.shuffled(value, [lane if lane < count else 0 for lane in range(number * count)])
            lanes = [*range(number * count), *(number * count + lane for lane in range(count))]
            whole = self.sorted(whole, longer, lanes)
        whole = self.shuffled(whole, [at % stride * count + at // stride for at in range(stride * count)])
        if self.mask is not None:
            self.store_live(whole, address, type_, [at // stride for at in range(stride * count)], mark)
            return
        place = self.builder.inttoptr(address, whole.type.as_pointer())
        mark(self.builder.store(whole, place, align=SIZES[type_]))

    def sorted(self, x: Any, y: Any, lanes: Sequence[int]) -> Any:
        """A vector of lanes of two others."""
        places = self.ir.Constant(self.ir.VectorType(self.ir.IntType(32), len(lanes)), list(lanes))
        return self.builder.shuffle_vector(x, y, places)


def filled(plan: Plan) -> dict[Store, tuple[Store, ...]]:
    """The stores that fill memory together, in the order of memory, by each of them."""
    groups: dict[Any, dict[int, Store]] = {}
    for store in plan.statements:
        if isinstance(store, Store) and store.place.stride in FEW:
            key, offset = split(store.index)
            groups.setdefault((store.place, store.type, key), {})[offset] = store
    found: dict[Store, tuple[Store, ...]] = {}
    for (place, _, _), members in groups.items():
        stores = tuple(members[offset] for offset in sorted(members))
        whole = range(min(members), min(members) + place.stride)
        if sorted(members) == list(whole) and may_wait(plan, stores):
            found.update(dict.fromkeys(stores, stores))
    return found


def may_wait(plan: Plan, stores: Sequence[Store]) -> bool:
    """Whether nothing else touches in a round what stores of the same array have stored, until the last of them."""
    own = plan.given[stores[0].place.base]
    stored: list[Any] = []
    for statement in plan.statements:
        for place, index in loads(statement.value):
            elsewhere = place.base == stores[0].place.base and same_but_number(split(index), stored)
            if stored and shared(own, plan.given[place.base]) and not elsewhere:
                return False
        if isinstance(statement, Store):
            if statement in stores:
                stored.append(split(statement.index))
            elif shared(own, plan.given[statement.place.base]):
                return False
    return True


def shared(one: Type, other: Type) -> bool:
    """Whether addresses may lead to the same memory."""
    return one == other or not (isinstance(one, Pointer) and isinstance(other, Pointer))


def same_but_number(index: Any, stored: list[Any]) -> bool:
    """Whether an index differs from others by a number that is added, and by that alone."""
    return all(index[0] == each[0] and index[1] != each[1] for each in stored)


def loads(node: Node) -> list[tuple[Place, Node]]:
    """What an expression loads."""
    own = [(node.detail, node.operands[0])] if node.operation == "load" else []
    return own + [each for operand in node.operands for each in loads(operand)]


def split(index: Node) -> tuple[Any, int]:
    """An index as what can be compared, and a number that is added to it."""
    if index.operation == "+" and index.operands[1].operation == "number":
        key, offset = split(index.operands[0])
        return key, offset + int(index.operands[1].detail)
    return (index.operation, index.detail, *(split(each) for each in index.operands)), 0
