"""Marks of tests that need a GPU or much time: pytest's marks if it is installed, and skipped where they cannot run."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import unittest
import warnings
from collections.abc import Callable
from typing import Any

from autodiff.chainer.backends import cuda

Test = Callable[..., Any]


def is_available() -> bool:
    """Whether pytest is installed."""
    return importlib.util.find_spec("pytest") is not None


def get_error() -> Exception | None:
    """Why marks are not available; None if they are."""
    return None if is_available() else ImportError("pytest is not installed")


def check_available() -> None:
    """See that pytest is installed.

    Raises:
        RuntimeError: if it is not.
    """
    if not is_available():
        raise RuntimeError("marks of tests need pytest: pip install pytest")


def marked(name: str, test: Test) -> Test:
    """The test with a mark of pytest, if that is installed and its configuration does not forbid the mark."""
    if not is_available():
        return test
    if getattr(test, "__name__", "") == "<lambda>":
        test.__name__ = name  # pytest takes a lambda for an argument of the mark
    pytest = importlib.import_module("pytest")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the mark may be unknown
        try:
            return getattr(pytest.mark, name)(test)  # type: ignore[no-any-return]
        except pytest.fail.Exception:  # it is unknown, and --strict-markers is on
            return test


def needing(name: str, available: Callable[[], bool], reason: str) -> Callable[..., Any]:
    """A decorator of tests, with or without parentheses: marks them, and skips them where something is missing."""

    def decorator(*args: Any, **kwargs: Any) -> Any:
        if not (args and callable(args[0])):
            return decorator
        test = marked(name, args[0])
        return test if available() else unittest.skip(reason)(test)

    decorator.__name__ = decorator.__qualname__ = name
    return decorator


chainerx = needing("chainerx", lambda: False, "ChainerX is not available")
ideep = needing("ideep", lambda: False, "iDeep is not available")
cudnn = needing("cudnn", lambda: bool(cuda.available), "CuPy is not available")
slow = needing("slow", lambda: True, "")


def gpu(f: Test) -> Test:
    """A decorator of tests that need a GPU."""
    return multi_gpu(1)(f)


def multi_gpu(gpu_num: int) -> Callable[[Test], Test]:
    """A decorator of tests that need several GPUs.

    Args:
        gpu_num: how many.
    """

    @functools.wraps(multi_gpu)
    def decorator(f: Test) -> Test:
        found = cuda.cupy.cuda.runtime.getDeviceCount() if cuda.available else 0
        test = marked("gpu", f)
        return test if found >= gpu_num else unittest.skip(f"GPUs needed: {gpu_num}, found: {found}")(test)

    return decorator
