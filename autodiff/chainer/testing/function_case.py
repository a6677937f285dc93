"""Test classes of functions: subclasses say what is computed, and what is expected."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np

from autodiff.chainer import gradient_check
from autodiff.chainer.backends.cuda import to_cpu
from autodiff.chainer.testing.backend import BackendConfig
from autodiff.chainer.testing.computation import Arrays, Computation
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable


class FunctionTestCase(Computation, unittest.TestCase):
    """Tests of a function: its outputs, its gradients, and the gradients of those.

    Subclasses implement ``generate_inputs``, ``forward`` and ``forward_expected``, and are decorated with
    ``inject_backend_tests(None, [{}])``.

    Attributes:
        skip_double_backward_test: whether gradients of gradients are not tested.
    """

    skip_double_backward_test = False

    def forward(self, inputs: Arrays, device: Any) -> Arrays:
        """The outputs, a tuple of Variables, for a tuple of Variables; subclasses must say."""
        raise self.error(f"{type(self).__name__} must implement forward")

    def forward_expected(self, inputs: Arrays) -> Arrays:
        """The outputs that are expected, a tuple of arrays, for a tuple of arrays; subclasses must say."""
        raise self.error(f"{type(self).__name__} must implement forward_expected")

    def generate_grad_grad_inputs(self, inputs_template: Arrays) -> Arrays:
        """Gradients of the inputs' gradients; None for those without."""
        return tuple(
            np.random.uniform(-1, 1, x.shape).astype(x.dtype) if x.dtype.kind == "f" else None  # noqa: NPY002
            for x in inputs_template
        )

    def _run(self, inputs: Arrays, config: BackendConfig) -> Arrays:
        return self._outputs(self.forward(inputs, config.device), "forward", Variable)

    def _expected(self, inputs: Arrays) -> Arrays:
        return self._outputs(self.forward_expected(inputs), "forward_expected", np.ndarray)

    def run_test_forward(self, backend_config: BackendConfig) -> None:
        """Compare the outputs with ``forward_expected``."""
        self._begin("test_forward", backend_config)
        inputs = self._inputs()
        copies = tuple(x.copy() for x in inputs)
        expected = self._expected(copies)
        variables = tuple(map(as_input, self._sent(backend_config, inputs)))
        with backend_config:
            outputs = self._run(variables, backend_config)
        for number, (variable, copy) in enumerate(zip(variables, inputs, strict=True)):
            if not np.array_equal(to_cpu(variable.array), copy, equal_nan=copy.dtype.kind in "fc"):
                raise self.error(f"forward changed input {number}")
        self.check_forward_outputs(tuple(to_cpu(as_array(y)) for y in outputs), expected)

    def run_test_backward(self, backend_config: BackendConfig) -> None:
        """Compare the gradients with numerical ones."""
        self._begin("test_backward", backend_config)

        def check() -> None:
            inputs = self._inputs()
            grads = self.generate_grad_outputs(self._expected(inputs))
            with backend_config, self.error.raise_if_fail("backward is not implemented correctly"):
                gradient_check.check_backward(
                    lambda *xs: self._run(xs, backend_config),
                    self._sent(backend_config, inputs),
                    self._sent(backend_config, grads),
                    dtype=self.numerical_grad_dtype,
                    detect_nondifferentiable=self.dodge_nondifferentiable,
                    **self.check_backward_options,
                )

        self._retried(check)

    def run_test_double_backward(self, backend_config: BackendConfig) -> None:
        """Compare the gradients of gradients with numerical ones."""
        self._begin("test_double_backward", backend_config)

        def check() -> None:
            inputs = self._inputs()
            grads = self.generate_grad_outputs(self._expected(inputs))
            with backend_config, self.error.raise_if_fail("double backward is not implemented correctly"):
                gradient_check.check_double_backward(
                    lambda *xs: self._run(xs, backend_config),
                    self._sent(backend_config, inputs),
                    self._sent(backend_config, grads),
                    self._sent(backend_config, self.generate_grad_grad_inputs(inputs)),
                    dtype=self.numerical_grad_dtype,
                    detect_nondifferentiable=self.dodge_nondifferentiable,
                    **self.check_double_backward_options,
                )

        self._retried(check)

    def test_forward(self, backend_config: BackendConfig) -> None:
        self.run_test_forward(backend_config)

    def test_backward(self, backend_config: BackendConfig) -> None:
        self.run_test_backward(backend_config)

    def test_double_backward(self, backend_config: BackendConfig) -> None:
        self.run_test_double_backward(backend_config)


def as_input(array: Any) -> Variable:
    """An input as a Variable, which has a gradient if it is of floating-point numbers."""
    return Variable(array, requires_grad=array.dtype.kind == "f")
