"""Update rules: how one parameter is changed by its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.hookable import Hooks
from autodiff.chainer.hyperparameter import Hyperparameter
from autodiff.chainer.serializer import Deserializer
from autodiff.facade.variables.parameter import Parameter
from autodiff.facade.variables.variable import is_array


class UpdateRule:
    """Changes one parameter by its gradient.

    Subclasses define :meth:`update_core`, or :meth:`update_core_cpu` and :meth:`update_core_gpu`, and
    :meth:`init_state` where they keep arrays between updates.

    Args:
        parent_hyperparam: the hyperparameters to inherit from, usually the optimizer's.

    Attributes:
        enabled: whether :meth:`update` does anything.
        hyperparam: its own hyperparameters.
        t: how often it has updated.
        state: the arrays it keeps, by name; None before the first update.

    >>> class Descent(UpdateRule):
    ...     def update_core(self, param):
    ...         param.array -= 0.5 * param.grad
    >>> param = Parameter(np.array([1.0, 2.0]))
    >>> param.update_rule = Descent()
    >>> param.grad = np.ones(2)
    >>> param.update()
    >>> param
    variable([0.5, 1.5])
    """

    is_elementwise = False
    _state: dict[str, Any] | None = None
    _use_fp32_update = False
    _fp32_param: Parameter | None = None

    def __init__(self, parent_hyperparam: Hyperparameter | None = None) -> None:
        self.hyperparam = Hyperparameter(parent_hyperparam)
        self.enabled = True
        self.t = 0
        self._hookable = Hooks()

    @property
    def state(self) -> dict[str, Any] | None:
        """The arrays that it keeps, by name; None before the first update."""
        return self._state

    def add_hook(self, hook: Any, name: str | None = None, timing: str = "auto") -> None:
        """Call ``hook(rule, param)`` at every update.

        Args:
            hook: the function.
            name: what it is called; its attribute ``name``, or the name of the function, if None.
            timing: ``"pre"`` or ``"post"`` the change; ``"auto"`` takes the attribute ``timing`` of the hook, or pre.

        Raises:
            TypeError: if it is not callable.
            ValueError: for a wrong timing, and if there is no name.
            KeyError: if there is one of that name.
        """
        self._hookable.add(hook, name, timing)

    def remove_hook(self, name: str) -> None:
        """Forget a hook.

        Raises:
            KeyError: if there is none of that name.
        """
        self._hookable.remove(name)

    def update(self, param: Any) -> None:
        """Change the parameter in place by its gradient, unless :attr:`enabled` is False."""
        if not self.enabled:
            return
        self.t += 1
        with param.device.create_context():
            if self._use_fp32_update and param.dtype == np.float16:
                self._update_in_float32(param)
            else:
                self._update(param)

    def _update_in_float32(self, param: Any) -> None:
        """Update a float32 copy that is kept, and round it to the parameter."""
        if self._fp32_param is None:
            self._fp32_param = Parameter(param.array.astype(np.float32), name=param.name)
        precise = self._fp32_param
        precise.to_device(param.device)
        precise.grad = None if param.grad is None else param.grad.astype(np.float32)
        precise._loss_scale = param._loss_scale
        self._update(precise)
        param.array[...] = precise.array
        precise.grad = None

    def _update(self, param: Any) -> None:
        """Take the loss scale out of the gradient, and change the parameter between the hooks, which see the state."""
        if param.array is not None:
            self._init_states(param)
        if param._loss_scale is not None and param.grad is not None:
            param.grad = param.xp.asarray(param.grad / param._loss_scale)
            param._loss_scale = None
        for hook in self._hookable.at("pre"):
            hook(self, param)
        self.update_core(param)
        for hook in self._hookable.at("post"):
            hook(self, param)

    def _init_states(self, param: Any) -> None:
        """Have a state that lives where the parameter does. Rules that hold another rule prepare its state here too."""
        if self._state is None:
            self._state = {}
            self.init_state(param)
        device = param.device
        for name, value in self._state.items():
            if is_array(value) and not device.is_array_supported(value):
                self._state[name] = device.send(value)

    def init_state(self, param: Any) -> None:
        """Put the arrays to be kept between updates into :attr:`state`; called before the first update.

        Args:
            param: a parameter; use only its shape, dtype and array module.
        """

    def update_core(self, param: Any) -> None:
        """Change the parameter: by :meth:`update_core_cpu` if it is a NumPy array, else :meth:`update_core_gpu`."""
        if get_array_module(param.array) is np:
            self.update_core_cpu(param)
        else:
            self.update_core_gpu(param)

    def update_core_cpu(self, param: Any) -> None:
        """Change a parameter that is a NumPy array."""
        raise NotImplementedError(f"{type(self).__name__} must define update_core_cpu(self, param), or update_core")

    def update_core_gpu(self, param: Any) -> None:
        """Change a parameter that is a CuPy array."""
        raise NotImplementedError(f"{type(self).__name__} must define update_core_gpu(self, param), or update_core")

    def update_core_chainerx(self, param: Any) -> None:
        """Change a parameter that is an array of ChainerX; there are none here, so it is never called."""
        raise NotImplementedError(f"{type(self).__name__}: arrays of ChainerX are not supported")

    def use_fp32_update(self, flag: bool = True) -> None:
        """Whether a float16 parameter is updated through a float32 copy of it."""
        self._use_fp32_update = flag
        if not flag:
            self._fp32_param = None

    def serialize(self, serializer: Any) -> None:
        """Read or write :attr:`t` and the state: ``serializer("t", t)``, then one call for each array.

        A state is read only where it was written: a snapshot from before the first update has none.
        """
        self.t = serializer("t", self.t)
        if self._state is not None:
            self._serialize_state(serializer)
        elif isinstance(serializer, Deserializer):
            self._state = self._read_state(serializer)

    def _serialize_state(self, serializer: Any) -> None:
        assert self._state is not None
        for name, value in self._state.items():
            self._state[name] = serializer(name, value)

    def _read_state(self, serializer: Any) -> dict[str, Any] | None:
        """The state that a snapshot holds, None if any of it is missing from before the first update."""
        names = self._state_names()
        try:
            state = {name: serializer(name, None) for name in names}
        except KeyError:
            if self.t == 0:
                return None
            raise
        return None if any(value is None for value in state.values()) else state

    def _state_names(self) -> list[str]:
        """What :meth:`init_state` calls the arrays, found by calling it for a parameter of one element."""
        self._state = {}
        self.init_state(Parameter(np.zeros(1, np.float32)))
        names, self._state = list(self._state), None
        return names
