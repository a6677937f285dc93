"""One update with the parts of a minibatch on several devices."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from autodiff.chainer.backend import get_device, using_device
from autodiff.chainer.dataset.convert import concat_examples
from autodiff.chainer.training.conversion import called, converted
from autodiff.chainer.training.updaters.standard_updater import StandardUpdater
from autodiff.facade.settings.mode import force_backprop_mode
from autodiff.trace.source import at_user_line


class ParallelUpdater(StandardUpdater):
    """Splits each minibatch among copies of the model, and updates with the sum of their gradients.

    Args:
        iterator: the iterator of the training data, or a dict of iterators with ``main``.
        optimizer: the optimizer, set up with the main model, or a dict with ``main``.
        converter: makes arrays of a part of a minibatch.
        models: the copies by name, if the main model shall not be copied.
        devices: the devices by name, ``main`` among them.
        loss_func: the loss; each model itself by default.
        loss_scale: a factor for the losses in backpropagation.
        auto_new_epoch: whether ``optimizer.new_epoch()`` is called at the end of each epoch.

    Raises:
        ValueError: if neither models nor devices are given.
        KeyError: if there is no ``main`` among the devices.
    """

    def __init__(
        self,
        iterator: Any,
        optimizer: Any,
        converter: Callable[..., Any] = concat_examples,
        models: dict[str, Any] | None = None,
        devices: dict[str, Any] | None = None,
        loss_func: Callable[..., Any] | None = None,
        loss_scale: float | None = None,
        auto_new_epoch: bool = True,
    ) -> None:
        super().__init__(
            iterator, optimizer, converter, None, loss_func, loss_scale=loss_scale, auto_new_epoch=auto_new_epoch
        )
        if models is None:
            models = copies(self._optimizers["main"].target, devices)
        self._models = models
        self._devices = devices or {name: model.device for name, model in models.items()}

    def _others(self) -> dict[str, Any]:
        target = self._optimizers["main"].target
        return {name: model for name, model in self._models.items() if model is not target}

    def connect_trainer(self, trainer: Any) -> None:
        """Let the trainer know the copies, so that what they report has a name."""
        for name, model in self._others().items():
            trainer.reporter.add_observer(name, model)
            trainer.reporter.add_observers(name, model.namedlinks(skipself=True))

    def update_core(self) -> None:
        """Update the main model once, and give its parameters to the copies."""
        optimizer = self._optimizers["main"]
        losses = self._losses(self._iterators["main"].next())
        for model in self._models.values():
            model.cleargrads()
        for loss in losses:
            loss.backward(loss_scale=self.loss_scale)
        others = self._others().values()
        for model in others:
            optimizer.target.addgrads(model)
        optimizer.update()
        for model in others:
            model.copyparams(optimizer.target)
        self.count_epoch()

    def _losses(self, batch: Any) -> list[Any]:
        losses = []
        for index, (name, model) in enumerate(self._models.items()):
            device = get_device(self._devices[name])
            arrays = converted(self.converter, batch[index :: len(self._models)], device)
            with force_backprop_mode(), using_device(device):
                losses.append(called(self.loss_func or model, arrays))
        return losses


def copies(target: Any, devices: dict[str, Any] | None) -> dict[str, Any]:
    """The model on its device, and copies of it on the others."""
    if devices is None:
        raise ValueError(
            f"either models or devices must be specified{at_user_line()}, for example devices={{'main': 0, "
            "'second': 1}"
        )
    if "main" not in devices:
        raise KeyError(f"'devices' must contain a 'main' key{at_user_line()}; it has {', '.join(map(repr, devices))}")
    models = {name: target if name == "main" else copy.deepcopy(target) for name in devices}
    for name, model in models.items():
        model.to_device(get_device(devices[name]))
    return models
