"""Collective operations as rounds of messages, by the algorithms that libraries use.

With P processes and N bytes a ring takes 2 (P - 1) rounds of N / P bytes for an all-reduce, a tree 2 log2 P rounds of N
bytes, and both levels of a hierarchy are rings: inside of the machines, then between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil, inf

import numpy as np

from autodiff.distributed.calls import DIGEST
from autodiff.distributed.meetings import BLOCKS, DIRECT, GATHERED, capacity
from autodiff.distributed.simulation.clocks import Array, Round
from autodiff.distributed.simulation.network import Link, Network
from autodiff.distributed.windows import REGION

Rounds = Iterator[Round]


def shifted(size: int, by: int) -> Array:
    """Each process gets something from the one so many before it."""
    return (np.arange(size) - by) % size


def ring(network: Network, size: int, nbytes: float, added: bool) -> Rounds:
    """Half of an all-reduce around a ring: a part of all arrays arrives at each process."""
    yield Round(network, shifted(size, 1), nbytes / size, added, again=size - 1)


def ring_all_reduce(network: Network, size: int, nbytes: float) -> Rounds:
    """Parts are added up around a ring, and the sums go around once more."""
    yield from ring(network, size, nbytes, added=True)
    yield from ring(network, size, nbytes, added=False)


def tree_reduce(network: Network, size: int, nbytes: float, added: bool = True) -> Rounds:
    """Pairs, pairs of pairs, and so on: the sum is in process 0."""
    ranks, reach = np.arange(size), 1
    while reach < size:
        receives = (ranks % (2 * reach) == 0) & (ranks + reach < size)
        yield Round(network, np.where(receives, ranks + reach, -1), nbytes, added)
        reach *= 2


def tree_broadcast(network: Network, size: int, nbytes: float) -> Rounds:
    """The same, back: from process 0 to all."""
    ranks, reach = np.arange(size), 1 << max(size - 1, 0).bit_length()
    while reach > 1:
        reach //= 2
        yield Round(network, np.where(ranks % (2 * reach) == reach, ranks - reach, -1), nbytes)


def tree_all_reduce(network: Network, size: int, nbytes: float) -> Rounds:
    """Up a tree, and down again."""
    yield from tree_reduce(network, size, nbytes)
    yield from tree_broadcast(network, size, nbytes)


def inside(network: Network, size: int, by: int) -> Array:
    """Each process gets something from the one of its machine so many before it."""
    ranks, here = np.arange(size), min(network.per_machine, size)
    return ranks - ranks % here + (ranks - by) % here


def across(network: Network, size: int, by: int) -> Array:
    """Each process gets something from the one with its number on the machine so many before its own."""
    return shifted(size, by * min(network.per_machine, size))


def hierarchical_all_reduce(network: Network, size: int, nbytes: float) -> Rounds:
    """Rings inside of machines, a ring of machines for each part, rings inside of machines.

    Raises:
        ValueError: if machines do not have equal numbers of processes.
    """
    here = min(network.per_machine, size)
    machines, left = divmod(size, here)
    if left:
        raise ValueError(f"{size} processes are not a number of machines with {here} processes each")
    yield Round(network, inside(network, size, 1), nbytes / here, True, again=here - 1)
    for added in (True, False):
        yield Round(network, across(network, size, 1), nbytes / size, added, again=machines - 1)
    yield Round(network, inside(network, size, 1), nbytes / here, again=here - 1)


def gathering(network: Network, size: int, nbytes: float, added: bool = False) -> Rounds:
    """An all-gather whose blocks double: all have those of two, of four, and so on."""
    reach = 1
    while reach < size:
        yield Round(network, shifted(size, reach), nbytes * min(reach, size - reach), added)
        reach *= 2


def pairwise(network: Network, size: int, nbytes: float, added: bool = False) -> Rounds:
    """Each process sends a part to each other."""
    yield from at_once(network, lambda by: shifted(size, by), size, nbytes / size, added)


def at_once(network: Network, source: Callable[[int], Array], size: int, nbytes: float, added: bool = False) -> Rounds:
    """Messages from each of so many processes to each other that are all under way: their latency counts once."""
    within, between = network.within._replace(latency=0.0), network.between._replace(latency=0.0)
    without = network._replace(within=within, between=between, switch=0.0)
    for by in range(1, size):
        yield Round(network if by == 1 else without, source(by), nbytes, added)


def in_memory(network: Network, rate: float) -> Network:
    """Bytes that nobody sends: processes of a machine read so many a second where others have put them."""
    return network._replace(within=Link(0.0, rate), memory=inf, switch=0.0)


def seen(network: Network, size: int) -> Rounds:
    """Each process of a machine counts a step in memory that all share, and looks until all others have."""
    yield from at_once(network, lambda by: shifted(size, by), size, 0.0)


def window_all_reduce(network: Network, size: int, nbytes: float) -> Rounds:
    """Turns in memory that the processes of a machine share, in each of which all wait for all, and once at the end.

    Before the first they tell each other which step they have taken last. Each process copies there what others add
    up, adds up its own part, copies the sum there, and those of others back.
    """
    for _ in range(ceil(nbytes / REGION) + 2):
        yield from seen(network, size)
    copied = in_memory(network, network.copying)
    yield from at_once(copied, lambda by: shifted(size, by), size, nbytes / size, added=True)
    yield Round(copied, np.arange(size), nbytes / size)
    yield from at_once(copied, lambda by: shifted(size, by), size, nbytes / size)


def on_one_machine(network: Network, size: int) -> bool:
    """Whether so many processes share memory, in which they meet."""
    return size <= network.per_machine


def fits(network: Network, size: int, nbytes: float) -> bool:
    """Whether so many processes exchange arrays of so many bytes where they meet."""
    if on_one_machine(network, size):
        return nbytes <= capacity(size)
    return DIGEST + nbytes <= BLOCKS[size <= DIRECT][-1]


def meeting(network: Network, size: int, nbytes: float, added: bool = False) -> Rounds:
    """What each operation of this package begins with: a block from each process to each other.

    Args:
        network: on which the processes are.
        size: how many there are.
        nbytes: of the array of each.
        added: whether those that fit into a block are added up.
    """
    if on_one_machine(network, size):
        copied = in_memory(network, network.copying)
        held = nbytes if fits(network, size, nbytes) else 0.0
        yield Round(copied, np.arange(size), held)
        yield from seen(network, size)
        read = in_memory(network, inf) if added else copied  # who adds reads on the way
        yield from at_once(read, lambda by: shifted(size, by), size, held, added)
        return
    sizes = BLOCKS[size <= DIRECT]
    block = next((block for block in sizes if fits(network, size, nbytes) and DIGEST + nbytes <= block), sizes[0])
    if size <= DIRECT:
        yield from pairwise(network, size, block * size)
    else:
        yield from gathering(network, size, block)


def own_all_reduce(network: Network, size: int, nbytes: float) -> Rounds:
    """What :func:`autodiff.distributed.all_reduce` does: a block, parts sent to those who add them, a ring of sums.

    It does so inside of machines, between them and inside again, where they have equal numbers of processes. The
    processes of one machine add up in memory that they share. Of small arrays all get all, and add them up; very small
    ones are in the block, and in memory that is shared all of these.
    """
    yield from meeting(network, size, nbytes, added=True)
    if fits(network, size, nbytes):
        return
    here = min(network.per_machine, size)
    machines, left = divmod(size, here)
    if machines == 1 and not left:
        yield from window_all_reduce(network, size, nbytes)
    elif nbytes <= GATHERED / size:
        way = gathering(network, size, nbytes, added=True)
        yield from way if size > DIRECT else pairwise(network, size, nbytes * size, added=True)
    elif left or here == 1:
        yield from pairwise(network, size, nbytes, added=True)
        yield from (ring if size > DIRECT else pairwise)(network, size, nbytes, added=False)
    else:
        yield from at_once(network, lambda by: inside(network, size, by), here, nbytes / here, added=True)
        yield from at_once(network, lambda by: across(network, size, by), machines, nbytes / size, added=True)
        if machines > DIRECT:
            yield Round(network, across(network, size, 1), nbytes / size, again=machines - 1)
        else:
            yield from at_once(network, lambda by: across(network, size, by), machines, nbytes / size)
        yield from at_once(network, lambda by: inside(network, size, by), here, nbytes / here)


ALL_REDUCE: dict[str, Callable[[Network, int, float], Rounds]] = {
    "own": own_all_reduce,
    "ring": ring_all_reduce,
    "tree": tree_all_reduce,
    "hierarchical": hierarchical_all_reduce,
}
"""All-reduces by their names."""

OTHERS: dict[str, Callable[[Network, int, float], Rounds]] = {
    "all_gather": lambda network, size, nbytes: ring(network, size, nbytes * size, added=False),
    "reduce_scatter": lambda network, size, nbytes: pairwise(network, size, nbytes, added=True),
    "all_to_all": pairwise,
    "broadcast": tree_broadcast,
    "reduce": tree_reduce,
    "gather": lambda network, size, nbytes: tree_reduce(network, size, nbytes * size / 2, added=False),
    "scatter": lambda network, size, nbytes: tree_broadcast(network, size, nbytes / 2),
    "permute": lambda network, size, nbytes: iter([Round(network, shifted(size, 1), nbytes)]),
    "barrier": lambda network, size, nbytes: iter(()),
}
"""The other operations; each begins with a block from each process to each other."""


def rounds_of(name: str, nbytes: int, network: Network, size: int, algorithm: str) -> Rounds:
    """The rounds of a collective operation.

    Raises:
        ValueError: if there is no such operation or algorithm.
    """
    if algorithm not in ALL_REDUCE or (name != "all_reduce" and name not in OTHERS):
        raise ValueError(
            f"there is no simulation of {name!r} by the algorithm {algorithm!r}: operations are all_reduce, "
            f"{', '.join(OTHERS)}; algorithms are {', '.join(ALL_REDUCE)}"
        )
    if name == "all_reduce":
        yield from ALL_REDUCE[algorithm](network, size, nbytes)
        return
    yield from meeting(network, size, nbytes)
    if not fits(network, size, nbytes):
        yield from OTHERS[name](network, size, nbytes)
