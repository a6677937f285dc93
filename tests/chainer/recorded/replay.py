"""One pytest parameter for every case, dtype and group; the check of one against its record."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.chainer.recorded import storage
from tests.chainer.recorded.case import Case
from tests.chainer.recorded.comparison import check
from tests.chainer.recorded.deviations import DEVIATIONS
from tests.chainer.recorded.tables import cases_of


@cache
def records(group: str) -> dict[str, Any]:
    return storage.load(group)


def parameters(*groups: str) -> list[Any]:
    return [
        pytest.param(group, case, dtype, id=f"{group}-{case.name}-{dtype}")
        for group in groups
        for case in cases_of(group)
        for dtype in case.dtypes
    ]


def replay(group: str, case: Case, dtype: str) -> None:
    """Compare."""
    now = case.evaluate(dtype)
    try:
        check(records(group)[case.name][dtype], now, case.tolerance)
    except AssertionError:
        if case.name in DEVIATIONS.get(group, {}):
            pytest.xfail(DEVIATIONS[group][case.name])
        raise
