"""Hyperparameters: values that rules inherit from their optimizer."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.source import at_user_line


class Hyperparameter:
    """Values as attributes; what is not set here is looked up in ``parent``.

    Args:
        parent: the hyperparameters to inherit from.

    >>> common = Hyperparameter()
    >>> common.lr = 0.1
    >>> own = Hyperparameter(common)
    >>> own.lr
    0.1
    >>> own.lr = 0.5
    >>> own, common
    (Hyperparameter(lr=0.5), Hyperparameter(lr=0.1))
    """

    def __init__(self, parent: Hyperparameter | None = None) -> None:
        self._parent = parent

    def __getattr__(self, name: str) -> Any:
        parent = self.__dict__.get("_parent")
        if parent is None:
            raise AttributeError(f"there is no hyperparameter {name!r}{at_user_line()}")
        return getattr(parent, name)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        values = sorted(self.get_dict().items())
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in values)})"

    @property
    def parent(self) -> Hyperparameter | None:
        """The hyperparameters that it inherits from."""
        return self._parent

    def get_dict(self) -> dict[str, Any]:
        """All values by name, the inherited ones included."""
        values = {} if self._parent is None else self._parent.get_dict()
        values.update(self.__dict__)
        del values["_parent"]
        return values


class HyperparameterProxy:
    """An attribute of an optimizer that stands for one of ``optimizer.hyperparam``.

    Args:
        attr_name: the name of the hyperparameter.

    >>> class Halving:
    ...     lr = HyperparameterProxy("lr")
    ...
    ...     def __init__(self):
    ...         self.hyperparam = Hyperparameter()
    >>> optimizer = Halving()
    >>> optimizer.lr = 0.5
    >>> optimizer.hyperparam
    Hyperparameter(lr=0.5)
    """

    def __init__(self, attr_name: str) -> None:
        self._attr_name = attr_name
        self.__doc__ = f"Alias of ``self.hyperparam.{attr_name}``."

    def __get__(self, optimizer: Any, kind: Any = None) -> Any:
        return self if optimizer is None else getattr(optimizer.hyperparam, self._attr_name)

    def __set__(self, optimizer: Any, value: Any) -> None:
        setattr(optimizer.hyperparam, self._attr_name, value)


def defaults(**values: Any) -> Hyperparameter:
    """Hyperparameters of their own, with these values: what an update rule inherits from without an optimizer."""
    hyperparam = Hyperparameter()
    hyperparam.__dict__.update(values)
    return hyperparam


def override(hyperparam: Hyperparameter, **values: Any) -> None:
    """Set the values that are not None."""
    for name, value in values.items():
        if value is not None:
            setattr(hyperparam, name, value)


def weak(value: Any) -> Any:
    """A NumPy number as a Python number, whose dtype gives way to that of the arrays it meets."""
    return value.item() if isinstance(value, np.generic) else value
