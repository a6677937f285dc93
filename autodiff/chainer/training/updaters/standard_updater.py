"""One update with one minibatch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.chainer.backend import get_device
from autodiff.chainer.dataset.convert import concat_examples
from autodiff.chainer.training._updater import Updater
from autodiff.chainer.training.conversion import called, converted, named
from autodiff.chainer.training.triggers.progress import as_number
from autodiff.facade.settings.devices import CPU


class StandardUpdater(Updater):
    """Takes a minibatch from the iterator, and lets the optimizer reduce the loss on it.

    A subclass with several iterators or optimizers overrides :meth:`update_core`.

    Args:
        iterator: the iterator of the training data, or a dict of iterators with ``main``.
        optimizer: the optimizer, set up with the model, or a dict of optimizers, of any names;
            :meth:`update_core` as it is here updates ``main``.
        converter: makes arrays of a minibatch: ``converter(batch, device)``. A tuple becomes the arguments of the
            loss function, a dict its keywords.
        device: where the models and the minibatches are sent to; they stay where they are if None.
        loss_func: the loss; the target of the optimizer by default.
        loss_scale: a factor for the loss in backpropagation, which the optimizers take out again.
        auto_new_epoch: whether ``optimizer.new_epoch()`` is called at the end of each epoch.
        input_device: where the minibatches are sent to, if not to ``device``.

    Attributes:
        iteration: how many updates there were.
    """

    def __init__(
        self,
        iterator: Any,
        optimizer: Any,
        converter: Callable[..., Any] = concat_examples,
        device: Any = None,
        loss_func: Callable[..., Any] | None = None,
        loss_scale: float | None = None,
        auto_new_epoch: bool = True,
        *,
        input_device: Any = None,
    ) -> None:
        self._iterators = named(iterator)
        self._optimizers = named(optimizer)
        self.converter = converter
        self.loss_func = loss_func
        self.iteration = 0
        self._device = None if device is None else get_device(device)
        self._input_device = self._device if input_device is None else get_device(input_device)
        self.loss_scale = loss_scale
        self.auto_new_epoch = auto_new_epoch
        for each in self._optimizers.values():
            if self._device is not None:
                each.target.to_device(self._device)
            if loss_scale is not None:
                each.set_loss_scale(loss_scale)
        if auto_new_epoch:
            for each in self._optimizers.values():
                each.use_auto_new_epoch = True

    @property
    def device(self) -> Any:
        """Where the models were sent to."""
        return self._device

    @device.setter
    def device(self, device: Any) -> None:
        """What a subclass sets that calls no constructor, as those of Chainer 2 do: a number, too, which stays one."""
        self._device = self._input_device = device

    @property
    def input_device(self) -> Any:
        """Where the minibatches are sent to."""
        return self._input_device

    @property
    def epoch(self) -> int:
        """How many epochs of the main iterator are complete."""
        return self._iterators["main"].epoch  # type: ignore[no-any-return]

    @property
    def epoch_detail(self) -> float:
        """The same with the fraction of the current one."""
        return self._iterators["main"].epoch_detail  # type: ignore[no-any-return]

    @property
    def previous_epoch_detail(self) -> float | None:
        """What it was before the last update."""
        return self._iterators["main"].previous_epoch_detail  # type: ignore[no-any-return]

    @property
    def is_new_epoch(self) -> bool:
        """Whether the last update completed an epoch."""
        return self._iterators["main"].is_new_epoch  # type: ignore[no-any-return]

    def get_iterator(self, name: str) -> Any:
        """The iterator of that name."""
        return self._iterators[name]

    def get_optimizer(self, name: str) -> Any:
        """The optimizer of that name."""
        return self._optimizers[name]

    def get_all_optimizers(self) -> dict[str, Any]:
        """All optimizers by name."""
        return dict(self._optimizers)

    def update(self) -> None:
        """Update the parameters once, and count it."""
        self.update_core()
        self.iteration += 1

    def update_core(self) -> None:
        """Update the parameters once."""
        iterator, optimizer = self._iterators["main"], self._optimizers["main"]
        with (CPU if self.device is None else get_device(self.device)).create_context():
            arrays = converted(self.converter, iterator.next(), self.input_device)
            called(optimizer.update, arrays, self.loss_func or optimizer.target)
        self.count_epoch()

    def count_epoch(self) -> None:
        """Tell the main optimizer if an epoch is complete."""
        if self.auto_new_epoch and self._iterators["main"].is_new_epoch:
            self._optimizers["main"].new_epoch(auto=True)

    def finalize(self) -> None:
        """Finalize the iterators."""
        for iterator in self._iterators.values():
            iterator.finalize()

    def serialize(self, serializer: Any) -> None:
        """Save or restore the iterators, the optimizers, their models and the number of updates."""
        for name, iterator in self._iterators.items():
            iterator.serialize(serializer[f"iterator:{name}"])
        for name, optimizer in self._optimizers.items():
            optimizer.serialize(serializer[f"optimizer:{name}"])
            optimizer.target.serialize(serializer[f"model:{name}"])
        self.iteration = as_number(serializer("iteration", self.iteration))
