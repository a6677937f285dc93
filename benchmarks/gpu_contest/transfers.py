"""Batches that are copied to a device while it computes: each is read before its memory is handed out again."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.dataset import ConcatWithAsyncTransfer

ROUNDS = 20


def overlapped(cupy: Any, size: int, busy: int) -> str:
    """Copy batch after batch, each full of its own number, behind work that takes long.

    Args:
        cupy: the module.
        size: elements of an example.
        busy: rows of a matrix that is multiplied before a batch is read.

    Raises:
        AssertionError: if a batch was overwritten while it was read.
    """
    convert, slow, wrong = ConcatWithAsyncTransfer(), cupy.full((busy, busy), np.float32(1 / busy)), []
    for number in range(ROUNDS):
        batch = convert([np.full(size, number, np.float32)] * 8, 0)
        for _ in range(10):
            slow = slow @ slow
        extremes = batch.min(), batch.max()
        del batch
        convert([np.full(size, -1, np.float32)] * 8, 0)
        if [float(each) for each in extremes] != [number, number]:
            wrong.append(number)
    assert not wrong, f"{len(wrong)} of {ROUNDS} batches were overwritten while they were read"
    return f"{ROUNDS} batches"
