"""What a kernel does to memory, followed as often as what it keeps there asks for."""

from __future__ import annotations

from collections.abc import Mapping

from autodiff.backends.language.errors import Unsuited
from autodiff.backends.language.polynomials import constant
from autodiff.backends.language.reading import read
from autodiff.backends.language.tree import Function
from autodiff.backends.verifier.launch import Fault, Launch
from autodiff.backends.verifier.memory import EVERYWHERE, PART, Memory, Region, Span
from autodiff.backends.verifier.statements import Statements
from autodiff.backends.verifier.values import Number

ROUNDS = 6
"""So many times a kernel is followed whose places depend on numbers that it keeps in memory."""

GROWING = 2
"""From this round on nothing is believed of a number whose limits still grow, such as that of a count."""


def faults_of(text: str, launch: Launch) -> list[Fault]:
    r"""What is wrong with a kernel, or cannot be proved; nothing where it stays within its memory.

    Args:
        text: of the kernel.
        launch: how it is run.

    >>> from autodiff.backends.verifier.launch import Array
    >>> sums = (
    ...     "def kernel(block, lo, hi):\n    x = pointer(block, 0)\n    for r in range(lo, hi): y = load_float64(x, r)"
    ... )
    >>> faults_of(sums, Launch({0: Array("x", 80, "f8", False)}, 10, None, False))
    []
    >>> faults_of(sums, Launch({0: Array("x", 80, "f8", False)}, 11, None, False))
    [Fault(line='y = load_float64(x, r)', reason='from 0 to 88 of the 80 bytes of x')]
    """
    try:
        kernel = read(text)
    except Unsuited as reason:
        return [Fault(text.partition("\n")[0], str(reason))]
    first = memory = followed(kernel, launch, {})  # which knows nothing of what is kept in memory
    known: dict[Region, Span] = {}
    for turn in range(ROUNDS if first.faults and first.kept else 0):
        for region, span in memory.kept.items():
            if not contains(known.get(region), span):
                known[region] = hull(known.get(region), span) if turn < GROWING else EVERYWHERE
        memory = followed(kernel, launch, known)
        if all(contains(known.get(region), span) for region, span in memory.kept.items()):
            return list(memory.faults)
    return list(first.faults)


def contains(outer: Span | None, inner: Span) -> bool:
    """Whether one range is in another."""
    return outer is not None and outer[0] <= inner[0] and inner[1] <= outer[1]


def hull(one: Span | None, other: Span) -> Span:
    """The range from the least of two to the largest."""
    return other if one is None else (min(one[0], other[0]), max(one[1], other[1]))


def followed(kernel: Function, launch: Launch, known: Mapping[Region, Span]) -> Memory:
    """What a kernel does to memory.

    Args:
        kernel: what is followed.
        launch: how it is run.
        known: what it keeps in memory to work in.
    """
    walk = Statements(launch)
    walk.memory.known.update(known)
    parts = 1 if launch.chunk is None else max(1, -(-launch.rows // launch.chunk))
    if parts == 1:
        low, high = constant(0), constant(launch.rows)
    else:
        assert launch.chunk is not None
        part = walk.facts.new(PART.partition(".")[0], (constant(0),), (constant(parts - 1),))
        low = constant(launch.chunk) * part
        high = walk.facts.new("hi", (low + constant(1),), (low + constant(launch.chunk), constant(launch.rows)))
    _, first, last = kernel.parameters
    walk.names.update({first: Number(low), last: Number(high)})
    walk.block(kernel.body)
    if launch.parallel and parts > 1:
        walk.memory.refuse_races(parts)
    return walk.memory
