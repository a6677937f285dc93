"""Schedules: learning rates, and other numbers, as functions of how many updates there were.

They are pure and run under ``jit``. In a notebook a schedule shows its curve.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.trace.formats.drawing import plot_svg
from autodiff.trace.source import at_user_line


class Schedule:
    """A function of a count.

    Args:
        function: the function, of NumPy.
        text: how it prints.
        steps: after how many updates it has come to its end; a hint for drawings.

    >>> halving = Schedule(lambda count: 0.5**count, "halving", 5)
    >>> halving(3)
    0.125
    """

    def __init__(self, function: Callable[[Any], Any], text: str, steps: int) -> None:
        self.function = function
        self.text = text
        self.steps = max(int(steps), 1)

    def __call__(self, count: Any) -> Any:
        return self.function(count)

    def __repr__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str:
        """The curve, which notebooks show: from 0 to a little beyond the end, at up to 200 points."""
        last = self.steps + max(self.steps // 20, 1)
        counts = sorted({round(k * last / 200) for k in range(201)})
        return plot_svg([float(self(count)) for count in counts], self.text, last)


def constant_schedule(value: float) -> Schedule:
    """Always the same.

    >>> constant_schedule(0.1)(1000)
    0.1
    """
    return Schedule(lambda count: value, f"constant_schedule({value})", 1)


def polynomial_schedule(
    init_value: float, end_value: float, power: float, transition_steps: int, transition_begin: int = 0
) -> Schedule:
    """``(init - end) * (1 - n / steps)**power + end``, from ``init_value`` to ``end_value``.

    Args:
        init_value: the value until ``transition_begin``.
        end_value: the value from ``transition_steps`` later on.
        power: of the fraction that is left.
        transition_steps: how many updates the transition takes.
        transition_begin: after how many it begins.

    Raises:
        ValueError: if a number of steps is not positive, or the beginning negative.
    """
    check_steps("polynomial_schedule", transition_steps, transition_begin)

    def value(count: Any) -> Any:
        left = 1 - np.clip(count - transition_begin, 0, transition_steps) / transition_steps
        return (init_value - end_value) * left**power + end_value

    text = f"polynomial_schedule({init_value}, {end_value}, {power}, {transition_steps}, {transition_begin})"
    return Schedule(value, text, transition_begin + transition_steps)


def linear_schedule(init_value: float, end_value: float, transition_steps: int, transition_begin: int = 0) -> Schedule:
    """A straight line from ``init_value`` to ``end_value``, which stays.

    Args:
        init_value: the value until update ``transition_begin``.
        end_value: the value from update ``transition_begin + transition_steps`` on.
        transition_steps: how many updates lie between.
        transition_begin: how many updates the first value is kept.

    >>> [float(linear_schedule(0.0, 1.0, 4)(n)) for n in range(6)]
    [0.0, 0.25, 0.5, 0.75, 1.0, 1.0]
    """
    found = polynomial_schedule(init_value, end_value, 1, transition_steps, transition_begin)
    text = f"linear_schedule({init_value}, {end_value}, {transition_steps}, {transition_begin})"
    return Schedule(found.function, text, found.steps)


def exponential_decay(
    init_value: float,
    transition_steps: int,
    decay_rate: float,
    transition_begin: int = 0,
    staircase: bool = False,
    end_value: float | None = None,
) -> Schedule:
    """``init_value * decay_rate**(n / transition_steps)``.

    Args:
        init_value: the value until ``transition_begin``.
        transition_steps: after how many updates the rate applies once.
        decay_rate: the rate, a positive number.
        transition_begin: after how many updates it begins.
        staircase: whether it applies at whole multiples only.
        end_value: where the value stops; never if None.

    Raises:
        ValueError: if a number of steps or the rate is not positive.
    """
    check_steps("exponential_decay", transition_steps, transition_begin)
    if decay_rate <= 0:
        raise ValueError(f"exponential_decay: the rate is positive, not {decay_rate}{at_user_line()}")

    def value(count: Any) -> Any:
        past = np.maximum(count - transition_begin, 0) / transition_steps
        found = init_value * decay_rate ** (np.floor(past) if staircase else past)
        if end_value is None:
            return found
        return np.maximum(found, end_value) if decay_rate < 1 else np.minimum(found, end_value)

    text = f"exponential_decay({init_value}, {transition_steps}, {decay_rate}, {transition_begin})"
    return Schedule(value, text, transition_begin + 5 * transition_steps)


def cosine_decay_schedule(init_value: float, decay_steps: int, alpha: float = 0.0, exponent: float = 1.0) -> Schedule:
    """Half a wave of the cosine, from ``init_value`` to ``alpha * init_value``.

    Args:
        init_value: the value at the beginning.
        decay_steps: after how many updates it is at its end.
        alpha: the last value as a part of the first.
        exponent: of the wave, which lies between 0 and 1.

    Raises:
        ValueError: if the number of steps is not positive.

    >>> [round(float(cosine_decay_schedule(1.0, 4)(n)), 3) for n in range(6)]
    [1.0, 0.854, 0.5, 0.146, 0.0, 0.0]
    """
    check_steps("cosine_decay_schedule", decay_steps)

    def value(count: Any) -> Any:
        wave = 0.5 * (1 + np.cos(np.pi * np.minimum(count, decay_steps) / decay_steps))
        return init_value * ((1 - alpha) * wave**exponent + alpha)

    return Schedule(value, f"cosine_decay_schedule({init_value}, {decay_steps}, {alpha}, {exponent})", decay_steps)


def join_schedules(schedules: Sequence[Callable[[Any], Any]], boundaries: Sequence[int]) -> Schedule:
    """One schedule after the other, each of which counts from its own beginning.

    Args:
        schedules: the schedules.
        boundaries: the counts at which the second, third, ... begins.

    Raises:
        ValueError: if the numbers of the two do not go together.

    >>> rate = join_schedules([linear_schedule(0.0, 1.0, 2), constant_schedule(0.5)], [3])
    >>> [float(rate(n)) for n in range(5)]
    [0.0, 0.5, 1.0, 0.5, 0.5]
    """
    if len(schedules) != len(boundaries) + 1:
        raise ValueError(
            f"join_schedules: {len(schedules)} schedules have {len(schedules) - 1} boundaries between them, got "
            f"{len(boundaries)}{at_user_line()}"
        )

    def value(count: Any) -> Any:
        found = schedules[0](count)
        for boundary, schedule in zip(boundaries, schedules[1:], strict=True):
            found = np.where(count < boundary, found, schedule(count - boundary))[()]
        return found

    last = (boundaries[-1] if boundaries else 0) + getattr(schedules[-1], "steps", 1)
    return Schedule(value, f"join_schedules({list(schedules)}, {list(boundaries)})", last)


def warmup_constant_schedule(init_value: float, peak_value: float, warmup_steps: int) -> Schedule:
    """A straight line from ``init_value`` to ``peak_value``, which stays.

    Args:
        init_value: the value of the first update.
        peak_value: the value from update ``warmup_steps`` on.
        warmup_steps: how many updates the way takes.

    >>> [float(warmup_constant_schedule(0.0, 1.0, 4)(n)) for n in range(6)]
    [0.0, 0.25, 0.5, 0.75, 1.0, 1.0]
    """
    found = linear_schedule(init_value, peak_value, warmup_steps)
    return Schedule(
        found.function, f"warmup_constant_schedule({init_value}, {peak_value}, {warmup_steps})", 2 * warmup_steps
    )


def warmup_cosine_decay_schedule(
    init_value: float,
    peak_value: float,
    warmup_steps: int,
    decay_steps: int,
    end_value: float = 0.0,
    exponent: float = 1.0,
) -> Schedule:
    """A straight line from ``init_value`` to ``peak_value``, then half a wave of the cosine to ``end_value``.

    Args:
        init_value: the value at the beginning.
        peak_value: the greatest value.
        warmup_steps: how many updates the line takes.
        decay_steps: how many updates line and wave take together.
        end_value: the value at the end.
        exponent: of the wave.

    Raises:
        ValueError: if ``decay_steps`` is not larger than ``warmup_steps``.

    >>> schedule = warmup_cosine_decay_schedule(0.0, 1.0, 2, 6)
    >>> [round(float(schedule(n)), 3) for n in range(8)]
    [0.0, 0.5, 1.0, 0.854, 0.5, 0.146, 0.0, 0.0]
    """
    if decay_steps <= warmup_steps:
        raise ValueError(
            f"warmup_cosine_decay_schedule: decay_steps={decay_steps} counts the warm-up of {warmup_steps} steps, too"
            f"{at_user_line()}; give a larger number"
        )
    alpha = end_value / peak_value if peak_value else 0.0
    parts = [
        linear_schedule(init_value, peak_value, warmup_steps),
        cosine_decay_schedule(peak_value, decay_steps - warmup_steps, alpha, exponent),
    ]
    text = f"warmup_cosine_decay_schedule({init_value}, {peak_value}, {warmup_steps}, {decay_steps}, {end_value})"
    return Schedule(join_schedules(parts, [warmup_steps]).function, text, decay_steps)


def piecewise_constant_schedule(
    init_value: float, boundaries_and_scales: Mapping[int, float] | None = None
) -> Schedule:
    """A value that is multiplied by a number at each of some counts.

    Args:
        init_value: the value at the beginning.
        boundaries_and_scales: the numbers by the counts from which on they apply.

    >>> schedule = piecewise_constant_schedule(1.0, {2: 0.5, 4: 0.1})
    >>> [float(schedule(n)) for n in range(6)]
    [1.0, 1.0, 0.5, 0.5, 0.05, 0.05]
    """
    if not isinstance(boundaries_and_scales, Mapping | None):
        raise TypeError(
            f"piecewise_constant_schedule: scales are a dict, not {type(boundaries_and_scales).__name__}"
            f"{at_user_line()}; write {{40: 0.5}} to halve the value from count 40 on"
        )
    pairs = sorted((boundaries_and_scales or {}).items())

    def value(count: Any) -> Any:
        found: Any = init_value
        for boundary, scale in pairs:
            found = np.where(count < boundary, found, found * scale)[()]
        return found

    text = f"piecewise_constant_schedule({init_value}, {dict(pairs)})"
    return Schedule(value, text, pairs[-1][0] * 5 // 4 + 1 if pairs else 1)


def piecewise_interpolate_schedule(
    interpolate_type: str, init_value: float, boundaries_and_scales: Mapping[int, float] | None = None
) -> Schedule:
    """From each of some values to the next, by straight lines or by half waves of the cosine.

    Args:
        interpolate_type: ``"linear"`` or ``"cosine"``.
        init_value: the value at the beginning.
        boundaries_and_scales: by the count at which it is reached, each value as a multiple of the one before.

    Raises:
        ValueError: for another type.
    """
    if interpolate_type not in ("linear", "cosine"):
        raise ValueError(f"interpolate_type is 'linear' or 'cosine', not {interpolate_type!r}{at_user_line()}")
    pairs = sorted((boundaries_and_scales or {}).items())
    starts = np.array([0, *[boundary for boundary, _ in pairs]])
    values = init_value * np.cumprod([1.0, *[scale for _, scale in pairs]])

    def value(count: Any) -> Any:
        found: Any = values[0]
        for k in range(len(pairs)):
            part = np.clip((count - starts[k]) / max(starts[k + 1] - starts[k], 1), 0, 1)
            part = part if interpolate_type == "linear" else (1 - np.cos(np.pi * part)) / 2
            found = np.where(count < starts[k], found, values[k] + (values[k + 1] - values[k]) * part)[()]
        return found

    text = f"piecewise_interpolate_schedule({interpolate_type!r}, {init_value}, {dict(pairs)})"
    return Schedule(value, text, int(starts[-1]))


def cosine_onecycle_schedule(
    transition_steps: int,
    peak_value: float,
    pct_start: float = 0.3,
    div_factor: float = 25.0,
    final_div_factor: float = 1e4,
) -> Schedule:
    """One cycle: by half a wave of the cosine up to a peak, and by another one down to far below the beginning.

    Args:
        transition_steps: how many updates the cycle takes.
        peak_value: the greatest value.
        pct_start: the part of the cycle that goes up.
        div_factor: the peak divided by the first value.
        final_div_factor: the first value divided by the last one.

    Raises:
        ValueError: if the number of steps is not positive.

    L. Smith, N. Topin, Super-Convergence: Very Fast Training of Neural Networks Using Large Learning Rates, 2017.
    """
    check_steps("cosine_onecycle_schedule", transition_steps)
    scales = {int(pct_start * transition_steps): div_factor, transition_steps: 1 / (div_factor * final_div_factor)}
    found = piecewise_interpolate_schedule("cosine", peak_value / div_factor, scales)
    return Schedule(found.function, f"cosine_onecycle_schedule({transition_steps}, {peak_value})", transition_steps)


def linear_onecycle_schedule(
    transition_steps: int,
    peak_value: float,
    pct_start: float = 0.3,
    pct_final: float = 0.85,
    div_factor: float = 25.0,
    final_div_factor: float = 1e4,
) -> Schedule:
    """One cycle: by straight lines up to a peak, down to where it began, and down to far below.

    Args:
        transition_steps: how many updates the cycle takes.
        peak_value: the greatest value.
        pct_start: the part of the cycle that goes up.
        pct_final: the part after which it is back at the first value.
        div_factor: the peak divided by the first value.
        final_div_factor: the first value divided by the last one.

    Raises:
        ValueError: if the number of steps is not positive.

    L. Smith, N. Topin, Super-Convergence: Very Fast Training of Neural Networks Using Large Learning Rates, 2017.
    """
    check_steps("linear_onecycle_schedule", transition_steps)
    scales = {
        int(pct_start * transition_steps): div_factor,
        int(pct_final * transition_steps): 1 / div_factor,
        transition_steps: 1 / final_div_factor,
    }
    found = piecewise_interpolate_schedule("linear", peak_value / div_factor, scales)
    return Schedule(found.function, f"linear_onecycle_schedule({transition_steps}, {peak_value})", transition_steps)


def check_steps(name: str, steps: int, begin: int = 0) -> None:
    """Refuse a transition that takes no steps, or begins before the beginning."""
    if isinstance(steps, str) or isinstance(begin, str):
        raise TypeError(f"{name}: counts of steps are numbers, not {steps!r} from {begin!r}{at_user_line()}")
    if steps <= 0 or begin < 0:
        raise ValueError(
            f"{name}: a transition takes a positive number of steps from a count on that is not negative, not {steps} "
            f"from {begin}{at_user_line()}"
        )
