"""The rows of ``benchmarks.gpu``, one item each: everybody is right, then everybody takes turns."""

from __future__ import annotations

import tempfile
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from autodiff.testing.gpu.item import Given, Item, Said, check

# No part of an installed package.
budget = import_module("benchmarks.gpu_contest.budget")
peers = import_module("benchmarks.gpu_contest.peers")
report = import_module("benchmarks.gpu_contest.report")
session = import_module("benchmarks.gpu_contest.session")
table = import_module("benchmarks.gpu_programs.table")

WITH_STANDIN = ("autodiff", "cupy")


@cache
def started(standin: bool) -> Any:
    """All libraries, each in a process of its own; they stay for all rows."""
    names = WITH_STANDIN if standin else list(dict.fromkeys(("autodiff", *peers.PEERS)))
    return session.Session(names, budget.Budget(600.0, 1), standin, standin)


def row(name: str, number: int, given: Given) -> Said:
    """Seconds of everybody.

    Raises:
        FaultError: where somebody was wrong, or autodiff failed.
    """
    everybody = started(given.standin)
    everybody.budget = budget.Budget(given.seconds, 1)
    with tempfile.TemporaryDirectory(prefix="gpu-") as folder:
        found = everybody.row(name, number, Path(folder) / "reference")
    block: dict[str, Any] = report.block(found)
    check(not found.skipped, found.skipped)
    check(
        not report.failed([found], {}),
        "; ".join(
            f"{each['peer']}: {each.get('wrong') or each.get('failure')}"
            for each in block["measurements"]
            if each.get("wrong") or each.get("failure")
        ),
    )
    return {**block, "absent": dict(everybody.contestants.absent)}


ITEMS: dict[str, Item] = {
    f"{name} {table.PROGRAMS[name].rows[number].size}": partial(row, name, number)
    for name, number in table.chosen_rows([])
}
