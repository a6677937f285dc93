"""Registering parameters and persistent values with a link."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from autodiff.chainer.device_resident import DeviceResident
from autodiff.facade.variables.parameter import Constant, Parameter
from autodiff.trace.source import at_user_line


class SetByConstructor:
    """An attribute that every constructor sets; without it, reading says which call is missing."""

    def __get__(self, link: Any, owner: Any = None) -> Any:
        if link is None:
            return self
        raise not_initialised(link)


class Registering(DeviceResident):
    """What has parameters and persistent values as attributes, and knows their names."""

    _params: set[str] = SetByConstructor()  # type: ignore[assignment]
    _persistent: set[str] = SetByConstructor()  # type: ignore[assignment]
    _awaited: set[str]
    _within_init_scope = False

    @property
    def within_init_scope(self) -> bool:
        """Whether what is assigned now is registered."""
        return self._within_init_scope

    def init_scope(self) -> AbstractContextManager[None]:
        """A context in which Parameters that are assigned to attributes are registered."""
        check_initialised(self)
        return self._scope()

    @contextlib.contextmanager
    def _scope(self) -> Iterator[None]:
        before, self._within_init_scope = self._within_init_scope, True
        try:
            yield
        finally:
            self._within_init_scope = before

    def __setattr__(self, name: str, value: Any) -> None:
        if self._within_init_scope:
            self._register(name, value)
        super().__setattr__(name, value)

    def _register(self, name: str, value: Any) -> None:
        """Note what is assigned within :meth:`init_scope`."""
        if isinstance(value, Parameter):
            value.name = name
            self._params.add(name)
            self._persistent.discard(name)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        self._params.discard(name)
        self._persistent.discard(name)

    def add_param(self, name: str, shape: Any = None, dtype: Any = np.float32, initializer: Any = None) -> None:
        """Register a new Parameter.

        Args:
            name: the attribute that holds it.
            shape: its shape; None if it is known later.
            dtype: its dtype, where there is no ``initializer``.
            initializer: as for :class:`Parameter`; NaN if None.
        """
        check_initialised(self)
        if initializer is None:
            initializer = Constant(np.nan, dtype)
        if name in self.__dict__.get("_awaited", ()):
            self._awaited.discard(name)
            param = getattr(self, name)
            param.initializer = Parameter(initializer).initializer
            param.initialize(shape)
            return
        check_new(self, name, "parameter")
        with self.init_scope():
            setattr(self, name, Parameter(initializer, shape))

    def add_uninitialized_param(self, name: str) -> None:
        """Register a Parameter that :meth:`add_param` gives its shape. Deprecated: give ``add_param`` no shape.

        Args:
            name: the attribute that holds it.
        """
        warn("add_uninitialized_param() is deprecated; use add_param() without a shape, and initialize()")
        self.add_param(name)
        self.__dict__.setdefault("_awaited", set()).add(name)

    @property
    def has_uninitialized_params(self) -> bool:
        """Whether a Parameter of this link has no array yet. Deprecated: ask ``param.is_initialized``."""
        warn("has_uninitialized_params is deprecated; ask param.is_initialized")
        return any(getattr(self, name).array is None for name in self._params)

    def add_persistent(self, name: str, value: Any) -> None:
        """Register a new value that is saved and loaded with the parameters.

        Args:
            name: the attribute that holds it.
            value: an array, a number, a text.
        """
        check_initialised(self)
        check_new(self, name, "persistent value")
        setattr(self, name, value)
        self._persistent.add(name)

    def register_persistent(self, name: str) -> None:
        """Save and load the value of an attribute with the parameters.

        Args:
            name: the attribute.
        """
        if not hasattr(self, name):
            raise AttributeError(f"there is no attribute {name!r} to make persistent{at_user_line()}; assign it first")
        self._persistent.add(name)
        self._params.discard(name)


def is_shape(value: Any) -> bool:
    """Whether it is a shape: an integer, some integers, or None."""
    if value is None or isinstance(value, (int, np.integer)):
        return True
    return isinstance(value, (tuple, list)) and all(isinstance(length, (int, np.integer)) for length in value)


def shape_and_dtype(value: Any) -> tuple[Any, Any]:
    """A shape and a dtype, of which float32 need not be given."""
    if is_shape(value):
        return value, np.float32
    if isinstance(value, tuple) and len(value) == 2 and is_shape(value[0]):
        return value
    raise TypeError(
        f"a parameter is given by its shape, or by (shape, dtype), got {type(value).__name__}{at_user_line()}; an "
        "array or a Parameter is assigned within init_scope()"
    )


def check_initialised(link: Registering) -> None:
    """See that the constructor of Link has run."""
    if "_params" not in link.__dict__:
        raise not_initialised(link)


def not_initialised(link: Registering) -> RuntimeError:
    """The error where the constructor of Link has not run, or not yet."""
    return RuntimeError(
        f"Link.__init__() has not been called{at_user_line()}: {type(link).__name__}.__init__ must begin with "
        "super().__init__()"
    )


def check_new(link: Registering, name: str, kind: str) -> None:
    """See that there is no attribute of that name."""
    if name in link.__dict__:
        raise AttributeError(
            f"cannot register a new {kind} {name!r}{at_user_line()}: the attribute exists; choose another name, or "
            "delete it first"
        )


def warn(text: str, kind: type[Warning] = DeprecationWarning) -> None:
    """Tell the caller of the method."""
    warnings.warn(text, kind, stacklevel=3)
