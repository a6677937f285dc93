"""Where Chainer defines tests of functions of one number."""

from autodiff.chainer.testing.attr import check_available, is_available
from autodiff.chainer.testing.unary_functions import unary_math_function_unittest

__all__ = ["check_available", "is_available", "unary_math_function_unittest"]
__test__: dict[str, str] = {}  # no file of tests, whatever its name ends with
