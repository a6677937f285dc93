"""Random numbers that a function draws while it is recorded: they become constants, which is hardly ever meant."""

from __future__ import annotations

import random
import threading
import warnings
from typing import Any

import numpy as np

from autodiff.trace.source import at_user_line, user_frame


class RandomnessWarning(UserWarning):
    """Random numbers were drawn while a function was recorded, and are the same in every call from then on."""


def random_state() -> dict[str, Any]:
    """Where the generators stand that all code shares; of others nothing is known."""
    state: Any = np.random.get_state(legacy=True)  # noqa: NPY002 - to see whether others use it
    return {"np.random": (state[1].tobytes(), *state[2:]), "random": random.getstate()}


def warn_of_randomness(name: str, before: dict[str, Any]) -> None:
    """Warn if NumPy's or Python's own generator was drawn from since.

    Other threads may draw from them rightly: where there are any, nothing is said.

    Args:
        name: the function's name and line.
        before: where the generators stood before it was recorded.
    """
    frame = user_frame()
    others = [thread for thread in threading.enumerate() if not thread.name.startswith("autodiff-")]
    if len(others) > 1 or frame is None:  # those of kernels draw nothing
        return
    for generator, state in random_state().items():
        if state != before[generator]:
            text = (
                f"jit: while {name} was recorded{at_user_line()}, numbers were drawn from {generator}. They are "
                "constants of the program: every call uses the same ones. Draw outside and pass the numbers as an "
                "argument."
            )
            registry = frame.f_globals.setdefault("__warningregistry__", {})
            warnings.warn_explicit(text, RandomnessWarning, frame.f_code.co_filename, frame.f_lineno, registry=registry)
