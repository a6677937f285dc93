"""Gradients that leave while a compiled program computes the others.

A program says of each output when it is there (:mod:`autodiff.backends.announcing`). Gradients are put into the buckets
of :mod:`~autodiff.distributed.overlap` then, and messages go on after each operation. The program is the one that runs
otherwise, and so are the bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from autodiff.distributed.communicator import Communicator
from autodiff.distributed.overlap import Buckets
from autodiff.distributed.packing import sent_dtype
from autodiff.distributed.sums import Weights
from autodiff.trace.traced import Traced
from autodiff.transforms.gradient import value_and_grad
from autodiff.transforms.jit.function import jit
from autodiff.transforms.jit.recorded import Recorded
from autodiff.transforms.transformed import TransformedFunction


class OverlappedProgram:
    """A program of ``grad`` or ``value_and_grad``, whose gradients are summed over all processes while it runs.

    Args:
        fun: ``jit`` of a gradient.
        gradient: what ``grad`` or ``value_and_grad`` has made.
        weights: by which the gradients of each process are multiplied.
        dtype: in which they are sent; None for their own.
        limit: a bucket with so many bytes is full.
        comm: the processes.

    Attributes:
        done: whether it has summed. It does not where all gradients together fill no bucket, the function itself sends
            messages, arguments are traced, something is on a GPU or a gradient is a Python number.
    """

    def __init__(
        self, fun: jit, gradient: TransformedFunction, weights: Weights, dtype: Any, limit: int, comm: Communicator
    ) -> None:
        self.fun, self.gradient = fun, gradient
        self.weights, self.dtype, self.limit, self.comm = weights, dtype, limit, comm
        self.done = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found, leaves = self.fun.recorded(args, kwargs)
        first, last = gradient_leaves(self.gradient, found)
        like = found.program.tape.output_specs[first:last]
        nbytes = sum(own.size * sent_dtype(own, self.dtype).itemsize for own in like)
        unusual = found.captures or found.on_gpu or found.program.ordered
        if unusual or nbytes <= self.limit or any(own.kind == "python" for own in like):
            return self.fun(*args, **kwargs)
        if any(isinstance(leaf, Traced) for leaf in leaves):
            return self.fun(*args, **kwargs)
        self.done = True
        with Buckets(like, self.dtype, self.limit, self.comm, self.weights) as buckets:
            gradients = Gradients(buckets, first)
            outs = found.run_for(gradients, leaves)
            whole = (*outs[:first], *gradients.finish(outs[first:last]), *outs[last:])
        return whole[0] if found.rebuild is None else found.rebuild(whole)


class Gradients:
    """What puts the gradients of a program into buckets.

    Args:
        buckets: where they go.
        first: the number of the first gradient among the program's outputs.
    """

    def __init__(self, buckets: Buckets, first: int) -> None:
        self.buckets, self.first = buckets, first

    def ready(self, place: int, value: Any) -> None:
        """An output is there."""
        own = place - self.first
        if 0 <= own < len(self.buckets.found):
            self.buckets.put(own, value)

    def between(self) -> None:
        """An operation is done."""
        self.buckets.pipeline.poll()

    def finish(self, gradients: Sequence[Any]) -> list[Any]:
        """All sums, from all gradients."""
        for place, gradient in enumerate(gradients):
            if self.buckets.found[place] is None:
                self.buckets.put(place, gradient)
        return self.buckets.finish()


def gradient_leaves(gradient: TransformedFunction, found: Recorded) -> tuple[int, int]:
    """Which of a program's outputs are the gradient: from one to another."""
    make, (_, _, has_aux, _) = gradient.made
    assert isinstance(make, partial)
    if make.func is value_and_grad:
        return found.results.children[0].count, found.results.count
    return 0, found.results.children[0].count if has_aux else found.results.count
