"""What test classes of functions and of links have in common."""

from __future__ import annotations

import unittest
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from autodiff.chainer import gradient_check
from autodiff.chainer.closeness import assert_allclose
from autodiff.chainer.gradient_check import gapped
from autodiff.chainer.testing.backend import BackendConfig
from autodiff.chainer.utils.error import _format_array_props

Arrays = tuple[Any, ...]
OPTIONS = ("check_forward_options", "check_backward_options", "check_double_backward_options")


class ComputationError(AssertionError):
    """Something computed something else than it should, or a test is incomplete."""

    @classmethod
    def check(cls, expr: Any, message: str) -> None:
        """Raise it with a message unless something holds."""
        if not expr:
            cls.fail(message)

    @classmethod
    def fail(cls, message: str, exc: BaseException | None = None) -> NoReturn:
        """Raise it with a message, and with the error that is behind it."""
        raise cls(message) from exc

    @classmethod
    @contextmanager
    def raise_if_fail(cls, message: str, error_types: Any = AssertionError) -> Iterator[None]:
        """A context in which errors of some types become this one."""
        try:
            yield
        except error_types as error:
            cls.fail(message, error)


class FunctionTestError(ComputationError):
    """A function computed something else, or a test of a function is incomplete."""


class LinkTestError(ComputationError):
    """A link computed something else, or a test of a link is incomplete."""


class Computation:
    """What tests of functions and of links have in common.

    Attributes:
        backend_config: the device; without :func:`inject_backend_tests` it is given as an argument.
        check_forward_options: keywords of ``assert_allclose``.
        check_backward_options: keywords of ``check_backward``.
        skip_forward_test: whether outputs are not tested.
        skip_backward_test: whether gradients are not tested.
        dodge_nondifferentiable: whether other inputs are tried where a function has a kink.
        contiguous: ``"C"`` for contiguous arrays only, as drawn; None for arrays with gaps.
        numerical_grad_dtype: in which gradients are tested.
        test_name: the name of the test that runs.
    """

    backend_config: BackendConfig | None = None
    check_forward_options: dict[str, Any]
    check_backward_options: dict[str, Any]
    check_double_backward_options: dict[str, Any]
    skip_forward_test = False
    skip_backward_test = False
    dodge_nondifferentiable = False
    contiguous: str | None = None
    numerical_grad_dtype: Any = np.float64
    error: type[ComputationError] = FunctionTestError
    test_name: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in OPTIONS:
            setattr(self, name, dict(getattr(self, name, {})))  # of each test its own, to which it may add

    def _begin(self, test_name: str, backend_config: BackendConfig) -> None:
        """Say which test runs where."""
        if getattr(self, f"skip_{test_name.removeprefix('test_')}_test", False):
            raise unittest.SkipTest(f"skip_{test_name.removeprefix('test_')}_test is set")
        self.test_name, self.backend_config = test_name, backend_config
        self.before_test(test_name)

    def before_test(self, test_name: str) -> None:
        """Called before each test with its name."""

    def generate_inputs(self) -> Arrays:
        """The inputs, a tuple of arrays; subclasses must say."""
        raise self.error(f"{type(self).__name__} must implement generate_inputs")

    def generate_grad_outputs(self, outputs_template: Arrays) -> Arrays:
        """Gradients of the outputs, which have the shapes and dtypes of the given arrays."""
        return tuple(np.random.uniform(-1, 1, y.shape).astype(y.dtype) for y in outputs_template)  # noqa: NPY002

    def check_forward_outputs(self, outputs: Arrays, expected_outputs: Arrays) -> None:
        """See that the outputs are what is expected.

        Raises:
            FunctionTestError: if they are not; LinkTestError of links.
        """
        options = self.check_forward_options
        if len(outputs) != len(expected_outputs):
            raise self.error(f"{len(outputs)} outputs arrived, {len(expected_outputs)} are expected")
        for number, (y, expected) in enumerate(zip(outputs, expected_outputs, strict=True)):
            if expected is None and y is None:
                continue
            if y.shape != expected.shape or y.dtype != expected.dtype:
                shapes = f"{_format_array_props([y])} arrived, {_format_array_props([expected])} is expected"
                raise self.error(f"output {number}: {shapes}")
            try:
                assert_allclose(y, expected, **options)
            except AssertionError as difference:
                raise self.error(f"output {number}: {difference}") from None

    def _inputs(self) -> Arrays:
        inputs = self.generate_inputs()
        if not isinstance(inputs, tuple) or not all(isinstance(x, np.ndarray) for x in inputs):
            raise self.error(f"generate_inputs must return a tuple of NumPy arrays, got {type(inputs).__name__}")
        return inputs

    def _outputs(self, outputs: Any, what: str, kind: type) -> Arrays:
        if not isinstance(outputs, tuple) or not all(y is None or isinstance(y, kind) for y in outputs):
            raise self.error(f"{what} must return a tuple of {kind.__name__}s, got {type(outputs).__name__}")
        return outputs

    def _retried(self, check: Any) -> None:
        """Run a check of gradients, again with other inputs if they lie at a kink and that is to be dodged."""
        for _ in range(10 if self.dodge_nondifferentiable else 1):
            try:
                check()
                return
            except gradient_check.NondifferentiableError as kink:
                found = kink
        raise found

    def _on(self, config: BackendConfig, arrays: Sequence[Any]) -> Arrays:
        return tuple(config.get_array(x) for x in arrays)

    def _sent(self, config: BackendConfig, arrays: Sequence[Any]) -> Arrays:
        """The arrays on a device, with gaps between their elements, unless only contiguous ones are asked for."""
        sent = self._on(config, arrays)
        return sent if self.contiguous is not None else tuple(map(gapped, sent))
