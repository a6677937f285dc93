"""Filters with feedback, of traced signals, coefficients and states."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, peeled
from autodiff.ops.recursive_filter import recursive_filter
from autodiff.scipy.linear import along, linear_counterpart
from autodiff.scipy.mirror import counterpart, holds_traced
from autodiff.scipy.signal.filters import full_convolution, inexact
from autodiff.trace.errors import DifferentiationError, OperandError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


@counterpart(scipy.signal.lfilter)
def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """The signal y with a[0] y[n] = b[0] x[n] + b[1] x[n - 1] + ... - a[1] y[n - 1] - ..., and the state at its end.

    Coefficients, signal and state may be traced; the time is proportional to the length of the signal.

    >>> import numpy as np, autodiff
    >>> autodiff.grad(lambda a: np.sum(lfilter([1.0], [1.0, a], np.ones(3))))(-0.5)
    -3.0
    """
    if not holds_traced((b, a)):
        return of_signal(b, a, x, axis, zi)
    b, a, x = (inexact(FUNCTIONS[np.atleast_1d](as_operand(each))) for each in (b, a, x))
    x = FUNCTIONS[np.moveaxis](x, axis, -1)
    b, feedback = b / a[:1], a[1:] / a[:1]
    count, length = max(b.shape[0], a.shape[0]) - 1, x.shape[-1]
    forward = full_convolution(x, beside(b, x))
    entering = forward[..., :length]
    state = None if zi is None else FUNCTIONS[np.moveaxis](as_operand(zi), axis, -1)
    if state is not None:
        entering = entering + with_length(state, length)
    y = recursive_filter(feedback, entering) if a.shape[0] > 1 else entering
    found = FUNCTIONS[np.moveaxis](y, -1, axis)
    if state is None:
        return found
    left = with_length(forward[..., length:], count) + with_length(state[..., length:], count)
    if a.shape[0] > 1:
        whole = FUNCTIONS[np.concatenate]([np.zeros(1, spec_of(feedback).dtype), feedback])
        left = left - with_length(full_convolution(y, beside(whole, y))[..., length:], count)
    return found, FUNCTIONS[np.moveaxis](left, -1, axis)


def beside(kernel: Any, x: Any) -> Any:
    """A kernel along the last axis, with as many axes as a signal."""
    return FUNCTIONS[np.reshape](kernel, (1,) * (len(x.shape) - 1) + tuple(kernel.shape))


def with_length(x: Any, length: int) -> Any:
    """So many elements of the last axis, zeros where there are fewer."""
    own = x.shape[-1]
    if own >= length:
        return x[..., :length]
    return FUNCTIONS[np.pad](x, [(0, 0)] * (len(x.shape) - 1) + [(0, length - own)])


def of_signal(b: Any, a: Any, x: Any, axis: int, zi: Any) -> Any:
    """A filter of constant coefficients: linear in signal and state."""
    if zi is None:
        return _linear_lfilter(b, a, x, axis)
    count = max(np.size(a), np.size(b)) - 1
    x, zi = (FUNCTIONS[np.moveaxis](as_operand(each), axis, -1) for each in (x, zi))
    length, lead = x.shape[-1], np.broadcast_shapes(x.shape[:-1], zi.shape[:-1])
    both = FUNCTIONS[np.concatenate](
        [FUNCTIONS[np.broadcast_to](each, (*lead, each.shape[-1])) for each in (zi, x)], -1
    )
    found = along(
        lambda own: np.concatenate(scipy.signal.lfilter(b, a, own[..., count:], zi=own[..., :count]), -1),
        both,
        transposed=lambda g, _: from_the_end(b, a, g, length),
    )
    y, state = found[..., :length], found[..., length:]
    return FUNCTIONS[np.moveaxis](y, -1, axis), FUNCTIONS[np.moveaxis](state, -1, axis)


def from_the_end(b: Any, a: Any, g: Any, length: int) -> Any:
    """The transpose of a filter that goes on from a state: cotangents of the state, and of the signal behind them.

    Args:
        b: the coefficients of what comes in.
        a: those of what went out.
        g: cotangents of the signal that went out, and of the state at its end behind them.
        length: of the signal.
    """
    count = max(np.size(a), np.size(b)) - 1
    b, a = (np.pad(np.atleast_1d(each), (0, count + 1 - np.size(each))) / np.ravel(a)[0] for each in (b, a))
    # What goes out takes part in all that comes later. Beyond the end, that are the elements of the state.
    later = np.array([[-a[k + n + 1] if k + n < count else 0.0 for n in range(count)] for k in range(count)])
    out, state = g[..., :length], g[..., length:]
    begin = state @ later.T if count else np.zeros((*g.shape[:-1], 0), g.dtype)
    back, _ = scipy.signal.lfilter([1.0], a, out[..., ::-1], zi=begin)
    whole = np.concatenate([back[..., ::-1], state], -1)
    before = scipy.signal.lfilter(b, [1.0], whole[..., ::-1])[..., count:][..., ::-1]
    return np.concatenate([whole[..., :count], before], -1)


def reversed_filter(original: Any) -> Any:
    """The transpose of a filter that begins at rest: itself, from the end of the signal to its beginning."""
    return lambda g, length, options: original(x=g[..., ::-1], **options)[..., ::-1]


_linear_lfilter = linear_counterpart(
    scipy.signal.lfilter, "scipy.signal.lfilter", 2, reversed_filter(scipy.signal.lfilter)
)
_linear_sosfilt = linear_counterpart(
    scipy.signal.sosfilt, "scipy.signal.sosfilt", 1, reversed_filter(scipy.signal.sosfilt)
)
_linear_filtfilt = linear_counterpart(scipy.signal.filtfilt, "scipy.signal.filtfilt", 2)


@counterpart(scipy.signal.sosfilt)
def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """A filter as a cascade of sections, each with two elements of memory; sections, signal and state may be traced."""
    if zi is None and not holds_traced(sos):
        return _linear_sosfilt(sos, x, axis)
    sos = sections_of(sos)
    if zi is None:
        for k in range(sos.shape[0]):
            x = lfilter(sos[k, :3], sos[k, 3:], x, axis)
        return x
    zi, states = as_operand(zi), []
    for k in range(sos.shape[0]):
        x, state = lfilter(sos[k, :3], sos[k, 3:], x, axis, zi[k])
        states.append(state)
    return x, FUNCTIONS[np.stack](states)


def sections_of(sos: Any) -> Any:
    """Sections in rows.

    Raises:
        OperandError: for another shape.
    """
    sos = as_operand(sos)
    if len(np.shape(sos)) != 2 or np.shape(sos)[1] != 6:
        raise OperandError(f"sections of a filter got {spec_of(sos)!r}{at_user_line()}; they are rows of six numbers")
    return sos


@counterpart(scipy.signal.lfilter_zi)
def lfilter_zi(b: Any, a: Any) -> Any:
    """The state of a filter that a step leaves as it is."""
    b, a = (inexact(FUNCTIONS[np.atleast_1d](as_operand(each))) for each in (b, a))
    count = max(b.shape[0], a.shape[0])
    b, a = (with_length(each, count) / a[:1] for each in (b, a))
    entering = b[1:] - a[1:] * b[:1]
    first = FUNCTIONS[np.sum](entering) / FUNCTIONS[np.sum](a)
    before = FUNCTIONS[np.concatenate]([entering[:0], entering[:1] * 0, FUNCTIONS[np.cumsum](entering)[:-1]])
    return FUNCTIONS[np.cumsum](a)[:-1] * first - before[: count - 1]


@counterpart(scipy.signal.sosfilt_zi)
def sosfilt_zi(sos: Any) -> Any:
    """The states of sections that a step leaves as they are."""
    sos, states, scale = sections_of(sos), [], 1.0
    for k in range(sos.shape[0]):
        b, a = sos[k, :3], sos[k, 3:]
        states.append(scale * lfilter_zi(b, a))
        scale = scale * FUNCTIONS[np.sum](b) / FUNCTIONS[np.sum](a)
    return FUNCTIONS[np.stack](states)


@counterpart(scipy.signal.filtfilt)
def filtfilt(
    b: Any,
    a: Any,
    x: Any,
    axis: int = -1,
    padtype: Any = "odd",
    padlen: Any = None,
    method: str = "pad",
    irlen: Any = None,
) -> Any:
    """A filter forwards and then backwards, of the signal with ends that go on; coefficients may be traced, too."""
    if method == "gust":
        if holds_traced((b, a)):
            raise DifferentiationError(
                f"filtfilt of traced coefficients has no method='gust'{at_user_line()}; leave it out"
            )
        return _linear_filtfilt(b, a, x, axis, method=method, irlen=irlen)
    if method != "pad":
        raise ValueError("method must be 'pad' or 'gust'.")
    zi = lfilter_zi(b, a) if holds_traced((b, a)) else scipy.signal.lfilter_zi(b, a)
    return both_ways(
        lambda x, first: lfilter(b, a, x, zi=zi * first)[0], x, axis, padtype, padlen, max(np.size(a), np.size(b))
    )


@counterpart(scipy.signal.sosfiltfilt)
def sosfiltfilt(sos: Any, x: Any, axis: int = -1, padtype: Any = "odd", padlen: Any = None) -> Any:
    """A cascade of sections forwards and then backwards; sections may be traced, too."""
    sos = sections_of(sos)
    zi = sosfilt_zi(sos) if holds_traced(sos) else scipy.signal.sosfilt_zi(sos)
    taps = 2 * zi.shape[0] + 1
    if padlen is None:
        numbers = peeled(sos, "the default of padlen=, which looks at the sections")
        taps -= min((numbers[:, 2] == 0).sum(), (numbers[:, 5] == 0).sum())

    def filtered(x: Any, first: Any) -> Any:
        states = FUNCTIONS[np.reshape](zi, (zi.shape[0], *(1,) * (len(x.shape) - 1), 2))
        return sosfilt(sos, x, zi=states * first)[0]

    return both_ways(filtered, x, axis, padtype, padlen, taps)


def both_ways(filtered: Any, x: Any, axis: int, padtype: Any, padlen: Any, taps: int) -> Any:
    """A filter along the last axis, given a signal and its first element, forwards and then backwards.

    Raises:
        ValueError: if the signal is too short for its ends to go on so far.
    """
    x = FUNCTIONS[np.moveaxis](inexact(x), axis, -1)
    edge = 0 if padtype is None else taps * 3 if padlen is None else padlen
    if padtype not in ("odd", "even", "constant", None):
        raise ValueError(f"padtype is 'odd', 'even', 'constant' or None, and not {padtype!r}")
    if x.shape[-1] <= edge:
        raise ValueError(f"the signal has {x.shape[-1]} elements{at_user_line()}, and needs more than padlen={edge}")
    if edge:
        first, last = x[..., :1], x[..., -1:]
        before, after = x[..., edge:0:-1], x[..., -2 : -(edge + 2) : -1]
        if padtype == "odd":
            before, after = 2 * first - before, 2 * last - after
        elif padtype == "constant":
            before, after = before * 0 + first, after * 0 + last
        x = FUNCTIONS[np.concatenate]([before, x, after], -1)
    y = filtered(x, x[..., :1])[..., ::-1]
    y = filtered(y, y[..., :1])[..., ::-1]
    return FUNCTIONS[np.moveaxis](y[..., edge:-edge] if edge else y, -1, axis)
