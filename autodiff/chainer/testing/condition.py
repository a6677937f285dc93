"""Tests that may fail now and then."""

from __future__ import annotations

import functools
import io
import sys
import unittest
from collections.abc import Callable
from typing import Any

Test = Callable[..., Any]


class QuietTestRunner:
    """Runs tests and prints nothing."""

    def run(self, suite: unittest.TestSuite) -> unittest.TestResult:
        """The results of the tests."""
        result = unittest.TextTestResult(unittest.runner._WritelnDecorator(io.StringIO()), False, 0)
        suite(result)
        return result


def repeat_with_success_at_least(times: int, min_success: int) -> Callable[[Test], Test]:
    """A decorator of test methods: the test passes if enough of its runs do. Each runs on an object of its own.

    Args:
        times: how often it is run.
        min_success: how many runs must pass; no more are made once that is certain.
    """
    if not 0 <= min_success <= times:
        raise ValueError(f"min_success must be from 0 to {times}, got {min_success}")

    def decorator(f: Test) -> Test:
        @functools.wraps(f)
        def test(self: Any, *args: Any, **kwargs: Any) -> None:
            passed = 0
            failures: list[str] = []
            while passed < min_success and len(failures) <= times - min_success:
                instance = another(self)
                result = run_once(instance, functools.partial(skipping, instance, f, *args, **kwargs))
                if result.skipped:
                    self.skipTest(result.skipped[0][1])
                if result.wasSuccessful():
                    passed += 1
                else:
                    failures.append((result.failures + result.errors)[0][1])
            if passed < min_success:
                self.fail(f"Fail: {len(failures)}, Success: {passed}; the first error message:\n{failures[0]}")

        return test

    return decorator


def another(instance: Any) -> unittest.TestCase:
    """An object of the same test class, on which nothing has run."""
    if not isinstance(instance, unittest.TestCase):
        raise AssertionError(f"the test must be a method of a unittest.TestCase, got {type(instance).__name__}")
    return type(instance)(instance._testMethodName)


def skipping(instance: unittest.TestCase, test: Test, *args: Any, **kwargs: Any) -> None:
    """Run a test, which may be skipped in pytest's way too."""
    outcomes = sys.modules.get("_pytest.outcomes")
    try:
        test(instance, *args, **kwargs)
    except getattr(outcomes, "Skipped", unittest.SkipTest) as skip:
        instance.skipTest(str(skip))


def run_once(instance: unittest.TestCase, test: Callable[[], Any]) -> unittest.TestResult:
    """The result of one run between ``setUp`` and ``tearDown``."""
    case = unittest.FunctionTestCase(test, setUp=instance.setUp, tearDown=instance.tearDown)
    return QuietTestRunner().run(unittest.TestSuite([case]))


def repeat(times: int) -> Callable[[Test], Test]:
    """A decorator of test methods: all of several runs must pass.

    Args:
        times: how often it is run.
    """
    return repeat_with_success_at_least(times, times)


def retry(times: int) -> Callable[[Test], Test]:
    """A decorator of test methods: one of several runs must pass.

    Args:
        times: how often it is run at most.
    """
    return repeat_with_success_at_least(times, 1)
