"""``import autograd`` gives these modules themselves, under both names."""

from __future__ import annotations

from autodiff.running.same_modules import SameModules

HERE = "autodiff.compat.autograd"
AGAIN, SCRIPT = f"{HERE}.again", "AUTODIFF_AUTOGRAD_SCRIPT"

NAMES = SameModules({"autograd": HERE})
"""Finds autograd's modules here."""


def install() -> None:
    """Let ``import autograd`` find the modules here, in this process: before it is imported by anybody."""
    NAMES.install()
