"""Where Chainer defines tests of distributions."""

from autodiff.chainer.testing.distribution_cases import distribution_unittest

__all__ = ["distribution_unittest"]
__test__: dict[str, str] = {}  # no file of tests, whatever its name ends with
