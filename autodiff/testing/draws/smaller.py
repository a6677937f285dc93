"""Smaller arguments that break the same law: parts of long arrays, one operand after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from autodiff.testing.draws.operand import Operands
from autodiff.testing.mismatch import GradientMismatch

TRIALS = 60
"""How many smaller arguments are tried at most."""


def smallest(sample: Operands, check: Callable[[Operands], Any], found: GradientMismatch) -> GradientMismatch:
    """The mismatch at the smallest arguments found that break the same law.

    Args:
        sample: arguments that break it.
        check: raises at arguments that break a law, or that the function does not take.
        found: what it raised.
    """
    left, progress = TRIALS, True
    while progress and left > 0:
        progress = False
        for candidate in parts(sample):
            left -= 1
            mismatch = outcome(candidate, check)
            if mismatch is not None and mismatch.law == found.law:
                sample, found, progress = candidate, mismatch, True
                break
            if left <= 0:
                break
    return found


def outcome(sample: Operands, check: Callable[[Operands], Any]) -> GradientMismatch | None:
    """The mismatch that a check finds, if it finds one."""
    try:
        check(sample)
    except GradientMismatch as found:
        return found
    except Exception:  # operands of which a part was taken need not fit each other
        return None
    return None


def parts(sample: Operands) -> Iterator[Operands]:
    """The halves of all operands along their first axis, then those of one alone; then without a last axis."""
    lengths = {len(x) for x in sample.args if np.ndim(x)}
    for length in sorted(lengths, reverse=True):
        for half in (slice(0, length // 2), slice(length // 2, length)):
            if length > 1:
                yield replace(
                    sample, args=tuple(x[half] if np.ndim(x) and len(x) == length else x for x in sample.args)
                )
    for place, x in enumerate(sample.args):
        if np.ndim(x) and len(x) == 1:
            yield replace(sample, args=(*sample.args[:place], x[0, ...], *sample.args[place + 1 :]))
