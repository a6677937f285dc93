"""Data parallelism: the same parameters everywhere, and a part of each batch in every process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from itertools import pairwise
from typing import Any, Literal
from zlib import crc32

import numpy as np

from autodiff.distributed.calls import ranks_text
from autodiff.distributed.collectives import all_reduce
from autodiff.distributed.communicator import Communicator, world
from autodiff.distributed.compiled_overlap import OverlappedProgram
from autodiff.distributed.errors import MismatchError
from autodiff.distributed.overlap import OverlappedPull, bucket_size
from autodiff.distributed.packing import LARGE, packed, scaled, sent_dtype, unpacked, weighs_alike
from autodiff.distributed.primitives import COLLECTIVES
from autodiff.distributed.sums import Weights
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.trees.tree import flatten
from autodiff.trace.values.leaves import as_leaf
from autodiff.transforms.gradient import grad, gradient_read_by, value_and_grad
from autodiff.transforms.jit.function import jit
from autodiff.transforms.transformed import TransformedFunction
from autodiff.tree import names


def data_parallel(
    fun: Callable[..., Any],
    *,
    batch: Sequence[int] | None = None,
    dtype: Any = None,
    comm: Communicator | None = None,
    bucket: int | Literal["auto"] | None = "auto",
) -> Callable[..., Any]:
    """A function of parameters and a batch, such as ``value_and_grad(loss)``, with the batch shared among processes.

    Every process calls it with the same parameters and the whole batch, runs ``fun`` on its part, and gets the mean of
    what all of them return, weighted by the lengths of the parts: where ``loss`` is a mean over examples this is what
    ``fun`` gives of the whole batch, up to rounding. The bits are the same in all processes.

    Args:
        fun: a function that returns a tree of arrays or numbers. With ``jit`` around it, it is compiled.
        batch: the positions of the arguments that are cut along their first axis; all but the first if None. Other
            arguments, and keyword arguments, reach ``fun`` as they are.
        dtype: in which arrays are sent, such as ``np.float16``: half the bytes, and results rounded to it. Numbers are
            sent as they are.
        comm: who takes part; all processes if None.
        bucket: where ``fun`` is a function that ``grad`` or ``value_and_grad`` has made, or ``jit`` of one, gradients
            are sent while its backward pass goes on, as soon as there are so many bytes of them; the bits are the same.
            If None, and of other functions, they are sent when all of them are there. ``"auto"`` stands for 4 MiB
            between machines, and for None on one, where the processes themselves would have to move the bytes.

    Returns:
        a function of the same arguments. At its first call with plain values it compares those that are not cut.

    Raises:
        MismatchError: at the first call, if parameters differ between processes, naming them.
        ValueError: if a batch has fewer examples than there are processes, or batches have different lengths.

    >>> import autodiff
    >>> def loss(w, x, y):
    ...     return np.mean((x @ w - y) ** 2)
    >>> step = data_parallel(autodiff.value_and_grad(loss))
    >>> step(np.zeros(2), np.eye(2), np.ones(2))
    (np.float64(1.0), array([-1., -1.]))
    """
    checked: list[bool] = []

    @wraps(fun)
    def parallel(*args: Any, **kwargs: Any) -> Any:
        group = world() if comm is None else comm
        cut = range(1, len(args)) if batch is None else [position % len(args) for position in batch]
        same = [arg for k, arg in enumerate(args) if k not in cut]
        if not checked and not any(isinstance(leaf, Traced) for leaf in flatten(same)[0]):
            check_equal(same, group)
            checked.append(True)
        length = batch_length([args[k] for k in cut], group)
        first, last = bounds(length, group.size)[group.rank]
        own = [part(arg, first, last) if k in cut else arg for k, arg in enumerate(args)]
        weights = tuple((until - since) / length for since, until in bounds(length, group.size))
        gradient = gradient_in(fun)
        limit = bucket_size(bucket, group)
        if group.size == 1 or limit is None or gradient is None:
            return weighted_mean(fun(*own, **kwargs), weights, dtype, group, owned=isinstance(fun, jit))
        if isinstance(fun, jit):
            program = OverlappedProgram(fun, gradient, weights, dtype, limit, group)
            return rest_of(gradient, program(*own, **kwargs), weights, dtype, group, program.done)
        pull = OverlappedPull(group, weights, dtype, limit)
        return rest_of(gradient, gradient_read_by(pull, gradient)(*own, **kwargs), weights, dtype, group, pull.done)

    return parallel


def gradient_in(fun: Callable[..., Any]) -> TransformedFunction | None:
    """What ``grad`` or ``value_and_grad`` has made, compiled or not: parts of it are sent while others are computed."""
    made = fun.fun if isinstance(fun, jit) else fun
    if isinstance(made, TransformedFunction) and getattr(made.made[0], "func", None) in (grad, value_and_grad):
        return made
    return None


def rest_of(
    fun: TransformedFunction, result: Any, weights: Weights, dtype: Any, comm: Communicator, is_mean: bool
) -> Any:
    """The result of a gradient function with the means of what is none yet: all but the gradient, if that is one."""
    with_value, (_, _, has_aux, _) = fun.made[0].func is value_and_grad, fun.made[1]  # type: ignore[attr-defined]
    if not is_mean:
        return weighted_mean(result, weights, dtype, comm)
    if not with_value and not has_aux:
        return result
    first, second = result
    if with_value:
        return weighted_mean(first, weights, dtype, comm), second
    return first, weighted_mean(second, weights, dtype, comm)


def bounds(length: int, size: int) -> list[tuple[int, int]]:
    """Where the part of each process of so many examples begins and ends."""
    return list(pairwise(length * rank // size for rank in range(size + 1)))


def part(tree: Any, first: int, last: int) -> Any:
    """The examples from one to another of each leaf."""
    leaves, structure = flatten(tree)
    return structure.unflatten([leaf[first:last] for leaf in leaves])


def batch_length(batches: Sequence[Any], comm: Communicator) -> int:
    """How many examples there are in all arguments that are cut."""
    lengths = {spec_of(as_leaf(leaf)).shape[:1] for leaf in flatten(batches)[0]}
    if len(lengths) != 1 or () in lengths:
        found = ", ".join(str(own[0]) if own else "none" for own in sorted(lengths)) or "no batch"
        raise ValueError(
            f"data_parallel: the arguments that are cut have lengths {found}{at_user_line()}; there must be one. Say "
            "with batch= which arguments are batches"
        )
    ((length,),) = lengths
    if length < comm.size:
        raise ValueError(f"data_parallel: {length} examples are fewer than {comm.size} processes{at_user_line()}")
    return length


def weighted_mean(tree: Any, weights: Weights, dtype: Any, comm: Communicator, owned: bool = False) -> Any:
    """The sum over processes of a tree times the weight of each.

    Args:
        tree: of this process.
        weights: of all processes.
        dtype: in which arrays are sent; None for their own.
        comm: the processes.
        owned: whether nobody else has the arrays of the tree, as what a compiled program returns.
    """
    leaves, structure = flatten(tree)
    leaves = [as_leaf(leaf) for leaf in leaves]
    traced = any(isinstance(leaf, Traced) for leaf in leaves)
    if not traced and comm.size > 1:
        return structure.unflatten(packed_sum(leaves, dtype, comm, weights, owned and no_memory_twice(leaves)))
    own = [scaled(leaf, weights[comm.rank]) for leaf in leaves]
    if traced:
        return structure.unflatten(all_reduce(tuple(own), comm=comm))
    return structure.unflatten(own if dtype is None else packed_sum(own, dtype, comm))


def no_memory_twice(leaves: Sequence[Any]) -> bool:
    """Whether large arrays are in memory that can be written to, each in its own."""
    large = [leaf for leaf in leaves if getattr(leaf, "nbytes", 0) >= LARGE]
    ends = sorted(np.lib.array_utils.byte_bounds(leaf) for leaf in large)
    return all(leaf.flags.writeable for leaf in large) and all(a[1] <= b[0] for a, b in pairwise(ends))


def packed_sum(
    leaves: Sequence[Any], dtype: Any, comm: Communicator, weights: Weights = (), owned: bool = False
) -> list[Any]:
    """The sums over all processes of plain leaves, of which the small ones of a dtype are one message.

    Args:
        leaves: arrays and numbers.
        dtype: in which arrays are sent; None for their own.
        comm: the processes.
        weights: by which the leaves of each process are multiplied; empty for nothing.
        owned: whether sums may be put where the leaves are.
    """
    leaves = [leaf if hasattr(leaf, "dtype") else np.asarray(leaf) for leaf in leaves]
    if weights and not all(weighs_alike(leaf, sent_dtype(leaf, dtype)) for leaf in leaves):
        leaves, weights = [np.asarray(scaled(leaf, weights[comm.rank])) for leaf in leaves], ()
    out: list[Any] = [None] * len(leaves)
    groups: dict[Any, list[int]] = {}
    for place, leaf in enumerate(leaves):
        sent = sent_dtype(leaf, dtype)
        groups.setdefault((sent, place if leaf.size * sent.itemsize >= LARGE else None), []).append(place)
    for (sent, _), places in groups.items():
        flat = packed([leaves[place] for place in places], sent)
        total = COLLECTIVES["all_reduce"].evaluate(flat, comm=comm, weights=weights, reuse=owned or len(places) > 1)
        like = [(leaves[place].shape, leaves[place].dtype) for place in places]
        for place, found in zip(places, unpacked(total, like), strict=True):
            out[place] = found
    return out


def check_equal(tree: Any, comm: Communicator | None = None) -> None:
    """Make sure that all processes have the same tree, to the last bit.

    Args:
        tree: arrays and numbers.
        comm: who takes part; all processes if None.

    Raises:
        MismatchError: in all of them, naming leaves and the processes that differ from process 0.

    >>> check_equal({"w": np.ones(3)})
    """
    texts = differences(tree, world() if comm is None else comm)
    if texts:
        raise MismatchError(
            f"parameters differ from those of process 0{at_user_line()}: {texts}. Begin with the same seed, or give "
            "them to all by distributed.broadcast"
        )


def differences(tree: Any, comm: Communicator) -> str:
    """Which leaves of which processes differ from those of process 0; empty where none does."""
    leaves = [np.asarray(as_leaf(leaf)) for leaf in flatten(tree)[0]]
    own = {
        name: (str(leaf.dtype), leaf.shape, crc32(leaf.tobytes()))
        for name, leaf in zip(names(tree), leaves, strict=True)
    }
    everywhere = comm.gather_objects(own)
    differing = {
        name: [rank for rank, found in enumerate(everywhere) if found.get(name) != everywhere[0].get(name)]
        for name in dict.fromkeys(name for found in everywhere for name in found)
    }
    texts = [f"{name or 'the value'} of {ranks_text(ranks)}" for name, ranks in differing.items() if ranks]
    return "; ".join(texts[:5]) + (f" and {len(texts) - 5} more" if len(texts) > 5 else "")


def average_gradients(model: Any, comm: Communicator | None = None, dtype: Any = None) -> None:
    """Replace the gradients of Variables by their means over all processes: between ``backward`` and ``update``.

    Args:
        model: a link, or parameters. Those without gradients in all processes stay so.
        comm: who takes part; all processes if None.
        dtype: in which gradients are sent, such as ``np.float16``.

    Raises:
        MismatchError: if a parameter has a gradient in some processes only.

    >>> from autodiff import Parameter
    >>> w = Parameter(np.ones(2))
    >>> w.grad = np.ones(2)
    >>> average_gradients([w])
    >>> w.grad
    array([1., 1.])
    """
    comm = world() if comm is None else comm
    found = parameters_of(model)
    missing = missing_gradients(found, comm)
    present = [parameter for k, parameter in enumerate(found) if k not in missing]
    means = packed_sum([parameter.grad / comm.size for parameter in present], dtype, comm)
    for parameter, mean in zip(present, means, strict=True):
        parameter.grad = mean


def parameters_of(model: Any) -> list[Any]:
    """The parameters of a link, or those that were given."""
    return list(model.params()) if hasattr(model, "params") else list(model)


def missing_gradients(parameters: Sequence[Any], comm: Communicator) -> list[int]:
    """The numbers of the parameters that have no gradient.

    Raises:
        MismatchError: if these are others in some processes.
    """
    missing: list[list[int]] = comm.gather_objects([k for k, p in enumerate(parameters) if p.grad is None])
    if any(own != missing[0] for own in missing):
        texts = "; ".join(f"process {rank} has none for {own or 'nothing'}" for rank, own in enumerate(missing))
        raise MismatchError(f"gradients are there in some processes only{at_user_line()}, by numbers: {texts}")
    return missing[0]
