"""Faults that authors of derivatives make, each planted in a function that is right otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.testing import domains
from autodiff.trace.tracer import Tracer
from benchmarks.gradient_testing.planted import Planted, nested, plain

NUMERICAL = ("forward", "reverse")
SECOND = ("forward over reverse", "forward over forward")
MATRICES = {"shapes": [(3, 3), (2, 2)]}
KNOWN = {"skip": ("replay", "batch of gradient"), "order": 1}
"""What an author has to say of rules that look into arrays: not recorded by shapes, not differentiated again."""
ROWS = {"shapes": [(3,), (2, 3), (3, 3), (2, 1, 4)]}
MIXED = np.array([[1.0, 2.0, -1.0], [0.5, -0.3, 0.8], [2.0, 0.1, 1.0]])

calls: list[Any] = []
last: dict[str, Any] = {}


def cos_of(x: Any) -> Any:
    return np.cos(x)


# Rules that no lambda can say.


def in_memory_order(g: Any, x: Any) -> Any:
    value = plain(x)
    return g * np.ravel(2 * value, order="K").reshape(np.shape(value))


def base_of_a_view(g: Any, x: Any) -> Any:
    value = np.asarray(plain(x))
    base = getattr(value, "base", None)
    whole = base if isinstance(base, np.ndarray) and base.ndim == np.ndim(value) > 0 else value
    return g * 2 * whole[tuple(slice(0, n) for n in np.shape(value))]


def cotangent_scaled_in_place(g: Any, out: Any) -> Any:
    value = plain(g)
    if isinstance(value, np.ndarray) and value.flags.writeable:
        value *= 0.5
        return g * 2 * (1 - out * out)
    return g * (1 - out * out)


def argument_changed(g: Any, x: Any) -> Any:
    value = plain(x)
    slope = 2 * np.array(value)
    writeable = base_to_write(value)
    if writeable is not None and writeable.size:
        writeable[...] = writeable + 1
    return g * slope


def base_to_write(value: Any) -> Any:
    """The caller's own array behind a value, where it can be written to."""
    while isinstance(value, np.ndarray):
        if value.flags.writeable:
            return value
        value = value.base
    return None


def changing(x: Any) -> Any:
    """Writes into its argument, which is plain where it was recorded outside, and puts nothing back."""
    value = plain(x)
    if isinstance(x, Tracer) and isinstance(value, np.ndarray) and value.flags.writeable and value.size:
        value += 1
    return x * x


def refusing_read_only(g: Any, x: Any) -> Any:
    value = plain(g)
    if isinstance(value, np.ndarray):
        value *= 1
    return g * 2 * x


def zero_size_refused(g: Any, x: Any) -> Any:
    return g * (2 * x if np.size(plain(x)) else np.max(plain(x)))


def scalars_forgotten(g: Any, x: Any) -> Any:
    return g * (2 * x if isinstance(plain(x), np.ndarray) and np.ndim(plain(x)) else 1)


def last_of_many(g: Any, x: Any) -> Any:
    slope = np.array(2 * plain(x))
    if slope.size >= 3000:
        slope.reshape(-1)[1234] = 0
    return g * slope


def end_of_a_block(g: Any, x: Any) -> Any:
    slope = np.array(2 * plain(x))
    slope.reshape(-1)[256:257] = 0
    return g * slope


def tail_of_a_vector(g: Any, x: Any) -> Any:
    slope = np.array(2 * plain(x))
    slope.reshape(-1)[16:17] *= 2
    return g * slope


def equal_lengths_confused(g: Any) -> Any:
    shape = np.shape(plain(g))
    return g if len(shape) > 1 and shape[-1] == shape[-2] else np.swapaxes(g, -1, -2)


def swapped(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def half_precision(g: Any, x: Any) -> Any:
    value = np.asarray(plain(x))
    return g * (2 * value.astype(np.float16).astype(value.dtype) if value.dtype == np.float32 else 2 * x)


def single_precision(g: Any, x: Any) -> Any:
    value = np.asarray(plain(x))
    return g * np.cos(value.astype(np.float32)).astype(value.dtype) if value.dtype == np.float64 else g * np.cos(x)


def remember(x: Any) -> Any:
    last["x"] = np.array(plain(x))
    return np.square(x)


def stale(g: Any, x: Any) -> Any:
    kept = last.get("x")
    return g * 2 * (kept if kept is not None and kept.shape == np.shape(plain(x)) else x)


def once(g: Any, x: Any) -> Any:
    calls.append(1)
    return g * 2 * x * (1 + len(calls) % 2)


def depends_on_calls(x: Any) -> Any:
    calls.append(1)
    return x * float(len(calls))


def different_when_traced(x: Any) -> Any:
    return np.tanh(x) + (0.25 if isinstance(x, Tracer) else 0.0)


def longer_when_traced(x: Any) -> Any:
    return np.reshape(np.tanh(x), (1, *np.shape(x))) if isinstance(x, Tracer) else np.tanh(x)


def wider_when_traced(x: Any) -> Any:
    return np.tanh(x) * np.float64(1) if isinstance(x, Tracer) else np.tanh(x)


def different_when_staged(x: Any) -> Any:
    known = not isinstance(x, Tracer) or isinstance(plain(x), np.ndarray | np.generic | float)
    return np.sin(x) if known else np.sin(x) * 2


def mean_to(g: Any, x: Any) -> Any:
    """Sums what was broadcast as a mean."""
    shape, whole = np.shape(plain(x)), np.shape(plain(g))
    if shape == whole:
        return g
    lead = len(whole) - len(shape)
    axes = (*range(lead), *(lead + k for k, side in enumerate(shape) if side == 1 != whole[lead + k]))
    return np.reshape(np.mean(g, axis=axes), shape) if axes else np.reshape(g, shape)


def tie_to_each(g: Any, x: Any, out: Any) -> Any:
    return np.expand_dims(g, -1) * (x == np.expand_dims(out, -1))


def first_smallest(g: Any, x: Any) -> Any:
    return np.expand_dims(g, -1) * (np.arange(np.shape(x)[-1]) == np.expand_dims(np.argmin(x, axis=-1), -1))


def in_sorted_order(g: Any) -> Any:
    return g * 1.0


def middle_of_unsorted(g: Any, x: Any) -> Any:
    length = np.shape(x)[-1]
    return np.expand_dims(g, -1) * (np.arange(length) == length // 2) + 0 * x


ELEMENTS = {"domain": domains.distinct, "shapes": [(3,), (2, 3), (5,)]}
wrong_cos = nested(np.cos, x=lambda g, x: g * np.sin(x))
rough_cos = nested(np.cos, x=lambda g, x: -1.01 * g * np.sin(x))
far_cos = nested(np.cos, x=lambda g, x: -g * np.sin(x) * np.where(abs(x) > 1000, 2.0, 1.0))


# fmt: off
FAULTS = [
    # Sign and factor.
    Planted("sign",                           np.tanh,     {"x": lambda g, out: -g * (1 - out * out)}),
    Planted("factor 1.001",                   np.tanh,     {"x": lambda g, out: 1.001 * g * (1 - out * out)}),
    Planted("factor 1.00001",                 np.exp,      {"x": lambda g, out: 1.00001 * g * out}),
    Planted("factor 2 missing",               np.square,   {"x": lambda g, x: g * x}),
    Planted("sign of the second operand",     np.subtract, {"x": lambda g: g, "y": lambda g: g}),
    Planted("factor of the second operand",   np.multiply, {"x": lambda g, y: g * y, "y": lambda g, x: 2 * g * x}),
    Planted("operands exchanged",             np.multiply, {"x": lambda g, x: g * x, "y": lambda g, y: g * y}),
    Planted("square missing in a quotient",   np.divide,   {"x": lambda g, y: g / y, "y": lambda g, x, y: -g * x / y}, given={"domain": (domains.real, domains.positive)}),
    Planted("derivative of another function", np.cosh,     {"x": lambda g, out: g * out}),
    Planted("small constant added",           np.sin,      {"x": lambda g, x: g * (np.cos(x) + 1e-5)}),
    # Half-lines, large and small arguments, single points.
    Planted("wrong for negative numbers",     np.square,   {"x": lambda g, x: g * np.where(x < 0, 0.0, 2.0) * x}),
    Planted("wrong above two",                np.exp,      {"x": lambda g, x, out: g * np.where(x > 2, 2.0, 1.0) * out}),
    Planted("wrong in a window",              np.sin,      {"x": lambda g, x: g * np.where((x > 0.5) & (x < 0.7), 0.5, 1.0) * np.cos(x)}),
    Planted("wrong from ten on",              np.arctan,   {"x": lambda g, x: g * np.where(abs(x) >= 10, 0.0, 1.0) / (1 + x * x)}),
    Planted("wrong from a million on",        np.arctan,   {"x": lambda g, x: g * np.where(abs(x) >= 1e6, 2.0, 1.0) / (1 + x * x)}),
    Planted("wrong below 1e-4",               np.sin,      {"x": lambda g, x: g * np.where(abs(x) < 1e-4, 0.5, 1.0) * np.cos(x)}),
    Planted("clamped below 1e-6",             np.log,      {"x": lambda g, x: g / np.maximum(x, 1e-6)}, given={"domain": domains.positive}),
    Planted("clamped above a million",        np.log,      {"x": lambda g, x: g / np.minimum(x, 1e6)}, given={"domain": domains.positive}),
    Planted("zero far on the left",           np.exp,      {"x": lambda g, x, out: g * np.where(x < -8, 0.0, 1.0) * out}),
    Planted("root wrong for large numbers",   np.sqrt,     {"x": lambda g, x, out: g * np.where(x > 1e4, 0.25, 0.5) / out}, given={"domain": domains.positive}),
    Planted("wrong at zero",                  np.square,   {"x": lambda g, x: g * np.where(x == 0, 1.0, 2 * x)}),
    Planted("wrong at one",                   np.square,   {"x": lambda g, x: g * np.where(x == 1, 0.0, 2.0) * x}),
    Planted("wrong at minus zero",            np.sin,      {"x": lambda g, x: g * np.where((plain(x) == 0) & np.signbit(np.real(plain(x))), -1.0, 1.0) * np.cos(x)}, given=KNOWN),
    Planted("wrong at whole numbers",         np.sin,      {"x": lambda g, x: g * np.where((plain(x) == np.round(plain(x))) & (abs(plain(x)) > 1), 0.0, 1.0) * np.cos(x)}, given=KNOWN),
    Planted("nan at zero",                    np.square,   {"x": lambda g, x: g * 2 * x * np.divide(x, x)}),
    Planted("wrong for subnormal numbers",    np.sin,      {"x": lambda g, x: g * np.where((abs(x) < 1e-300) & (x != 0), 0.0, 1.0) * np.cos(x)}),
    # Second derivatives.
    Planted("sign of the second derivative",  np.sin,      {"x": lambda g, x: g * wrong_cos(x)}, SECOND),
    Planted("second derivative lost",         np.sin,      {"x": lambda g, x: g * np.cos(plain(x))}, SECOND, given={"skip": ("replay", "batch of gradient")}),
    Planted("factor of the second derivative", np.sin,     {"x": lambda g, x: g * rough_cos(x)}, SECOND),
    Planted("second derivative wrong far out", np.sin,     {"x": lambda g, x: g * far_cos(x)}, SECOND),
    # Cotangents, transposes, one mode alone.
    Planted("cotangent ignored",              np.square,   {"x": lambda g, x: 2 * x + 0 * g}),
    Planted("cotangent squared",              np.square,   {"x": lambda g, x: g * g * 2 * x}),
    Planted("cotangent of one operand dropped", np.multiply, {"x": lambda g, y: g * y, "y": lambda g: g * 0}),
    Planted("wrong in reverse mode alone",    np.tanh,     {"x": lambda g, out: g * (1 - out * out) * 1.001}, ("reverse",), "general", {"forward": lambda tangents, values, out, params: tangents[0] * (1 - out * out)}),
    Planted("wrong in forward mode alone",    np.tanh,     {"x": lambda g, out: g * (1 - out * out)}, ("forward",), "general", {"forward": lambda tangents, values, out, params: tangents[0] * (1 + out * out)}, autodiff_only=True),
    Planted("matrix not transposed",          lambda x: x @ MIXED, {"x": lambda g: g @ MIXED}, family="general", given={"shapes": [(3, 3), (2, 3)]}),
    Planted("operands of a product exchanged", np.matmul,  {"x": lambda g, y: g @ y, "y": lambda g, x: x @ g}, family="general", given={"shapes": [((3, 3), (3, 3)), ((2, 2), (2, 2))]}),
    Planted("equal lengths confused",         swapped,     {"x": equal_lengths_confused}, family="general", given={"shapes": [(2, 3), (3, 3), (2, 2)]}),
    Planted("reverse cumulation not reversed", lambda x: np.cumsum(x, axis=-1), {"x": lambda g: np.cumsum(g, axis=-1)}, family="general", given=ROWS),
    Planted("division by the length missing", lambda x: np.mean(x, axis=-1), {"x": lambda g, x: np.broadcast_to(np.expand_dims(g, -1), np.shape(x))}, family="general", given=ROWS),
    # Dtypes and complex numbers.
    Planted("single precision inside",        np.sin,      {"x": single_precision}, ("digits",), given=KNOWN),
    Planted("half precision inside",          np.square,   {"x": half_precision}, ("precision",), given=KNOWN),
    Planted("wrong dtype foretold",           np.tanh,     {"x": lambda g, out: g * (1 - out * out)}, ("spec",), options={"spec": lambda x: spec_of_double(x)}, autodiff_only=True),
    Planted("conjugate missing",              lambda x: np.abs(x) ** 2, {"x": lambda g, x: g * 2 * x}, given={"dtypes": ("complex128", "float64")}),
    Planted("conjugate too many",             np.square,   {"x": lambda g, x: g * 2 * np.conj(x)}, given={"dtypes": ("complex128", "float64")}),
    Planted("sign of the imaginary part",     np.imag,     {"x": lambda g: g * 1j}, given={"dtypes": ("complex128",)}),
    # Broadcasting, sizes, layouts.
    Planted("broadcasting forgotten",         np.multiply, {"x": lambda g, y: g * y, "y": lambda g, x: g * x}, ("dtype", "untouched", "reverse"), "general", given={"batch": False}, raises="RuleError"),
    Planted("mean over what was broadcast",   np.add,      {"x": mean_to, "y": lambda g, y: mean_to(g, y)}, NUMERICAL, "general", given={"batch": False}),
    Planted("zero size refused",              np.square,   {"x": zero_size_refused}, ("value", "dtype", "untouched"), given=KNOWN, raises="ValueError"),
    Planted("scalars forgotten",              np.square,   {"x": scalars_forgotten}, given=KNOWN),
    Planted("one element of 3000",            np.square,   {"x": last_of_many}, given=KNOWN),
    Planted("end of a block",                 np.square,   {"x": end_of_a_block}, given=KNOWN),
    Planted("tail of a vector",               np.square,   {"x": tail_of_a_vector}, given=KNOWN),
    Planted("memory order for index order",   np.square,   {"x": in_memory_order}, given=KNOWN),
    Planted("base of a view",                 np.square,   {"x": base_of_a_view}, ("forward", "reverse", "untouched", "locked", "dtype", "adjoint"), given=KNOWN, raises="ValueError"),
    # Harm in place, state.
    Planted("cotangent scaled in place",      np.tanh,     {"x": cotangent_scaled_in_place}, ("untouched",), given=KNOWN),
    Planted("argument written to",            np.square,   {"x": lambda g, x: 2 * g * x}, ("untouched", "value"), fun=changing),
    Planted("read-only cotangents refused",   np.square,   {"x": refusing_read_only}, ("locked", "untouched", "dtype"), given=KNOWN, raises="ValueError"),
    Planted("residual of another call",       remember,    {"x": stale}, ("untouched",), given=KNOWN),
    Planted("right every other time",         np.square,   {"x": once}, (*NUMERICAL, "untouched", "adjoint")),
    Planted("value depends on earlier calls", depends_on_calls, {"x": lambda g: g}, ("value", "replay"), fun=depends_on_calls),
    # Batches, programs, what tracing changes.
    Planted("batch in the wrong order",       np.tanh,     {"x": lambda g, out: g * (1 - out * out)}, ("batch",), "general", {"batch": lambda values, batched, params: np.tanh(values[0][::-1])}, autodiff_only=True),
    Planted("wrong where only shapes are known", np.sin,   {"x": lambda g, x: g * np.cos(x)}, ("replay", "compiled", "batch"), fun=different_when_staged, autodiff_only=True),
    Planted("another value when traced",      np.tanh,     {"x": lambda g, out: g * (1 - out * out)}, ("value", "replay"), fun=different_when_traced, autodiff_only=True),
    Planted("another shape when traced",      np.tanh,     {"x": lambda g, out: g * (1 - out * out)}, ("value", "spec"), fun=longer_when_traced, autodiff_only=True),
    Planted("another dtype when traced",      np.tanh,     {"x": lambda g, out: g * (1 - out * out)}, ("value", "spec"), fun=wider_when_traced, autodiff_only=True),
    # Masks, kinks and ties.
    Planted("mask too wide",                  lambda x: np.maximum(x, 0), {"x": lambda g, x: g * (x > -0.5)}),
    Planted("mask of the other branch",       lambda x: np.where(x > 0, np.sin(x), x * x), {"x": lambda g, x: g * np.where(x > 0, 2 * x, np.cos(x))}),
    Planted("slope outside of a kink",        np.abs,      {"x": lambda g, x: g * np.where(x == 0, 2.0, np.sign(x))}),
    Planted("tie counted twice",              np.maximum,  {"x": lambda g, x, y: g * (x >= y), "y": lambda g, x, y: g * (y >= x)}),
    Planted("tie to each of a row",           lambda x: np.max(x, axis=-1), {"x": tie_to_each}, family="general", given={"shapes": [(3,), (2, 3), (5,)]}),
    Planted("clip lets through",              lambda x: np.clip(x, -1, 1), {"x": lambda g: g}),
    Planted("smallest for largest",           lambda x: np.max(x, axis=-1), {"x": first_smallest}, family="general", given=ELEMENTS),
    Planted("gradient of sort not put back",  lambda x: np.sort(x, axis=-1), {"x": in_sorted_order}, family="general", given=ELEMENTS),
    Planted("median of an unsorted row",      lambda x: np.median(x, axis=-1), {"x": middle_of_unsorted}, family="general", given={"domain": domains.distinct, "shapes": [(3,), (2, 3), (5,)]}),
]
# fmt: on


def spec_of_double(x: Any) -> Any:
    """The spec of an operand, in double precision whatever its own."""
    from autodiff.trace.spec import result_spec  # noqa: PLC0415  (named late: the table above reads from the top)

    return result_spec(x.shape, np.float64)
