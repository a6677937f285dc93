"""The figures as a table for readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.goals import GOALS, mark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.case import Case
    from benchmarks.goals import Results
    from benchmarks.measurement import Measurement

BUSY = 0.7
HEADER = f"  {'subject':20}{'forward':>10}{'total':>10}{'spread':>10}{'/ torch':>10}{'/ autograd':>12}{'/ chainer':>11}"


def preface(surroundings: dict[str, Any]) -> Iterator[str]:
    """Where the figures come from, in a few lines."""
    machine = surroundings["environment"]
    load = surroundings["load_average"]
    yield f"{machine['python']}, {machine['processor']}, {machine['cores']} cores, {machine['system']}"
    yield (
        "one thread for everybody; garbage collector "
        + ("on" if machine["garbage_collector"]["enabled"] else "off")
        + f", {machine['garbage_collector']['policy']}"
    )
    yield f"load average before and after: {rounded(load['before'])}; {rounded(load['after'])}"
    for name, described in surroundings["subjects"].items():
        settings = "".join(f", {key}={value}" for key, value in described.items() if key != "version")
        yield f"  {name:20}{described['version']}{settings}"
    for name, reason in surroundings["absent"].items():
        yield f"  {name:20}absent: {reason}"
    if load["before"] and load["before"][0] > BUSY:
        yield f"the machine was busy before we began (load {load['before'][0]:.1f}): measure again when it is idle"
    if surroundings["quick"]:
        yield "--quick: too few operations and rounds to mean anything"


def rounded(load: list[float] | None) -> str:
    """Three load averages, or that there are none."""
    return "unknown" if load is None else ", ".join(f"{average:.2f}" for average in load)


def table(results: Results) -> Iterator[str]:
    """A block for every case, a row for every subject, then the goals."""
    yield ""
    yield "microseconds per recorded operation: forward; total = forward + backward + freeing the graph;"
    yield "medians over rounds in which everybody had a turn; spread: interquartile range of the totals"
    for case, measurements in results.items():
        yield ""
        yield f"{case.program}: {case.definition.title}"
        yield f"  {case.dtype}, length {case.length}, {case.operations} operations, {case.rounds} rounds"
        yield HEADER
        totals = {found.subject: found.total for found in measurements if found.measured}
        for found in measurements:
            yield row(found, totals, case)
    yield ""
    yield "goals: total at length 10, in proportion to a peer's in the same run"
    for goal in GOALS:
        yield f"  {goal.subject:20}{goal.program:11}/ {goal.peer:10}{mark(goal, results)}"


def row(found: Measurement, totals: dict[str, float], case: Case) -> str:
    """One subject's figures, or its error."""
    if not found.measured:
        return f"  {found.subject:20}    failed: {found.failure}"[:110]
    if not found.has_gradients:
        return f"  {found.subject:20}{found.forward:10.2f}{'-':>10}{found.spread:10.2f}"
    text = f"  {found.subject:20}{found.forward:10.2f}{found.total:10.2f}{found.spread:10.2f}"
    if found.subject.startswith("autodiff"):
        for peer, width in (("torch", 10), ("autograd", 12), ("chainer", 11)):
            text += f"{ratio(found, totals, peer):>{width}}"
    return text if found.operations == case.operations else f"{text}   ({found.operations} operations)"


def ratio(found: Measurement, totals: dict[str, float], peer: str) -> str:
    """This total over the peer's in the same case."""
    return f"{found.total / totals[peer]:.3f}" if peer in totals else "-"
