"""``import chainer`` gives the modules of autodiff.chainer themselves, under both names."""

from __future__ import annotations

from autodiff.running.same_modules import SameModules

HERE = "autodiff.chainer"

NAMES = SameModules({"chainer": HERE, "chainerx": f"{HERE}.running.chainerx", "chainermn": "autodiff.chainermn"})
"""Finds Chainer's modules here."""


def install() -> None:
    """Let ``import chainer``, ``chainerx`` and ``chainermn`` find the modules here, in this process."""
    NAMES.install()
