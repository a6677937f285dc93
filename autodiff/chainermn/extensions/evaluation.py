"""Evaluation in several processes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import MethodType
from typing import Any

from autodiff.chainer.backend import get_device
from autodiff.chainer.dataset.convert import concat_examples
from autodiff.chainer.training.conversion import called, converted
from autodiff.chainer.training.extension import PRIORITY_WRITER, Extension
from autodiff.facade.settings.mode import no_backprop_mode
from autodiff.trace.source import at_user_line


def create_multi_node_evaluator(actual_evaluator: Any, communicator: Any) -> Any:
    """The evaluator itself, whose results are the means over all processes from now on.

    Args:
        actual_evaluator: an evaluator, over this process's part of the dataset.
        communicator: the communicator.
    """
    actual_evaluator._mn_original_evaluate = actual_evaluator.evaluate
    actual_evaluator._mn_communicator = communicator

    def evaluate(self: Any) -> dict[str, Any]:
        own = self._mn_original_evaluate()
        total = self._mn_communicator.allreduce_obj(dict(sorted(own.items())))
        return {name: value / self._mn_communicator.size for name, value in total.items()}

    actual_evaluator.evaluate = MethodType(evaluate, actual_evaluator)
    return actual_evaluator


class GenericMultiNodeEvaluator(Extension):
    """Evaluates batches in all processes, however many each has, and hands all results to one of them.

    Override :meth:`calc_local` and :meth:`aggregate`.

    Args:
        comm: the communicator.
        iterator: of this process's part of the dataset; it does not repeat.
        target: the model.
        device: where batches are sent to; they stay where they are if None.
        converter: makes arrays of a batch.
        root: the process that gets the results.
        kwargs: ``progress_hook`` = None: called in process ``root`` with each of its batches.
    """

    trigger = (1, "epoch")
    default_name = "validation"
    priority = PRIORITY_WRITER
    name: str | None = None

    def __init__(
        self,
        comm: Any,
        iterator: Any,
        target: Any,
        device: Any = None,
        converter: Callable[..., Any] = concat_examples,
        root: int = 0,
        **kwargs: Any,
    ) -> None:
        self._progress_hook = kwargs.pop("progress_hook", None)
        if kwargs:
            raise TypeError(f"GenericMultiNodeEvaluator has no option {', '.join(kwargs)}{at_user_line()}")
        if not 0 <= root < comm.size:
            raise ValueError(f"root={root} is none of the {comm.size} processes{at_user_line()}")
        self.comm, self.iterator, self.converter, self.root = comm, iterator, converter, root
        self._targets = {"main": target}
        self.device = None if device is None else get_device(device)

    def __call__(self, trainer: Any = None) -> Any:
        """What :meth:`aggregate` makes of the results, in process ``root``; None in the others."""
        iterator = self.iterator
        if hasattr(iterator, "reset"):
            iterator.reset()
        else:
            iterator = copy.copy(iterator)
        results = [self._result(batch) for batch in iterator]
        everywhere = self.comm.gather_obj(results, root=self.root)
        if everywhere is None:
            return None
        rounds = range(max(map(len, everywhere), default=0))
        return self.aggregate([own[k] for k in rounds for own in everywhere if k < len(own)])

    def _result(self, batch: Any) -> Any:
        with no_backprop_mode():
            found = called(self.calc_local, converted(self.converter, batch, self.device))
        if self._progress_hook is not None and self.comm.rank == self.root:
            self._progress_hook(batch)
        return found

    def calc_local(self, *args: Any, **kwargs: Any) -> Any:
        """The result of one batch: what the model gives of it."""
        return self._targets["main"](*args, **kwargs)

    def aggregate(self, results: list[Any]) -> Any:
        """What is made of all results, in the order of batches and ranks: the results themselves."""
        return results
