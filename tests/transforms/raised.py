"""Whole error texts, and the line that they name."""

from collections.abc import Callable
from typing import Any

import pytest


def raised(kind: type[Exception], call: Callable[[], Any]) -> tuple[str, int]:
    """The text of the error that a lambda raises, and the line on which the lambda is written."""
    with pytest.raises(kind) as error:
        call()
    return str(error.value), call.__code__.co_firstlineno
