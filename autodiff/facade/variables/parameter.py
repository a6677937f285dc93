"""Parameters: Variables that are trained, and may get their shape later."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.facade.settings.configuration import get_dtype
from autodiff.facade.settings.devices import Device, device_of
from autodiff.facade.variables.methods import warn_zerograd, zerograd
from autodiff.facade.variables.variable import Variable, is_array
from autodiff.trace.source import at_user_line

NUMBERS = (int, float, complex, np.number)


class Parameter(Variable):
    """A Variable that is registered to a link and updated by an optimizer.

    Args:
        initializer: what it holds at first: an array; a number, for all elements; a function that fills the array
            it is given (its attribute ``dtype``, if any, decides the dtype); None for NaN everywhere.
        shape: its shape. Without one an array is held as it is, and everything else waits for :meth:`initialize`.
        name: what it is called in texts.
        layout: None, which is NumPy's layout of arrays.

    Until a gradient has been computed or :meth:`cleargrad` was called, ``grad`` is full of NaN: a gradient that was
    never cleared cannot go unnoticed.

    >>> Parameter(1.5, (2,))
    variable([1.5, 1.5])
    """

    initializer: Any = None
    update_rule: Any = None
    _first_grad: str | None = None

    def __init__(
        self, initializer: Any = None, shape: Any = None, name: str | None = None, *, layout: None = None
    ) -> None:
        self.as_layout(layout)
        constant = initializer is None or is_array(initializer) or isinstance(initializer, NUMBERS)
        self.initializer = Constant(np.nan if initializer is None else initializer) if constant else initializer
        if is_array(initializer) and shape is None:
            super().__init__(initializer, name=name)
            return
        if not callable(self.initializer):
            raise TypeError(
                f"a Parameter is initialised by an array, a number, a function or None, got "
                f"{type(initializer).__name__}{at_user_line()}; np.asarray makes an array of a list"
            )
        super().__init__(name=name)
        if is_array(initializer):
            self._initial_device = device_of(initializer)
        self._first_grad = "nan"
        if shape is not None:
            self.initialize(shape)
            self._first_grad = None  # made once more it has no gradient, as in Chainer

    @property
    def is_initialized(self) -> bool:
        """Whether it has an array."""
        return self.array is not None

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the array, or the one it will have."""
        if self.array is not None:
            return self.array.dtype  # type: ignore[no-any-return]
        return self._initial_dtype()

    def _initial_dtype(self) -> np.dtype[Any]:
        dtype: np.dtype[Any] = get_dtype(getattr(self.initializer, "dtype", None))
        return dtype

    @property
    def grad(self) -> Any:
        """The gradient as an array.

        Raises:
            RuntimeError: before the Parameter is initialised, unless :meth:`cleargrad` was called.
        """
        if self.array is None and self._grad is None and self._first_grad == "nan":
            raise RuntimeError(
                f"the gradient of a Parameter without an array is not known{at_user_line()}; initialise it, assign a "
                "gradient, or call cleargrad()"
            )
        return self._grad

    @grad.setter
    def grad(self, grad: Any) -> None:
        if self.array is None:
            self._first_grad = None
        Variable.grad.fset(self, grad)  # type: ignore[attr-defined]

    def zerograd(self) -> None:
        """Make the gradient zeros, later if there is no array yet. Deprecated: use :meth:`cleargrad`."""
        if self.array is None:
            warn_zerograd()
            self._first_grad = "zero"
        else:
            zerograd(self)

    def initialize(self, shape: Any) -> None:
        """Make the array, and a gradient full of NaN."""
        shape = (shape,) if np.isscalar(shape) else tuple(shape)
        self.array = array = self._initial_array(shape)
        fill = {"nan": np.nan, "zero": 0.0}.get(self._first_grad or "")
        self._grad_var = None
        with self.device.create_context():
            self._grad = None if fill is None else self.xp.full_like(array, fill if array.dtype.kind in "fc" else 0)

    def _initial_array(self, shape: tuple[int, ...]) -> Any:
        device: Device = self.device
        with device.create_context():
            array = device.xp.empty(shape, self._initial_dtype())
            self.initializer(array)
        return array

    def update(self) -> None:
        """Let the update rule, if there is one, change the array by the gradient."""
        if self.update_rule is not None:
            self.update_rule.update(self)


class Constant:
    """An initializer that fills an array with one number, or with the numbers of another array.

    Args:
        fill_value: the number, or an array that broadcasts to those that are filled.
        dtype: the dtype of the array; None for that of the configuration when the array is made.
    """

    def __init__(self, fill_value: Any, dtype: Any = None) -> None:
        self.fill_value, self.dtype = fill_value, None if dtype is None else np.dtype(dtype)

    def __call__(self, array: Any) -> None:
        values = device_of(array).send(self.fill_value)
        try:
            array[...] = values
        except ValueError:
            raise ValueError(
                f"an initial array of shape {values.shape} does not fit into shape {array.shape}{at_user_line()}; "
                "leave the shape out, or give an array of this shape"
            ) from None
