"""Tests that are run as a program."""

from __future__ import annotations

import importlib

from autodiff.chainer.testing.attr import check_available


def run_module(name: str, file: str) -> None:
    """Run the tests of a file with pytest, if it is run as a program.

    Args:
        name: ``__name__`` of the file.
        file: ``__file__``.

    Raises:
        RuntimeError: if pytest is not installed.

    >>> run_module("some.module", "some/module.py")
    """
    if name == "__main__":
        check_available()
        importlib.import_module("pytest").main([file, "-vvs", "-x"])
