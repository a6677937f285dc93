"""One function on its way through many arguments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from math import log10
from types import MappingProxyType
from typing import Any

import numpy as np

from autodiff.testing.cases import Case
from autodiff.testing.checks import Examination, examine
from autodiff.testing.draws.examples import tells
from autodiff.testing.draws.of_case import accepts
from autodiff.testing.draws.operand import Operands
from autodiff.testing.draws.smaller import smallest
from autodiff.testing.lawbook.table import LAWS, Law
from autodiff.testing.mismatch import GradientMismatch, Subject, Undecided
from autodiff.testing.summary import Summary

NOTHING = -20.0
"""The score of arguments at which nothing is off."""


class Trial:
    """The laws of one row of a table, checked at one point after the other.

    Args:
        case: the row.
        chosen: the names of its laws.
        table: the laws by their names.
        others: the derivatives that came with the function, by the names that the laws' calls have for them.
    """

    def __init__(
        self,
        case: Case,
        chosen: Collection[str],
        table: Mapping[str, Law] = LAWS,
        others: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
    ) -> None:
        self.case = case
        self.chosen = chosen
        self.table = table
        self.others = others
        self.summary = Summary(case.name)
        self.refusal: Exception | None = None

    def check(self, sample: Operands) -> float:
        """Check the laws at one point; the decimal logarithm of the largest error, as a part of what is allowed."""
        refusal = accepts(self.case, sample)
        if refusal is not None:
            self.refusal = refusal
            self.summary.refused += 1
            return NOTHING
        if sample.extreme and not tells(self.case.of_operands, sample):
            return NOTHING
        try:
            found = self.examine(sample)
        except GradientMismatch as mismatch:
            if not (sample.unasked and is_singular(mismatch)):
                raise
            self.summary.refused += 1
            return NOTHING
        self.summary.add(found, numerical=sample.smooth and not sample.extreme)
        if found.problem.search.puzzling:  # it holds here, which took long to find out: no more of such arguments
            return NOTHING
        return log10(max(found.problem.disagreement, 10.0**NOTHING))

    def examine(self, sample: Operands) -> Examination:
        """What becomes of the laws at one point."""
        subject = Subject(self.case.fun, self.case.arguments(sample.args), self.case.name, self.others)
        return examine(
            subject,
            self.chosen,
            order=self.case.order,
            batch=self.case.batch,
            smooth=sample.smooth,
            extreme=sample.extreme,
            table=self.table,
            staged=self.case.staged,
        )

    def check_smaller(self, sample: Operands) -> None:
        """Check the laws at one point; where one is broken, raise at the smallest part that breaks it."""
        try:
            self.check(sample)
        except GradientMismatch as found:
            raise smallest(sample, self.check, found) from None

    def check_decided(self) -> None:
        """Refuse a function of which nothing was found out."""
        if self.refusal is not None and not self.summary.points:
            raise self.refusal
        for law in sorted(set(self.summary.nowhere_decided) - set(self.summary.unstaged)):
            reason = self.summary.reasons.most_common(1)[0][0]
            raise Undecided(f"the law {law!r} could not be decided for {self.case.name}: {reason}")
        if self.others and not (self.summary.decided or self.summary.undecided):
            raise Undecided(
                f"no derivative of {self.case.name} was checked: "
                "its arguments or its results are no floating-point numbers"
            )


def is_singular(found: GradientMismatch) -> bool:
    """Whether a law fails because there is no derivative, as of eigenvectors of equal eigenvalues."""
    return found.law == "continuous" or isinstance(found.__cause__, np.linalg.LinAlgError | Warning)
