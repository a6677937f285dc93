"""Tests of functions, links, optimizers and distributions. pytest is needed only where tests are marked or run."""

from autodiff.chainer.testing import attr, condition, distribution_test, unary_math_function_test
from autodiff.chainer.testing.array import assert_allclose
from autodiff.chainer.testing.backend import BackendConfig, inject_backend_tests
from autodiff.chainer.testing.distribution_cases import distribution_unittest
from autodiff.chainer.testing.function_link import (
    FunctionTestCase,
    FunctionTestError,
    InitializerArgument,
    LinkInitializersTestCase,
    LinkTestCase,
    LinkTestError,
)
from autodiff.chainer.testing.helper import assert_warns, patch, with_requires, without_requires
from autodiff.chainer.testing.matrix import generate_matrix
from autodiff.chainer.testing.parameterized import (
    from_pytest_parameterize,
    parameterize,
    parameterize_pytest,
    product,
    product_dict,
)
from autodiff.chainer.testing.random import fix_random, generate_seed
from autodiff.chainer.testing.runner import run_module
from autodiff.chainer.testing.serializer import save_and_load, save_and_load_hdf5, save_and_load_npz
from autodiff.chainer.testing.training import get_trainer_with_mock_updater
from autodiff.chainer.testing.unary_functions import unary_math_function_unittest

__all__ = [
    "BackendConfig",
    "FunctionTestCase",
    "FunctionTestError",
    "InitializerArgument",
    "LinkInitializersTestCase",
    "LinkTestCase",
    "LinkTestError",
    "assert_allclose",
    "assert_warns",
    "attr",
    "condition",
    "distribution_test",
    "distribution_unittest",
    "fix_random",
    "from_pytest_parameterize",
    "generate_matrix",
    "generate_seed",
    "get_trainer_with_mock_updater",
    "inject_backend_tests",
    "parameterize",
    "parameterize_pytest",
    "patch",
    "product",
    "product_dict",
    "run_module",
    "save_and_load",
    "save_and_load_hdf5",
    "save_and_load_npz",
    "unary_math_function_test",
    "unary_math_function_unittest",
    "with_requires",
    "without_requires",
]
