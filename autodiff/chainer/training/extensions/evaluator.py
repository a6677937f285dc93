"""The mean of what a model reports over a validation set."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from autodiff.chainer.backend import get_device
from autodiff.chainer.dataset.convert import concat_examples
from autodiff.chainer.reporter import DictSummary, Reporter, report, report_scope
from autodiff.chainer.training.conversion import called, converted, named
from autodiff.chainer.training.extension import PRIORITY_WRITER, Extension
from autodiff.chainer.training.extensions.util import ProgressBar
from autodiff.facade.settings.configuration import using_config
from autodiff.facade.settings.devices import CPU
from autodiff.facade.settings.mode import no_backprop_mode


class Evaluator(Extension):
    """Calls the model on all minibatches of an iterator, and reports the means as ``validation/main/loss``.

    It does so without a graph and with ``config.train`` False. A subclass may override :meth:`evaluate`.

    Args:
        iterator: the iterator of the validation set, made with ``repeat=False``, or a dict of iterators with ``main``.
        target: the model, or a dict of links with ``main``.
        converter: makes arrays of a minibatch: ``converter(batch, device)``.
        device: where the minibatches are sent to; they stay where they are if None.
        eval_hook: called with the evaluator before each evaluation.
        eval_func: called instead of the model.
        progress_bar: whether to show the progress.

    Attributes:
        name: the first part of the reported names; the trainer sets it to ``validation`` by default.
    """

    trigger = (1, "epoch")
    default_name = "validation"
    priority = PRIORITY_WRITER

    def __init__(
        self,
        iterator: Any,
        target: Any,
        converter: Callable[..., Any] = concat_examples,
        device: Any = None,
        eval_hook: Callable[[Any], Any] | None = None,
        eval_func: Callable[..., Any] | None = None,
        *,
        progress_bar: bool = False,
    ) -> None:
        self._iterators = named(iterator)
        self._targets = named(target)
        self.converter = converter
        self.device = None if device is None else get_device(device)
        self.eval_hook = eval_hook
        self.eval_func = eval_func
        self._progress_bar = progress_bar
        for name, each in self._iterators.items():
            if getattr(each, "repeat", False):
                warnings.warn(
                    f"the iterator {name!r} given to an Evaluator repeats, so the evaluation may never end; "
                    "make it with repeat=False",
                    stacklevel=2,
                )

    def get_iterator(self, name: str) -> Any:
        """The iterator of that name."""
        return self._iterators[name]

    def get_all_iterators(self) -> dict[str, Any]:
        """All iterators by name."""
        return dict(self._iterators)

    def get_target(self, name: str) -> Any:
        """The link of that name."""
        return self._targets[name]

    def get_all_targets(self) -> dict[str, Any]:
        """All links by name."""
        return dict(self._targets)

    def __call__(self, trainer: Any = None) -> dict[str, Any]:
        """Evaluate, and report the result.

        Args:
            trainer: not used; an evaluator may be called by itself.

        Returns:
            The means by name.
        """
        reporter = Reporter()
        prefix = f"{self.name}/" if self.name else ""
        for name, target in self._targets.items():
            reporter.add_observer(prefix + name, target)
            reporter.add_observers(prefix + name, target.namedlinks(skipself=True))
        with reporter, using_config("train", False):
            result = self.evaluate()
        report(result)
        return result

    def evaluate(self) -> dict[str, Any]:
        """The means of what is reported over all minibatches; called while a reporter is current."""
        if self.eval_hook:
            self.eval_hook(self)
        iterator = from_start(self._iterators["main"])
        summary = DictSummary()
        for batch in IteratorProgressBar(iterator).shown() if self._progress_bar else iterator:
            observation: dict[str, Any] = {}
            with report_scope(observation), no_backprop_mode(), (self.device or CPU).create_context():
                arrays = converted(self.converter, batch, self.device)
                called(self.eval_func or self._targets["main"], arrays)
            summary.add(observation)
        return summary.compute_mean()

    def finalize(self) -> None:
        """Finalize the iterators."""
        for iterator in self._iterators.values():
            iterator.finalize()


def from_start(iterator: Any) -> Any:
    """The iterator, reset; or a copy of one that cannot be."""
    if hasattr(iterator, "reset"):
        iterator.reset()
        return iterator
    warnings.warn(
        f"{type(iterator).__name__} has no reset(); an Evaluator copies such an iterator, which is deprecated",
        DeprecationWarning,
        stacklevel=3,
    )
    return copy.copy(iterator)


class IteratorProgressBar(ProgressBar):
    """How far an iterator over a data set has come."""

    def __init__(self, iterator: Any, bar_length: int | None = None, out: Any = None) -> None:
        super().__init__(bar_length, out)
        self.iterator = iterator

    def shown(self) -> Iterable[Any]:
        """The minibatches, with the bar drawn before each of them is used."""
        for batch in self.iterator:
            self.update()
            yield batch
        self.close()

    def get_lines(self) -> list[str]:
        """Three lines: the bar, the count and the speed."""
        fraction = self.iterator.epoch_detail
        length = len(self.iterator.dataset) if hasattr(self.iterator, "dataset") else 0
        position = min(round(fraction * length), length)
        return [
            f"validation {self.bar(fraction)}\n",
            f"{position:10} / {length} iterations\n",
            self.speed_line(position, fraction, length - position),
        ]


_IteratorProgressBar = IteratorProgressBar  # the name by which evaluators of programs know it
