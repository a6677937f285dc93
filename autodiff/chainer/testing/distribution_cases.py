"""Tests of distributions against SciPy's."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autodiff.chainer.backends.cuda import to_cpu, to_gpu
from autodiff.chainer.testing import attr
from autodiff.chainer.testing.array import assert_allclose
from autodiff.chainer.utils.array import size_of_shape
from autodiff.facade.variables.conversion import as_array
from autodiff.facade.variables.variable import Variable

FUNCTIONS = {
    "cdf": ("cdf", "cdf"),
    "icdf": ("icdf", "ppf"),
    "log_cdf": ("log_cdf", "logcdf"),
    "log_prob": ("log_prob", "logpdf"),
    "log_survival": ("log_survival_function", "logsf"),
    "prob": ("prob", "pdf"),
    "survival": ("survival_function", "sf"),
}
"""For each test of a function of events the method of the distribution, and SciPy's."""

QUANTITIES = {"entropy": "entropy", "mean": "mean", "stddev": "std", "variance": "var"}
"""For each test of a quantity SciPy's method."""

SHAPES = ("batch_shape", "event_shape", "support")

TARGETS = {*FUNCTIONS, *QUANTITIES, *SHAPES, "sample"}
"""What can be tested."""

DRAWS = 100_000
"""How many draws of each distribution are compared."""


class distribution_unittest(unittest.TestCase):
    """Tests of a distribution against one of SciPy.

    Subclasses implement ``setUp_configure``, which sets ``dist``, ``scipy_dist``, ``params``, ``scipy_params``,
    ``test_targets`` (names of what is tested), and, if they are not parameters of the class, ``shape``,
    ``sample_shape`` and ``is_variable``; and ``sample_for_test``.

    Attributes:
        scipy_onebyone: whether SciPy takes the parameters of one distribution at a time.
        support: as it is expected.
        event_shape: as it is expected.
        continuous: whether there is a density.
        options: more keywords of ``dist``.

    Each quantity has a method ``check_...(is_gpu)``, which subclasses may replace.
    """

    scipy_onebyone = False
    support = "real"
    event_shape: tuple[int, ...] = ()
    continuous = True
    options: dict[str, Any] = {}  # noqa: RUF012 - replaced in setUp_configure
    shape: tuple[int, ...] = ()
    sample_shape: tuple[int, ...] = ()
    is_variable = False
    test_targets: set[str] = set()  # noqa: RUF012 - replaced in setUp_configure
    dist: Any
    scipy_dist: Any
    params: dict[str, Any]
    scipy_params: dict[str, Any]

    def setUp_configure(self) -> None:
        """Say what is tested."""
        raise NotImplementedError(f"{type(self).__name__} must implement setUp_configure")

    def sample_for_test(self) -> Any:
        """Events at which functions are tested."""
        raise NotImplementedError(f"{type(self).__name__} must implement sample_for_test")

    def setUp(self) -> None:
        self.setUp_configure()
        unknown = self.test_targets - TARGETS
        if unknown:
            raise ValueError(f"invalid target(s): {unknown}; test_targets may hold {', '.join(sorted(TARGETS))}")
        if self.is_variable:
            self.params = {name: Variable(value) for name, value in self.params.items()}

    @property
    def cpu_dist(self) -> Any:
        """The distribution on the CPU."""
        return self.dist(**self.params, **self.options)

    @property
    def gpu_dist(self) -> Any:
        """The distribution on the GPU."""
        wrap: Callable[[Any], Any] = Variable if self.is_variable else lambda array: array
        params = {name: wrap(to_gpu(as_array(value))) for name, value in self.params.items()}
        return self.dist(**params, **self.options)

    def scipy_onebyone_params_iter(self) -> Iterator[dict[str, Any]]:
        """The parameters of SciPy's distribution, for one distribution of the batch after the other."""
        for index in np.ndindex(*self.shape):
            yield {name: value[index] for name, value in self.scipy_params.items()}

    def _scipy(self, method: str, x: Any = None) -> Any:
        if x is None and not self.scipy_onebyone:
            return getattr(self.scipy_dist, method)(**self.scipy_params)
        if not self.scipy_onebyone:
            return getattr(self.scipy_dist, method)(x, **self.scipy_params)
        if x is None:
            found = [getattr(self.scipy_dist, method)(**params) for params in self.scipy_onebyone_params_iter()]
            return np.reshape(np.vstack(found), self.shape + np.shape(found[0]))
        count = size_of_shape(self.sample_shape)
        rows = x.reshape(count, size_of_shape(self.shape), *self.event_shape)
        columns = [
            [getattr(self.scipy_dist, method)(row[place], **params) for row in rows]
            for place, params in enumerate(self.scipy_onebyone_params_iter())
        ]
        return np.reshape(np.array(columns, dtype=float).T, self.sample_shape + self.shape)

    def _test(self, name: str, is_gpu: bool) -> None:
        if name not in self.test_targets:
            self.skipTest(f"{name} is not in test_targets")
        if name in SHAPES:
            self._check_shape(name, is_gpu)
        else:
            getattr(self, f"check_{name}")(is_gpu)

    def _check_function(self, name: str, is_gpu: bool) -> None:
        own, scipys = FUNCTIONS[name]
        if not self.continuous:
            scipys = scipys.replace("pdf", "pmf")
        x = np.asarray(self.sample_for_test())
        if name == "icdf":
            x = np.asarray(np.random.uniform(0, 1, self.sample_shape + self.shape)).astype(np.float32)  # noqa: NPY002
        dist, events = (self.gpu_dist, to_gpu(x)) if is_gpu else (self.cpu_dist, x)
        found = getattr(dist, own)(events)
        assert_allclose(to_cpu(as_array(found)), self._scipy(scipys, x))

    def _check_quantity(self, name: str, is_gpu: bool) -> None:
        found = getattr(self.gpu_dist if is_gpu else self.cpu_dist, name)
        expected = np.broadcast_to(self._scipy(QUANTITIES[name]), self.shape + np.shape(found)[len(self.shape) :])
        assert_allclose(to_cpu(as_array(found)), expected)

    def check_sample(self, is_gpu: bool) -> None:
        """See that draws have the shape, the means and the standard deviations of SciPy's."""
        dist, first = self.gpu_dist if is_gpu else self.cpu_dist, (DRAWS, *self.sample_shape)
        found = to_cpu(as_array(dist.sample(sample_shape=first)))
        if self.scipy_onebyone:
            draws = [self.scipy_dist.rvs(size=first, **params) for params in self.scipy_onebyone_params_iter()]
            expected = np.stack(draws, len(first)).reshape(first + self.shape + self.event_shape)
        else:
            expected = self.scipy_dist.rvs(size=first + self.shape, **self.scipy_params)
        for summarize in (np.mean, np.std):
            assert_allclose(summarize(found, 0), summarize(expected, 0), atol=3e-2, rtol=3e-2)

    def _check_shape(self, name: str, is_gpu: bool) -> None:
        expected = self.shape if name == "batch_shape" else getattr(self, name)
        assert getattr(self.gpu_dist if is_gpu else self.cpu_dist, name) == expected


def _add_tests() -> None:
    """The tests of all targets, on both devices, and the methods that they call."""
    for names, checker in ((FUNCTIONS, "_check_function"), (QUANTITIES, "_check_quantity")):
        for name in names:
            setattr(distribution_unittest, f"check_{name}", checked_by(checker, name))
    for name in sorted(TARGETS):
        setattr(distribution_unittest, f"test_{name}_cpu", tested(name, False))
        setattr(distribution_unittest, f"test_{name}_gpu", attr.gpu(tested(name, True)))


def checked_by(checker: str, name: str) -> Callable[[Any, bool], None]:
    """A method that calls another one with a name."""
    return lambda self, is_gpu: getattr(self, checker)(name, is_gpu)


def tested(name: str, is_gpu: bool) -> Callable[[Any], None]:
    """The test of a target on a device."""
    return lambda self: self._test(name, is_gpu)


_add_tests()
