"""The errors of tracing by their classes; :mod:`autodiff.trace.errors` has what their texts are made of."""

from __future__ import annotations


class AutodiffError(Exception):
    """Base class of the errors that only autodiff raises."""


class ConcretizationError(AutodiffError, RuntimeError):
    """A traced value would have become a plain number or array, and its derivative would have been lost."""


class LeakedTracerError(AutodiffError, RuntimeError):
    """A traced value was used after the transformation that made it had ended."""


class DifferentiationError(AutodiffError, TypeError):
    """What was asked to be differentiated has no derivative of that kind."""


class LeafError(AutodiffError, TypeError):
    """Something is no array or number of a kind that is known, where only those can take part."""


class OperandError(AutodiffError, ValueError):
    """The operands of an operation do not fit together."""


class AliasingError(AutodiffError, RuntimeError):
    """Whether two traced arrays share memory is not known, and one of them was written to."""


class RuleError(AutodiffError, RuntimeError):
    """A derivative rule returned something that does not fit its operand: a bug in the rule."""
