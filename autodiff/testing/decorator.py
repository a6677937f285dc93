"""`gradient_test`: a function under a decorator is a test of its derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.testing.properties import laws


def gradient_test(fun: Callable[..., Any] | None = None, /, **options: Any) -> Callable[..., Any]:
    """Turn a function into a test that calls `laws` with these options.

    Under pytest the test has the marker `gradient`, `--gradient-examples` and `--gradient-seed` set how many arguments
    are drawn and which, and the run ends with a summary.

    Args:
        fun: the function, if the decorator has no options.
        options: those of `laws`, such as domain and shapes.

    Returns:
        The test, a function without arguments; its attribute `tested` is the function itself.

    >>> import numpy as np
    >>> from autodiff.testing import domains
    >>> @gradient_test(domain=domains.positive, max_examples=5)
    ... def test_log_of_one_plus(x):
    ...     return np.log(1 + x)
    >>> test_log_of_one_plus()
    """
    if fun is None:
        return lambda found: gradient_test(found, **options)
    tested = fun

    def test() -> None:
        laws(tested, **{"name": tested.__name__, **options})

    test.__name__, test.__qualname__, test.__doc__ = tested.__name__, tested.__qualname__, tested.__doc__
    test.__module__ = tested.__module__
    test.tested = tested  # type: ignore[attr-defined]
    test.gradient = True  # type: ignore[attr-defined]
    return test
