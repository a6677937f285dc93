"""Tests of functions of one array, element by element."""

from __future__ import annotations

import unittest
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.chainer import gradient_check
from autodiff.chainer.backends.cuda import to_gpu
from autodiff.chainer.testing import attr
from autodiff.chainer.testing.array import assert_allclose
from autodiff.chainer.testing.parameterized import parameterize, product
from autodiff.facade.variables.variable import Variable

EPSILON = float(np.finfo(np.float16).eps)
FORWARD = {True: {"atol": EPSILON, "rtol": EPSILON}, False: {"atol": 1e-4, "rtol": 1e-4}}
BACKWARD = {
    True: {"eps": 2**-4, "atol": 2**-4, "rtol": 2**-4, "dtype": np.float64},
    False: {"atol": 1e-4, "rtol": 1e-4, "dtype": np.float64},
}
"""The tolerances of half precision, and of the others."""


def make_data_default(shape: tuple[int, ...], dtype: Any) -> tuple[Any, Any, Any]:
    """Inputs from -1 to 1, gradients of the outputs, and gradients of the inputs' gradients."""
    return tuple(np.asarray(np.random.uniform(-1, 1, shape)).astype(dtype) for _ in range(3))  # type: ignore[return-value]  # noqa: NPY002


def unary_math_function_unittest(
    func: Callable[..., Any],
    func_expected: Callable[..., Any] | None = None,
    label_expected: str | None = None,
    make_data: Callable[..., Any] | None = None,
    is_linear: bool | None = None,
    forward_options: dict[str, Any] | None = None,
    backward_options: dict[str, Any] | None = None,
    double_backward_options: dict[str, Any] | None = None,
) -> Callable[[type], Any]:
    """A decorator of test classes: tests a function in three dtypes and two shapes.

    Args:
        func: the function of Variables.
        func_expected: the same for arrays, which takes ``dtype=`` too; NumPy's function of that name if None.
        label_expected: its label in graphs; not tested if None.
        make_data: called with a shape and a dtype; gives inputs, gradients of outputs, gradients of gradients.
        is_linear: no longer needed.
        forward_options: keywords of ``assert_allclose``.
        backward_options: keywords of ``check_backward``.
        double_backward_options: keywords of ``check_double_backward``.

    Raises:
        ValueError: if NumPy has no such function.
    """
    if is_linear is not None:
        warnings.warn("is_linear is not needed any more; leave it out", DeprecationWarning, stacklevel=2)
    expected = func_expected or getattr(np, func.__name__, None)
    if expected is None:
        raise ValueError(f"NumPy has no function {func.__name__}; give func_expected")
    draw = make_data or make_data_default
    given = (forward_options, backward_options, double_backward_options)
    choices: dict[str, list[Any]] = {"shape": [(3, 2), ()], "dtype": [np.float16, np.float32, np.float64]}

    def decorator(klass: type) -> Any:
        members = cases_of(func, expected, label_expected, draw, given)
        for name, member in members.items():
            setattr(klass, name, member)
        if not issubclass(klass, unittest.TestCase):
            raise ValueError(f"{klass.__name__} must be a unittest.TestCase")
        return parameterize(*product(choices))(klass)

    return decorator


def cases_of(
    func: Callable[..., Any], expected: Callable[..., Any], label: str | None, draw: Callable[..., Any], given: Any
) -> dict[str, Any]:
    """The methods of the test class."""

    def options(self: Any, kind: int, defaults: dict[bool, dict[str, Any]]) -> dict[str, Any]:
        return {**defaults[self.dtype == np.float16], **(given[kind] or {})}

    def setUp(self: Any) -> None:
        self.x, self.gy, self.ggx = draw(self.shape, self.dtype)

    def check_forward(self: Any, x: Any) -> None:
        y = func(Variable(x))
        assert y.dtype == x.dtype
        wanted = np.asarray(expected(self.x, dtype=x.dtype))
        assert_allclose(y.array, wanted, **options(self, 0, FORWARD))

    def check_backward(self: Any, x: Any, gy: Any) -> None:
        gradient_check.check_backward(func, x, gy, **options(self, 1, BACKWARD))

    def check_double_backward(self: Any, x: Any, gy: Any, ggx: Any) -> None:
        gradient_check.check_double_backward(func, x, gy, ggx, **options(self, 2, BACKWARD))

    def check_label(self: Any) -> None:
        assert func(Variable(self.x)).creator.label == label

    members: dict[str, Any] = {
        "setUp": setUp,
        "check_forward": check_forward,
        "check_backward": check_backward,
        "check_double_backward": check_double_backward,
        "test_forward_cpu": lambda self: self.check_forward(self.x),
        "test_backward_cpu": lambda self: self.check_backward(self.x, self.gy),
        "test_double_backward_cpu": lambda self: self.check_double_backward(self.x, self.gy, self.ggx),
        "test_forward_gpu": attr.gpu(lambda self: self.check_forward(on_gpu(self.x))),
        "test_backward_gpu": attr.gpu(lambda self: self.check_backward(on_gpu(self.x), on_gpu(self.gy))),
        "test_double_backward_gpu": attr.gpu(
            lambda self: self.check_double_backward(on_gpu(self.x), on_gpu(self.gy), on_gpu(self.ggx))
        ),
    }
    return members if label is None else {**members, "test_label": check_label}


def on_gpu(array: Any) -> Any:
    """An array on the GPU."""
    return to_gpu(array)
