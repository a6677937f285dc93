"""Collective operations on trees of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.distributed.calls import Debugging
from autodiff.distributed.communicator import Communicator, world
from autodiff.distributed.primitives import COLLECTIVES
from autodiff.trace.errors import described
from autodiff.trace.recording import bodies
from autodiff.trace.source import at_user_line, user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import flatten
from autodiff.trace.values.leaves import as_leaf
from autodiff.tree import names

EXTREMES: dict[str, Callable[..., Any]] = {"max": np.max, "min": np.min, "prod": np.prod}
OPS = ("sum", "mean", *EXTREMES)


def apply(name: str, tree: Any, comm: Communicator | None, rows: bool = False, **rest: Any) -> Any:
    """A collective operation on each leaf.

    Args:
        name: of the operation.
        tree: the operands.
        comm: who takes part; all processes if None.
        rows: whether leaves must have a row for each process.
        rest: further parameters.
    """
    comm = world() if comm is None else comm
    operation = COLLECTIVES[name]
    if type(tree) is np.ndarray and tree.dtype.kind in "fciub" and not rows and not bodies and not Debugging.on:
        return operation.evaluate(tree, comm=comm, **rest)  # most calls of a program that is not compiled
    leaves, structure = flatten(tree)
    several = len(leaves) != 1
    places = [f"leaf {own} of {len(leaves)}" for own in names(tree)] if several else [""]
    line, found = user_line(), []
    for leaf, place in zip(leaves, places, strict=True):
        leaf = as_leaf(leaf)
        if rows and spec_of(leaf).shape[:1] != (comm.size,):
            raise ValueError(
                f"distributed.{name} got {described(leaf)}{at_user_line()}: its first axis has a row for each of the "
                f"{comm.size} processes of {comm.name}"
            )
        found.append(operation(leaf, comm=comm, place=place, line=line, **rest))
    return structure.unflatten(found)


def each(function: Callable[..., Any], tree: Any) -> Any:
    """The tree of what a function gives of each leaf."""
    leaves, structure = flatten(tree)
    return structure.unflatten([function(leaf) for leaf in leaves])


def checked_op(name: str, op: str, known: Sequence[str]) -> None:
    """Refuse an operation that there is not."""
    if op not in known:
        raise ValueError(f"distributed.{name} knows op={', '.join(map(repr, known))}, got {op!r}{at_user_line()}")


def checked_root(name: str, root: int, comm: Communicator | None) -> int:
    """The rank that is named, if there is one."""
    if type(root) is int and root == 0:
        return root
    size = (world() if comm is None else comm).size
    if not (isinstance(root, (int, np.integer)) and 0 <= root < size):
        raise ValueError(f"distributed.{name} got root={root!r}{at_user_line()}; ranks are 0 to {size - 1}")
    return int(root)


def all_reduce(tree: Any, op: str = "sum", comm: Communicator | None = None) -> Any:
    """The sum, element by element, of the arrays of all processes, in all of them.

    Sums are made in the order of ranks, whoever comes first, and have the same bits in all processes. Where machines
    have equal numbers of processes, those of a machine add up large arrays first.

    Args:
        tree: arrays or numbers, of the same shapes and dtypes in all processes.
        op: ``"sum"``, ``"mean"``, ``"max"``, ``"min"`` or ``"prod"``.
        comm: who takes part; all processes if None.

    Returns:
        a tree like the operand. The derivative of sum and mean is the sum, or mean, of all cotangents; that of ``max``
        and ``min`` goes to the largest, or smallest, and to equal ones in equal parts.

    Raises:
        MismatchError: if processes call different operations, or with different structures, shapes or dtypes.

    >>> all_reduce({"w": np.ones(2)}, op="mean")
    {'w': array([1., 1.])}
    """
    if op == "sum":
        return apply("all_reduce", tree, comm)
    checked_op("all_reduce", op, OPS)
    if op in EXTREMES:
        return each(lambda stack: EXTREMES[op](stack, axis=0), apply("all_gather", tree, comm))
    return averaged(apply("all_reduce", tree, comm), op, comm)


def averaged(tree: Any, op: str, comm: Communicator | None) -> Any:
    """A sum over processes, or their mean."""
    if op != "mean":
        return tree
    size = (world() if comm is None else comm).size
    return each(lambda leaf: leaf / size, tree)


def reduce(tree: Any, root: int = 0, op: str = "sum", comm: Communicator | None = None) -> Any:
    """The sum or mean of the arrays of all processes, in one of them; zeros in the others.

    Arguments and errors are those of :func:`all_reduce`; the derivative is :func:`broadcast`.

    >>> reduce(2.0)
    np.float64(2.0)
    """
    checked_op("reduce", op, OPS[:2])
    return averaged(apply("reduce", tree, comm, root=checked_root("reduce", root, comm)), op, comm)


def broadcast(tree: Any, root: int = 0, comm: Communicator | None = None) -> Any:
    """The arrays of one process, in all of them.

    Args:
        tree: arrays or numbers; those of the others have the same shapes and dtypes, and do not count.
        root: the rank of the process.
        comm: who takes part; all processes if None.

    Returns:
        a tree like the operand. The derivative is :func:`reduce`.

    >>> broadcast([1.0])
    [np.float64(1.0)]
    """
    return apply("broadcast", tree, comm, root=checked_root("broadcast", root, comm))


def all_gather(tree: Any, comm: Communicator | None = None) -> Any:
    """The arrays of all processes, stacked along a new first axis, in all of them; the derivative is a reduce-scatter.

    >>> all_gather(np.ones(2))
    array([[1., 1.]])
    """
    return apply("all_gather", tree, comm)


def gather(tree: Any, root: int = 0, comm: Communicator | None = None) -> Any:
    """The arrays of all processes, stacked along a new first axis, in one of them; zeros in the others.

    The derivative is :func:`scatter`.

    >>> gather(np.ones(2))
    array([[1., 1.]])
    """
    return apply("gather", tree, comm, root=checked_root("gather", root, comm))


def scatter(tree: Any, root: int = 0, comm: Communicator | None = None) -> Any:
    """To each process its row of the arrays of one of them; those of the others do not count.

    The first axis has a row for each process. The derivative is :func:`gather`.

    >>> scatter(np.ones((1, 2)))
    array([1., 1.])
    """
    return apply("scatter", tree, comm, rows=True, root=checked_root("scatter", root, comm))


def reduce_scatter(tree: Any, op: str = "sum", comm: Communicator | None = None) -> Any:
    """To each process its row of the sum, or mean, of the arrays of all; the derivative is :func:`all_gather`.

    >>> reduce_scatter(np.ones((1, 2)))
    array([1., 1.])
    """
    checked_op("reduce_scatter", op, OPS[:2])
    return averaged(apply("reduce_scatter", tree, comm, rows=True), op, comm)


def all_to_all(tree: Any, comm: Communicator | None = None) -> Any:
    """Row k of what process j gets is row j of what process k has: the derivative is the same again.

    >>> all_to_all(np.ones((1, 2)))
    array([[1., 1.]])
    """
    return apply("all_to_all", tree, comm, rows=True)


def permute(tree: Any, pairs: Sequence[tuple[int, int]], comm: Communicator | None = None) -> Any:
    """Arrays sent from process to process; zeros where nothing comes. The derivative goes back.

    Args:
        tree: arrays or numbers, of the same shapes and dtypes in all processes.
        pairs: of the ranks of sender and receiver. Each process sends at most once and receives at most once.
        comm: who takes part, senders, receivers and the others; all processes if None.

    Returns:
        a tree like the operand.

    Raises:
        ValueError: if a rank is there twice on one side, or does not exist.

    >>> permute(np.ones(2), [(0, 0)])
    array([1., 1.])
    """
    size = (world() if comm is None else comm).size
    known = tuple((int(a), int(b)) for a, b in pairs)
    for side in zip(*known):
        if len(set(side)) != len(side) or not all(0 <= rank < size for rank in side):
            raise ValueError(
                f"distributed.permute got pairs={list(known)}{at_user_line()}: each of the ranks 0 to {size - 1} sends "
                "at most once, and receives at most once"
            )
    return apply("permute", tree, comm, pairs=known)


def barrier(tree: Any = None, comm: Communicator | None = None) -> Any:
    """Wait until all processes are here, and hand the tree on.

    It is an operation like the others: a program waits in each run, in its turn among other collective operations.

    >>> barrier()
    """
    if not flatten(tree)[0]:
        apply("barrier", 0.0, comm)
        return tree
    return apply("barrier", tree, comm)
