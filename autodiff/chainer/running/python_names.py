"""Names that Python's own library had when Chainer programs were written, and has no more."""

from __future__ import annotations

import base64
import collections
import fractions
import inspect
import threading
import time
from collections import abc
from typing import Any, NamedTuple


class ArgSpec(NamedTuple):
    """What :func:`getargspec` returns."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getargspec(func: Any) -> ArgSpec:
    """The arguments of a function that has none that are keywords only.

    Raises:
        ValueError: if it has some, or annotations.
    """
    args, varargs, keywords, defaults, only_keywords, _, annotations = inspect.getfullargspec(func)
    if only_keywords or annotations:
        raise ValueError("the function has keyword-only arguments or annotations; use inspect.signature")
    return ArgSpec(args, varargs, keywords, defaults)


def gcd(a: Any, b: Any) -> Any:
    """The greatest common divisor, with the sign of b."""
    while b:
        a, b = b, a % b
    return a


def restore() -> list[str]:
    """Give Python's modules their former names back, in this process.

    Returns:
        the names that were missing.
    """
    known: dict[Any, dict[str, Any]] = {
        base64: {"decodestring": base64.decodebytes, "encodestring": base64.encodebytes},
        collections: {name: getattr(abc, name) for name in abc.__all__},
        fractions: {"gcd": gcd},
        inspect: {"ArgSpec": ArgSpec, "getargspec": getargspec},
        threading.Thread: {"isAlive": threading.Thread.is_alive},
        time: {"clock": time.perf_counter},
    }
    missing = [(module, name) for module, names in known.items() for name in names if name not in vars(module)]
    for module, name in missing:
        setattr(module, name, known[module][name])
    return [f"{module.__name__}.{name}" for module, name in missing]
