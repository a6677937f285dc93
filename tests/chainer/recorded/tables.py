"""All tables of cases by group; a group is one recorded file."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from tests.chainer.recorded.case import Case, numbered

FUNCTION_GROUPS = (
    "activation", "array", "connection", "evaluation", "loss", "math", "noise", "normalization", "pooling", "rnn", "kinks", "errors",
)  # fmt: skip
GROUPS = (*FUNCTION_GROUPS, "links", "initializers", "optimizers", "gradient", "mixed")


@cache
def cases_of(group: str) -> list[Case]:
    return numbered(import_module(f"tests.chainer.recorded.cases_{group}").CASES)
