"""An exception that nobody catches ends all processes, as it does anyway since the world was asked for."""

from __future__ import annotations

import os

from autodiff.distributed import world


def add_hook() -> None:
    """Let an exception that nobody catches, in whichever process, end all of them."""
    world()


def _add_hook_if_enabled() -> None:
    if os.environ.get("CHAINERMN_FORCE_ABORT_ON_EXCEPTION"):
        add_hook()
