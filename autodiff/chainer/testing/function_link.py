"""Test classes of functions and links."""

from autodiff.chainer.testing.computation import FunctionTestError, LinkTestError
from autodiff.chainer.testing.function_case import FunctionTestCase
from autodiff.chainer.testing.initializers_case import InitializerArgument, LinkInitializersTestCase
from autodiff.chainer.testing.link_case import LinkTestCase

__all__ = [
    "FunctionTestCase",
    "FunctionTestError",
    "InitializerArgument",
    "LinkInitializersTestCase",
    "LinkTestCase",
    "LinkTestError",
]
