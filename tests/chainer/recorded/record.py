"""Record what Chainer 7.8.1 computes for every case; needs Python 3.9, NumPy 1.23, chainer 7.8.1 and SciPy 1.10.

Run once from the top of the repository, with that interpreter: ``python -m tests.chainer.recorded.record [group ...]``.
"""

from __future__ import annotations

import sys

from tests.chainer.recorded import names, storage
from tests.chainer.recorded.tables import GROUPS, cases_of


def record(group: str) -> None:
    records = {}
    for case in cases_of(group):
        names.resolved.clear()
        try:
            records[case.name] = {dtype: case.evaluate(dtype) for dtype in case.dtypes}
        except Exception as error:
            raise RuntimeError(case.name) from error
        report(case.name, records[case.name])
    storage.save(group, records)
    print(f"{group}: {len(records)} cases")  # noqa: T201 - a command prints


def report(name: str, by_dtype: dict) -> None:
    """Show what Chainer cannot do: an unexpected entry here is a mistake in the table."""
    for dtype, facts in by_dtype.items():
        for key in ("no double gradient", "rejected", "error"):
            if key in facts and (facts[key] is None or not name.startswith("error")):
                print(f"  {name} {dtype}: {facts[key]} {facts.get('text', '')!r}"[:200])  # noqa: T201


if __name__ == "__main__":
    for group in sys.argv[1:] or GROUPS:
        record(group)
