"""Random numbers that a function draws while it is recorded: they become constants, which is hardly ever meant."""

from __future__ import annotations

import functools
import random
import sys
import threading
import warnings
from typing import Any

from autodiff.trace.source import at_user_line, in_user_code, user_frame


class RandomnessWarning(UserWarning):
    """Random numbers were drawn while a function was recorded, and are the same in every call from then on.

    >>> import warnings
    >>> import numpy as np
    >>> from autodiff import jit
    >>> noisy = jit(lambda x: x + np.random.rand())  # noqa: NPY002 - what the warning is of
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     bool(noisy(1.0) == noisy(1.0)), seen[0].category.__name__
    (True, 'RandomnessWarning')
    """


def random_state() -> dict[str, Any]:
    """Where the generators stand that all code shares; of others nothing is known."""
    return {"np.random": numpy_state(), "random": random.getstate()}


def numpy_state() -> Any:
    """Where NumPy's stands; None while it is as the system seeded it, as it is before anybody imports it."""
    module: Any = sys.modules.get("numpy.random")  # to import it takes longer than to record a small function
    if module is None:
        return None
    _, key, place, *gauss = module.get_state(legacy=True)
    return None if (key[0], place) == seeded() else (key.tobytes(), place, *gauss)


@functools.cache
def seeded() -> tuple[int, int]:
    """The first word and the place of a generator that the system seeded; every draw changes one of them."""
    module: Any = sys.modules["numpy.random"]
    _, key, place, *_ = module.RandomState().get_state(legacy=True)
    return int(key[0]), int(place)


def warn_of_randomness(name: str, before: dict[str, Any]) -> None:
    """Warn if NumPy's or Python's own generator was drawn from since.

    Another thread that runs code of the user's may draw from them rightly: where there is one, nothing is said.

    Args:
        name: the function's name and line.
        before: where the generators stood before it was recorded.
    """
    frame = user_frame()
    if frame is None or others_run_user_code():
        return
    for generator, state in random_state().items():
        if state != before[generator]:
            text = (
                f"jit: while {name} was recorded{at_user_line()}, numbers were drawn from {generator}. They are "
                "constants of the program: every call uses the same ones. Draw outside and pass the numbers as an "
                "argument, or draw with autodiff.random, whose state is an argument."
            )
            registry = frame.f_globals.setdefault("__warningregistry__", {})
            warnings.warn_explicit(text, RandomnessWarning, frame.f_code.co_filename, frame.f_lineno, registry=registry)


def others_run_user_code() -> bool:
    """Whether another thread does: those of libraries, of progress bars and notebooks say, draw nothing."""
    mine = threading.get_ident()
    return any(thread != mine and in_user_code(frame) for thread, frame in sys._current_frames().items())
