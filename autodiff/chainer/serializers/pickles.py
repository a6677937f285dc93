"""Pickles of plain data, read as data: nothing that a pickle names is ever called.

A pickle is a program for a small stack machine, which calls functions by name and changes the objects that they made.
Here a machine of our own follows it (:mod:`~autodiff.chainer.serializers.pickle_machine`), which calls nothing.
"""

from __future__ import annotations

import pickle
import pickletools
from typing import Any

import numpy as np

from autodiff.chainer.serializers.pickle_machine import Machine
from autodiff.chainer.serializers.pickled_arrays import Name, Unfinished, refusal

STEPS = 1_000_000
"""The most instructions of a pickle, and the most objects that it may stand for."""


class BoundedFile:
    """A file of which no more than so many bytes are read.

    Args:
        file: open for reading.
        most: how many.
    """

    def __init__(self, file: Any, most: int) -> None:
        self.file, self.left = file, most

    def read(self, size: int) -> bytes:
        if size > self.left:
            raise refusal("it is longer than a pickle of plain data is")
        return self.taken(self.file.read(size))

    def readline(self) -> bytes:
        return self.taken(self.file.readline(self.left + 1))

    def taken(self, data: bytes) -> bytes:
        """What was read."""
        if len(data) > self.left:
            raise refusal("it is longer than a pickle of plain data is")
        self.left -= len(data)
        return data


def load_plain(file: Any, most: int, texts_are_bytes: bool = False) -> Any:
    """The object in a pickle.

    Args:
        file: open for reading bytes.
        most: the most bytes that the pickle may have.
        texts_are_bytes: whether Python 2's texts are bytes; otherwise they must be ASCII.

    Raises:
        pickle.UnpicklingError: if it is damaged, larger than plain data may be, or holds anything but None, numbers,
            texts, lists, tuples, dicts, sets, and arrays of these.
    """
    machine = Machine(texts_are_bytes)
    try:
        steps = pickletools.genops(BoundedFile(file, most))  # type: ignore[arg-type] # all that it does is to read
        for number, (instruction, argument, _) in enumerate(steps):
            if number == STEPS:
                raise refusal(f"it has more than {STEPS} instructions")
            machine.step(instruction.name, argument)
        found = machine.result()
        check_finished(found)
        return found
    except pickle.UnpicklingError:
        raise
    except (ValueError, TypeError, LookupError, OverflowError) as error:
        raise refusal(f"{type(error).__name__}: {error}") from error


def check_finished(found: Any) -> None:
    """Refuse what stands for too many objects, or for an object that contains itself, and what was never finished.

    A list that holds one list twice, which holds one list twice, is a short pickle and an endless text.
    """
    waiting, seen = [found], 0
    while waiting:
        value = waiting.pop()
        seen += 1
        if seen > STEPS:
            raise refusal(f"it stands for more than {STEPS} objects, or contains itself")
        kind = type(value)
        if kind in (list, tuple, set, frozenset):
            waiting.extend(value)
        elif kind is dict:
            waiting.extend(value.keys())
            waiting.extend(value.values())
        elif kind is np.ndarray and value.dtype.hasobject:
            waiting.extend(value.reshape(-1).tolist())
        elif kind in (Unfinished, Name):
            raise refusal("it leaves an array unfinished")
