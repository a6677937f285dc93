"""Test classes of links: subclasses say what is computed, and what is expected."""

from __future__ import annotations

import unittest
from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.chainer import gradient_check
from autodiff.chainer.backends.cuda import to_cpu
from autodiff.chainer.testing.backend import BackendConfig
from autodiff.chainer.testing.computation import Arrays, Computation, LinkTestError
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable


class LinkComputation(Computation):
    """What tests of links have in common.

    Attributes:
        param_names: the names of the parameters.
    """

    param_names: Sequence[str] = ()
    error = LinkTestError

    def generate_params(self) -> Arrays:
        """Arrays, or initializers, for the parameters."""
        raise self.error(f"{type(self).__name__} must implement generate_params")

    def create_link(self, initializers: Arrays) -> Any:
        """The link, whose parameters have these initializers; subclasses must say."""
        raise self.error(f"{type(self).__name__} must implement create_link")

    def forward(self, link: Any, inputs: Arrays, device: Any) -> Arrays:
        """The outputs of the link for a tuple of Variables."""
        outputs = link(*inputs)
        return outputs if isinstance(outputs, tuple) else (outputs,)

    def _link(self, initializers: Arrays, config: BackendConfig) -> Any:
        with config:
            link = self.create_link(initializers)
            link.to_device(config.device)
        return link

    def _run(self, link: Any, inputs: Arrays, config: BackendConfig) -> Arrays:
        return self._outputs(self.forward(link, inputs, config.device), "forward", Variable)

    def _params(self, link: Any) -> list[Any]:
        missing = [name for name in self.param_names if not hasattr(link, name)]
        if missing:
            raise self.error(f"the link has no parameter {missing[0]}")
        return [getattr(link, name) for name in self.param_names]


class LinkTestCase(LinkComputation, unittest.TestCase):
    """Tests of a link: its outputs and its gradients.

    Subclasses implement ``generate_params``, ``generate_inputs``, ``create_link`` and ``forward_expected``, and are
    decorated with ``inject_backend_tests(None, [{}])``.
    """

    def forward_expected(self, link: Any, inputs: Arrays) -> Arrays:
        """The outputs that are expected, a tuple of arrays, for a tuple of arrays; subclasses must say."""
        raise self.error(f"{type(self).__name__} must implement forward_expected")

    def generate_grad_outputs(self, outputs_template: Arrays) -> Arrays:
        return super().generate_grad_outputs(outputs_template)

    def test_forward(self, backend_config: BackendConfig) -> None:
        self._begin("test_forward", backend_config)
        params, inputs = self.generate_params(), self._inputs()
        link = self._link(params, backend_config)
        with backend_config:
            outputs = self._run(link, tuple(map(Variable, self._sent(backend_config, inputs))), backend_config)
        link.to_device("@numpy")
        expected = self._outputs(self.forward_expected(link, inputs), "forward_expected", np.ndarray)
        self.check_forward_outputs(tuple(to_cpu(as_array(y)) for y in outputs), expected)

    def test_backward(self, backend_config: BackendConfig) -> None:
        self._begin("test_backward", backend_config)
        self._retried(lambda: self._check_gradients(backend_config))

    def _check_gradients(self, backend_config: BackendConfig) -> None:
        link, inputs = self._link(self.generate_params(), backend_config), self._inputs()
        arrays = self._sent(backend_config, inputs)
        with backend_config:
            outputs = self._run(link, tuple(map(Variable, arrays)), backend_config)
            grads = self.generate_grad_outputs(tuple(to_cpu(as_array(y)) for y in outputs))
            with self.error.raise_if_fail("backward is not implemented correctly"):
                gradient_check.check_backward(
                    lambda *xs: self._run(link, xs, backend_config),
                    arrays,
                    self._sent(backend_config, grads),
                    tuple(self._params(link)),
                    dtype=self.numerical_grad_dtype,
                    detect_nondifferentiable=self.dodge_nondifferentiable,
                    **self.check_backward_options,
                )
