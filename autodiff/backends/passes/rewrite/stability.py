"""Formulas that lose digits, or overflow on the way, replaced by the functions that were made for them.

Wherever the formula gives a finite number the function gives the same one, as exactly or more so. Where the formula
has overflowed, or taken the logarithm of what had vanished, the function may still have a number. So results differ
from those of the operations one by one, for the better; ``simplify(tape, stable=False)`` leaves the formulas alone.
"""

from __future__ import annotations

from autodiff.backends.passes.rewrite.bounds import lower_bound
from autodiff.backends.passes.rewrite.literals import floating, number
from autodiff.backends.passes.rewrite.patterns import (
    column_shape,
    exponential,
    exponential_beside_one,
    is_one,
    is_shifted,
    summed_exponential,
    unshaped,
)
from autodiff.backends.passes.rewrite.rewriting import Builder, Rules
from autodiff.ops.elementwise import absolute, expm1, log, log1p, logistic, multiply, negative, softplus, subtract
from autodiff.ops.reductions.logsumexp import logsumexp
from autodiff.ops.reductions.softmax import log_softmax, softmax
from autodiff.ops.shape import reshape
from autodiff.trace.tape import Equation, Operand


def never_positive(builder: Builder, operand: Operand) -> bool:
    """Whether a value is known not to be positive: exponentials of such do not overflow."""
    inner = builder.made(operand, "negative")
    if inner is not None:
        return lower_bound(builder, inner.operands[0]) >= 0
    inner = builder.made(operand, "multiply", "divide")
    values = [] if inner is None else [number(o) for o in inner.operands]
    if inner is not None and values.count(None) == 1:
        factor = next(value for value in values if value is not None)
        return bool(factor <= 0) and lower_bound(builder, inner.operands[values.index(None)]) >= 0
    return is_shifted(builder, operand)


def plus_one(builder: Builder, operand: Operand) -> Operand | None:
    """The x in 1 + x."""
    total = builder.made(operand, "add")
    if total is None or not floating(builder, total):
        return None
    return next((x for one, x in (total.operands, total.operands[::-1]) if number(one) == 1), None)


def log_of_sum(builder: Builder, equation: Equation) -> Operand | None:
    """log(1 + x) is log1p(x), and log(sum(exp(x))) is logsumexp(x)."""
    (x,) = equation.operands
    if not floating(builder, equation):
        return None
    rest = plus_one(builder, x)
    if rest is not None:
        return builder.emit(log1p, rest)
    terms = summed_exponential(builder, x)
    if terms is None or is_shifted(builder, terms[0].operands[0]):
        return None
    out = builder.emit(logsumexp, terms[0].operands[0], axes=terms[1])
    shape = equation.specs[0].shape
    return out if builder.spec(out).shape == shape else builder.emit(reshape, out, shape=shape)


def log_of_share(builder: Builder, equation: Equation) -> Operand | None:
    """log(softmax(x)) and log(exp(x) / sum(exp(x))) are log_softmax(x).

    Where the largest x is 0 already, they are x - log(sum(exp(x))).
    """
    (x,) = equation.operands
    shares = builder.made(x, "softmax")
    if shares is not None:
        return builder.emit(log_softmax, shares.operands[0], axes=dict(shares.params)["axes"])
    quotient = share(builder, x)
    if quotient is None:
        return None
    above, below, shape = quotient
    grown, terms = exponential(builder, above), summed_exponential(builder, below)
    if grown is None or terms is None or terms[0] is not grown:
        return None
    if shape != column_shape(grown.specs[0].shape, terms[1]) and shape:
        return None
    inner = grown.operands[0]
    if not is_shifted(builder, inner):
        return builder.emit(log_softmax, inner, axes=terms[1])
    total = builder.emit(log, below)
    return builder.emit(subtract, inner, builder.emit(reshape, total, shape=shape) if shape else total)


def share(builder: Builder, operand: Operand) -> tuple[Operand, Operand, tuple[int, ...]] | None:
    """The x and y in x / y, or in x * (1 / y), and the shape with which y broadcasts."""
    inner = builder.made(operand, "divide")
    if inner is not None:
        return *inner.operands, builder.spec(inner.operands[1]).shape  # type: ignore[return-value]
    inner = builder.made(operand, "multiply")
    for x, y in (inner.operands, inner.operands[::-1]) if inner is not None else ():
        inverse = builder.made(unshaped(builder, y), "divide")
        if inverse is not None and is_one(inverse.operands[0]):
            return x, inverse.operands[1], builder.spec(y).shape
    return None


def log_of_logistic(builder: Builder, equation: Equation) -> Operand | None:
    """log(1 / (1 + exp(x))) is -softplus(x), and so is the logarithm of a logistic function of -x."""
    (x,) = equation.operands
    inner = builder.made(x, "logistic", "expit")
    if inner is not None and builder.spec(inner.operands[0]) == inner.specs[0]:
        return builder.emit(negative, builder.emit(softplus, builder.emit(negative, inner.operands[0])))
    inner = builder.made(x, "divide")
    if inner is None or not is_one(inner.operands[0]):
        return None
    grown = exponential_beside_one(builder, inner.operands[1])
    return None if grown is None else builder.emit(negative, builder.emit(softplus, grown.operands[0]))


def log1p_of_exponential(builder: Builder, equation: Equation) -> Operand | None:
    """log1p(exp(x)) is softplus(x)."""
    grown = exponential(builder, equation.operands[0])
    if grown is None or never_positive(builder, grown.operands[0]):
        return None
    return builder.emit(softplus, grown.operands[0])


def exponential_less_one(builder: Builder, equation: Equation) -> Operand | None:
    """exp(x) - 1 is expm1(x)."""
    x, y = equation.operands
    grown = exponential(builder, x)
    if grown is None or number(y) != 1:
        return None
    return builder.emit(expm1, grown.operands[0])


def share_of_exponential(builder: Builder, equation: Equation) -> Operand | None:
    """where(exp(x) == 1 + exp(x), 1, exp(x) / (1 + exp(x))) is logistic(x): what comes back through log(1 + exp(x)).

    Not where 1 + exp(x) is needed besides, as in a logistic function that was written out. Where exp(x) cannot overflow
    it is the quotient.
    """
    condition, one, quotient = equation.operands
    same = builder.made(condition, "equal")
    if same is None or not is_one(one):
        return None
    for part, total in (same.operands, same.operands[::-1]):
        grown = exponential(builder, part)
        if grown is None or exponential_beside_one(builder, total) is not grown:
            continue
        if not divided(builder, quotient, total):
            continue
        if never_positive(builder, grown.operands[0]):
            return quotient
        if builder.used_at_most(total, 2):
            return builder.emit(logistic, grown.operands[0])
    return None


def divided(builder: Builder, operand: Operand, total: Operand) -> bool:
    """Whether a value is exp(x) / total, where total is 1 + exp(x)."""
    found = share(builder, operand)
    return found is not None and found[1] == total and exponential(builder, found[0]) is not None


def cotangent_of_logsumexp(builder: Builder, equation: Equation) -> Operand | None:
    """g / sum(exp(x)) * exp(x) is g * softmax(x): what comes back through log(sum(exp(x)))."""
    for part, other in (equation.operands, equation.operands[::-1]):
        grown, quotient = exponential(builder, other), builder.made(unshaped(builder, part), "divide")
        if grown is None or quotient is None or is_shifted(builder, grown.operands[0]):
            continue
        terms = summed_exponential(builder, quotient.operands[1])
        if terms is None or terms[0] is not grown:
            continue
        shape, g = builder.spec(part).shape, quotient.operands[0]
        if shape != column_shape(grown.specs[0].shape, terms[1]) and shape:
            continue
        if builder.spec(g).shape and builder.spec(g).shape != shape:
            g = builder.emit(reshape, g, shape=shape)
        return builder.emit(multiply, g, builder.emit(softmax, grown.operands[0], axes=terms[1]))
    return None


def root_of_square(builder: Builder, equation: Equation) -> Operand | None:
    """sqrt(x * x) is |x|."""
    inner = builder.made(equation.operands[0], "square")
    return builder.emit(absolute, inner.operands[0]) if inner is not None and floating(builder, equation) else None


STABILITY: Rules = {
    "log": (log_of_share, log_of_logistic, log_of_sum),
    "log1p": (log1p_of_exponential,),
    "subtract": (exponential_less_one,),
    "multiply": (cotangent_of_logsumexp,),
    "where": (share_of_exponential,),
    "sqrt": (root_of_square,),
}
