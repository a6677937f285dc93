"""Test classes of the initializers that links take."""

from __future__ import annotations

import unittest
from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff.chainer.backends.cuda import to_cpu
from autodiff.chainer.closeness import assert_allclose
from autodiff.chainer.testing.backend import BackendConfig
from autodiff.chainer.testing.computation import Arrays
from autodiff.chainer.testing.link_case import LinkComputation
from autodiff.facade.variables.variable import Variable


class InitializerArgument:
    """An argument of a link that stands for an initializer.

    Args:
        argument_value: the argument.
        expected_initializer: what it stands for.
    """

    def __init__(self, argument_value: Any, expected_initializer: Any) -> None:
        self.argument_value = argument_value
        self.expected_initializer = expected_initializer


class LinkInitializersTestCase(LinkComputation, unittest.TestCase):
    """Tests of the initializers that a link takes.

    Subclasses implement ``generate_params``, ``generate_inputs``, ``create_link`` and ``get_initializers``, and are
    decorated with ``inject_backend_tests(None, [{}])``.

    Attributes:
        check_initializers_options: keywords of ``assert_allclose``.
    """

    check_initializers_options: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.check_initializers_options = dict(getattr(self, "check_initializers_options", {}))

    def get_initializers(self) -> Sequence[Sequence[Any]]:
        """For each parameter a list of initializers, numbers, arrays or :class:`InitializerArgument`."""
        raise self.error(f"{type(self).__name__} must implement get_initializers")

    def test_initializers(self, backend_config: BackendConfig) -> None:
        self._begin("test_initializers", backend_config)
        inputs = tuple(map(Variable, self._on(backend_config, self._inputs())))
        for number, choices in enumerate(self.get_initializers()):
            for choice in choices:
                self._test_single(number, choice, inputs, backend_config)

    def _test_single(self, number: int, choice: Any, inputs: Arrays, backend_config: BackendConfig) -> None:
        given = isinstance(choice, InitializerArgument)
        params = list(self.generate_params())
        params[number] = choice.argument_value if given else choice
        state = np.random.get_state()  # noqa: NPY002 - both draw the same numbers
        link = self._link(tuple(params), backend_config)
        with backend_config:
            self._run(link, inputs, backend_config)  # initializes the rest
        param = self._params(link)[number]
        if given and not isinstance(choice.expected_initializer, np.ndarray | int | float):
            return self._see_statistics(param, choice.expected_initializer)
        np.random.set_state(state)  # noqa: NPY002
        expected = np.empty(param.shape, param.dtype)
        fill(expected, choice.expected_initializer if given else choice)
        with self.error.raise_if_fail(f"parameter {number} is not initialized as {choice} says"):
            assert_allclose(to_cpu(param.array), expected, **self.check_initializers_options)
        return None

    def _see_statistics(self, param: Any, initializer: Any) -> None:
        """Compare moments: what is drawn depends on how many numbers the link drew before."""
        expected = np.empty(param.shape, param.dtype)
        fill(expected, initializer)
        array = to_cpu(param.array)
        spread = float(expected.std() + array.std())
        if (array.std() == 0) != (expected.std() == 0) or abs(float(array.mean() - expected.mean())) > 3 * spread:
            raise self.error(f"the parameter is not initialized like {initializer}:\n{array}")


def fill(array: Any, initializer: Any) -> None:
    """Initialize an array with an initializer, a number or an array."""
    if callable(initializer):
        initializer(array)
    else:
        array[...] = initializer
