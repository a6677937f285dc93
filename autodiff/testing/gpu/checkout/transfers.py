"""Input that is copied while the GPU computes, as programs in the style of Chainer do it."""

from __future__ import annotations

from importlib import import_module

from autodiff.backends.gpu import require
from autodiff.testing.gpu.item import Given, Item, Said

transfers = import_module("benchmarks.gpu_contest.transfers")  # no part of an installed package


def batches(given: Given) -> Said:
    """Batches in a stream of their own."""
    return transfers.overlapped(require(), given.size(1 << 18, 1 << 6), given.size(2048, 16))


ITEMS: dict[str, Item] = {"batches of a converter": batches}
