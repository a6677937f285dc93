"""The small programs of the benchmarks, compiled and not, against NumPy in double precision."""

from __future__ import annotations

from functools import partial
from importlib import import_module

from autodiff.backends.gpu import require
from autodiff.testing.gpu.item import Given, Item, Said

checking = import_module("benchmarks.gpu_contest.checking")  # no part of an installed package


def small(name: str, way: str, given: Given) -> Said:
    """The largest error of results and gradients."""
    return {"error": checking.checked(require(), name, way)}


ITEMS: dict[str, Item] = {
    f"{name}, {way}": partial(small, name, way) for way in checking.CALLS for name in checking.CHECKS
}
