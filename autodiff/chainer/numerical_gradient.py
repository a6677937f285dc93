"""Derivatives by differences, of functions that read their arguments from arrays which are changed in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_device_from_array
from autodiff.chainer.backends.cuda import to_cpu
from autodiff.facade.settings.configuration import using_config
from autodiff.trace.source import at_user_line

OFFSETS = {False: (-1.0, 1.0), True: (-1.0, -0.5, 0.0, 0.5, 1.0)}
"""Where a function is evaluated, in steps; all five points are needed to see a kink."""


class NondifferentiableError(Exception):
    """A numerical derivative was asked for at a kink, a jump, or the end of the domain."""


def numerical_grad(
    f: Callable[[], Sequence[Any]],
    inputs: Sequence[Any],
    grad_outputs: Sequence[Any],
    eps: float = 1e-3,
    detect_nondifferentiable: bool = False,
    diff_atol: float = 0,
    diff_rtol: float = 1e-2,
    center_outputs: Sequence[Any] | None = None,
) -> list[Any]:
    """(f(x + eps) - f(x - eps)) / (2 eps), element by element, times the gradients of the outputs.

    Args:
        f: a function without arguments that reads ``inputs``, which are changed in place and restored, and returns a
            tuple of arrays or None.
        inputs: arrays of floating-point numbers.
        grad_outputs: for each output its gradient, or None.
        eps: the step.
        detect_nondifferentiable: whether to look for kinks: five points at which the function is not close to a
            parabola are one.
        diff_atol: how far from the parabola they may be, root mean square.
        diff_rtol: the same relative to the range of the five values.
        center_outputs: the outputs at ``inputs``, where they are known.

    Returns:
        for each input the gradient.

    Raises:
        RuntimeError: if an input holds no floating-point numbers.
        ValueError: if ``eps`` is not positive.
        NondifferentiableError: if a kink was looked for and found.

    >>> x = np.array([1.0, 2.0])
    >>> (gradient,) = numerical_grad(lambda: (x**2,), (x,), (np.ones(2),))
    >>> gradient.round(6)
    array([2., 4.])
    """
    if any(x.dtype.kind != "f" for x in inputs):
        kinds = ", ".join(str(x.dtype) for x in inputs)
        raise RuntimeError(f"inputs must be arrays of floating-point numbers, got {kinds}{at_user_line()}")
    if not eps > 0:
        raise ValueError(f"eps, the width of a step, must be positive, got {eps}{at_user_line()}; 1e-3 suits float32")
    offsets = OFFSETS[detect_nondifferentiable]
    gradients = [np.zeros(x.shape, x.dtype) for x in map(to_cpu, inputs)]
    for number, x in enumerate(inputs):
        for index in np.ndindex(x.shape):
            # f may compute with arrays of its own, of another dtype
            with using_config("type_check", False), get_device_from_array(x).create_context():
                columns = along(f, x, index, [eps * offset for offset in offsets], center_outputs)
            if detect_nondifferentiable:
                place = f"inputs[{number}][{', '.join(map(str, index))}]" if index else f"inputs[{number}]"
                refuse_kinks(columns, place, eps, diff_atol, diff_rtol)
            gradients[number][index] = slope(columns, grad_outputs, 2 * eps)
    return [get_device_from_array(x).send(gradient) for x, gradient in zip(inputs, gradients, strict=True)]


def along(
    f: Callable[[], Sequence[Any]], x: Any, index: tuple[int, ...], steps: Iterable[float], center: Sequence[Any] | None
) -> list[list[Any]]:
    """For each output its values, while one element takes several steps from where it is."""
    original, rows = x[index].copy(), []
    try:
        for step in steps:
            x[index] = original + step
            rows.append(
                [
                    y if y is None else to_cpu(y).astype(np.float64)
                    for y in (outputs(f) if center is None or step else center)
                ]
            )
    finally:
        x[index] = original
    return [list(column) for column in zip(*rows, strict=True)]


def outputs(f: Callable[[], Sequence[Any]]) -> Sequence[Any]:
    """What the function returns."""
    found = f()
    if not isinstance(found, (tuple, list)):
        raise AssertionError(f"f must return a tuple of arrays, got {type(found).__name__}{at_user_line()}")
    return found


def slope(columns: Sequence[Sequence[Any]], grad_outputs: Sequence[Any], width: float) -> float:
    """The difference of the outermost values over their distance, times the gradients of the outputs."""
    total = 0.0
    for values, grad in zip(columns, grad_outputs, strict=True):
        if grad is not None and values[0] is not None:
            total += float(((values[-1] - values[0]) * to_cpu(grad).astype(np.float64)).sum()) / width
    return total


def refuse_kinks(columns: Sequence[Sequence[Any]], place: str, eps: float, atol: float, rtol: float) -> None:
    """See that each output is nearly a parabola on five points.

    Raises:
        NondifferentiableError: if one is not, or is NaN at some of the points only.
    """
    for number, values in enumerate(columns):
        if values[0] is None:
            continue
        points = np.stack([np.atleast_1d(np.asarray(to_cpu(value), np.float64)) for value in values])
        invalid = ~np.isfinite(points)
        partly = invalid.any(axis=0) & ~invalid.all(axis=0)
        finite = np.where(invalid, 0.0, points)
        spread = np.ptp(finite, axis=0)
        rounding = 1e-14 * np.abs(finite).max(axis=0)
        if (partly | (misfit(finite) > atol + rtol * spread + rounding)).any():
            shown = "\n".join(
                f"  f at {offset:+.1f} eps: {value}" for offset, value in zip(OFFSETS[True], points, strict=True)
            )
            raise NondifferentiableError(
                f"output {number} is not differentiable at {place} (eps={eps} diff_atol={atol} diff_rtol={rtol}); "
                f"test at another point\n{shown}"
            )


def misfit(points: Any) -> Any:
    """How far five values in a row are from the best parabola through them, root mean square."""
    design = np.vander(np.array(OFFSETS[True]), 3)
    flat = points.reshape(5, -1)
    best = design @ np.linalg.lstsq(design, flat, rcond=None)[0]
    return np.sqrt(np.mean((flat - best) ** 2, axis=0)).reshape(points.shape[1:])
