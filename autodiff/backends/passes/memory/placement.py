"""Where the arrays of a program lie: in a workspace that its calls share, in the memory of donated inputs, or anew.

An array that is made inside a program and does not leave it has a place in the workspace, which others take once
nothing shows it any more. Operations that read each element before they write it in its place may write to what they
read, if nobody needs that afterwards.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from autodiff.backends.passes.memory.effects import Effects, effects, is_array
from autodiff.trace.formats.text import identifier
from autodiff.trace.memory.aligned import ALIGNMENT
from autodiff.trace.memory.recycling import LARGE
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Tape

Shared = tuple[tuple[int, int], ...]


@dataclass
class Memory:
    """Where the arrays of a program lie; print it to read it.

    Attributes:
        tape: the program.
        size: of the workspace, in bytes.
        places: where arrays begin in it, by slots.
        working: where the memory begins in which operations work, by the numbers of the operations.
        status: memory that is zero between operations, by the numbers of the operations.
        reused: outputs that lie in the memory of donated inputs: slots by slots.
        shared: of those the ones whose kernels must be printed for it: for each operation the numbers of results and
            operands.
        made: results that are handed to operations as new arrays.
        all_effects: what the operations do to memory.
    """

    tape: Tape
    size: int = 0
    places: dict[int, int] = field(default_factory=dict)
    working: dict[int, tuple[tuple[int, Spec], ...]] = field(default_factory=dict)
    status: dict[int, tuple[Spec, ...]] = field(default_factory=dict)
    reused: dict[int, int] = field(default_factory=dict)
    shared: dict[int, Shared] = field(default_factory=dict)
    made: set[int] = field(default_factory=set)
    all_effects: tuple[Effects, ...] = ()

    @property
    def total(self) -> int:
        """The bytes that the arrays in the workspace would take if each had its own."""
        specs = self.tape.specs
        work = sum(bytes_of(own) for found in self.working.values() for _, own in found)
        return sum(bytes_of(specs[slot]) for slot in self.places) + work

    def __str__(self) -> str:
        specs = self.tape.specs
        rows = [f"workspace of {self.size} bytes for arrays of {self.total} bytes"]
        for number, equation in enumerate(self.tape.equations):
            for slot in equation.results:
                head = f"{identifier(slot)}: {specs[slot]} of {equation.primitive.name}"
                if slot in self.places:
                    rows.append(f"{head}: at {self.places[slot]}")
                elif slot in self.reused:
                    rows.append(f"{head}: in the memory of {identifier(self.reused[slot])}")
                elif slot in self.made:
                    rows.append(f"{head}: new")
            rows += (f"work of {equation.primitive.name}: {own}: at {at}" for at, own in self.working.get(number, ()))
        return "\n".join(rows)


def plan_memory(tape: Tape, donated: Sequence[int] = (), large: int = LARGE) -> Memory:
    """Where the arrays of a program lie.

    Args:
        tape: as it is run, with kernels in the places of what they do.
        donated: inputs whose memory outputs may take.
        large: bytes from which on outputs are handed to operations as new arrays, although these could make them.
    """
    known = tape.specs
    found = Memory(tape, all_effects=tuple(effects(equation, known) for equation in tape.equations))
    lives = Lives(tape, found.all_effects)
    reuse_donated(found, lives, donated)
    space = Space()
    leaving: dict[int, list[int]] = {}
    for number, (equation, own) in enumerate(zip(tape.equations, found.all_effects, strict=True)):
        if own.working:
            places = [space.take(bytes_of(s)) for s in own.working]
            found.working[number] = tuple(zip(places, own.working, strict=True))
        if own.status:
            found.status[number] = own.status
        for k, slot in enumerate(equation.results):
            if not own.takes[k] or slot in found.reused:
                continue
            if lives.stays(slot) and is_array(known[slot]):
                taken = overwritten(equation, own, k, number, lives, found)
                found.places[slot] = space.take(bytes_of(known[slot])) if taken is None else found.places[taken]
                if taken is not None:
                    leaving[number].remove(taken)
                leaving.setdefault(max(lives.last[slot], number), []).append(slot)
            elif own.needs or bytes_of(known[slot]) >= large:
                found.made.add(slot)
        for at, s in found.working.get(number, ()):
            space.give(at, bytes_of(s))
        for slot in leaving.pop(number, ()):
            space.give(found.places[slot], bytes_of(known[slot]))
    found.size = space.size
    return found


class Lives:
    """How long the memory of values is shown.

    Attributes:
        roots: for each slot the slots whose memory it may show.
        last: for each slot the last operation at which its memory is shown.
    """

    def __init__(self, tape: Tape, all_effects: Sequence[Effects]) -> None:
        self.roots: list[frozenset[int]] = [frozenset((slot,)) for slot in range(len(tape.inputs))]
        self.kept: set[int] = set()
        self.last: dict[int, int] = {}
        for number, (equation, own) in enumerate(zip(tape.equations, all_effects, strict=True)):
            operands = [o for o in equation.operands if isinstance(o, int)]
            for operand in operands:
                self.see(self.roots[operand], number, own.keeps)
            shown = frozenset().union(*(self.roots[o] for k in own.shows if isinstance(o := equation.operands[k], int)))
            for slot in equation.results:
                self.roots.append(shown | {slot})
                self.last[slot] = number
        for out in tape.outputs:
            if isinstance(out, int):
                self.see(self.roots[out], len(tape.equations), True)

    def see(self, roots: frozenset[int], number: int, keep: bool) -> None:
        """Memory is shown at an operation; perhaps for good."""
        for root in roots:
            self.last[root] = number
        if keep:
            self.kept |= roots

    def stays(self, slot: int) -> bool:
        """Whether nothing outside of the program ever shows the memory of a value."""
        return slot not in self.kept

    def ends_as(self, equation: Equation, position: int, number: int) -> int | None:
        """The slot of an operand whose own memory nothing else shows at an operation, nor anything after it."""
        slot = equation.operands[position]
        if not isinstance(slot, int) or self.roots[slot] != {slot} or self.last.get(slot, -1) != number:
            return None
        others = [o for k, o in enumerate(equation.operands) if k != position and isinstance(o, int)]
        return None if any(slot in self.roots[o] for o in others) else slot


def overwritten(equation: Equation, own: Effects, result: int, number: int, lives: Lives, found: Memory) -> int | None:
    """The slot in the workspace that a result takes the place of, while the operation reads it."""
    if own.elementwise and own.over:
        for position in own.over[result]:
            slot = lives.ends_as(equation, position, number)
            if slot in found.places:
                return slot
    return None


def reuse_donated(found: Memory, lives: Lives, donated: Sequence[int]) -> None:
    """Let outputs take the memory of donated inputs: those that their operation reads, or that were read before."""
    known = found.tape.specs
    free = [slot for slot in donated if lives.stays(slot)]
    outs = {out for out in found.tape.outputs if isinstance(out, int)}
    for number, (equation, own) in enumerate(zip(found.tape.equations, found.all_effects, strict=True)):
        made = enumerate(equation.results)
        wanted = [k for k, slot in made if own.takes[k] and slot in outs and is_array(known[slot])]
        pairs = []
        for k in wanted:
            for position in own.over[k] if own.over else ():
                slot = lives.ends_as(equation, position, number)
                if slot in free:
                    free.remove(slot)
                    found.reused[equation.results[k]] = slot
                    pairs.append((k, position))
                    break
        if pairs and not own.elementwise:
            found.shared[number] = tuple(pairs)
        for k in wanted:
            slot = equation.results[k]
            if slot not in found.reused:
                over = next((d for d in free if known[d] == known[slot] and lives.last.get(d, -1) < number), None)
                if over is not None:
                    free.remove(over)
                    found.reused[slot] = over


class Space:
    """Bytes of which pieces are taken and given back; it is as large as it ever had to be."""

    def __init__(self) -> None:
        self.size = 0
        self.holes: list[tuple[int, int]] = []  # where they begin and end, in order

    def take(self, size: int) -> int:
        """The beginning of a piece: of the smallest hole that it fits in, or at the end."""
        size = rounded(size)
        hole = min((h for h in self.holes if h[1] - h[0] >= size), key=lambda h: h[1] - h[0], default=None)
        if hole is None:
            hole = self.holes[-1] if self.holes and self.holes[-1][1] == self.size else (self.size, self.size)
            self.size = hole[0] + size
        if hole in self.holes:
            self.holes.remove(hole)
        if hole[0] + size < hole[1]:
            insort(self.holes, (hole[0] + size, hole[1]))
        return hole[0]

    def give(self, start: int, size: int) -> None:
        """Give a piece back."""
        insort(self.holes, (start, start + rounded(size)))
        merged: list[tuple[int, int]] = []
        for hole in self.holes:
            if merged and merged[-1][1] == hole[0]:
                merged[-1] = (merged[-1][0], hole[1])
            else:
                merged.append(hole)
        self.holes = merged
        assert all(one[1] < two[0] for one, two in pairwise(merged)), "a piece was given back twice"


def rounded(size: int) -> int:
    """A size in whole lines of cache."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def bytes_of(own: Spec) -> int:
    """The bytes of an array."""
    return own.size * own.dtype.itemsize
