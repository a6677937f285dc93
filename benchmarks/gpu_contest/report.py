"""The figures as a table for readers, printed last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.contest.document import figures
from benchmarks.contest.peers import OURS
from benchmarks.contest.report import figure, reasons, rounded
from benchmarks.gpu_contest.machine import told
from benchmarks.gpu_programs.program import FRACTION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.gpu_contest.result import DeviceResult

NAME = 38
GOAL_OF_ALL = 1.0


def preface(surroundings: dict[str, Any]) -> Iterator[str]:
    """Where the figures come from."""
    host, load = surroundings["environment"], surroundings["load_average"]
    yield f"{host['python']}, {host['processor']}, {host['cores']} cores, {host['system']}"
    yield f"load average before and after: {rounded(load['before'])}; {rounded(load['after'])}"
    yield told(surroundings["machine"])
    yield "; ".join(f"{name} {said['version']}" for name, said in surroundings["peers"].items())
    for name, reason in surroundings["absent"].items():
        yield f"  {name} is absent: {reason}"


def checks(found: dict[str, dict[str, dict[str, Any]]]) -> Iterator[str]:
    """How many of the small programs are right, and what the others say."""
    yield ""
    for way, all_of_them in found.items():
        bad = {name: said for name, said in all_of_them.items() if "error" not in said}
        right = f"{len(all_of_them) - len(bad)} of {len(all_of_them)}"
        yield f"small programs on the device against NumPy in double precision, {way}: {right} right"
        skipped = [name for name, said in bad.items() if "not run" in said]
        if skipped:
            yield f"  not run, out of time: {len(skipped)}, from {skipped[0]!r} on"
        for name in (name for name in bad if name not in skipped):
            (kind, text), *_ = bad[name].items()
            yield f"  {name}: {kind.upper() if kind == 'wrong' else kind}: {text}"


def table(results: Sequence[DeviceResult], peers: Sequence[str], surroundings: dict[str, Any]) -> Iterator[str]:
    """What stands behind the words, then everybody's times with ours over the best peer's."""
    yield from reasons(results)
    yield ""
    yield (
        f"seconds a call, medians over rounds in which everybody had a turn; copy: part of a copy's speed, goal "
        f"{FRACTION} for elementwise; ratio: ours over the best peer's, goal {GOAL_OF_ALL}"
    )
    judged = not (surroundings["standin"] or surroundings["quick"])
    if not judged:
        yield "too few calls, or no device: THE FIGURES MEAN NOTHING"
    yield f"{'':{NAME}}" + "".join(f"{name:>14}" for name in peers) + f"{'copy':>7}{'ratio':>7}"
    for result in results:
        yield line(result, peers, judged)
    yield summary(results) if judged else "no goals are judged"


def line(result: DeviceResult, peers: Sequence[str], judged: bool) -> str:
    """One row."""
    figures = "".join(f"{'skipped' if result.skipped else figure(result, name):>14}" for name in peers)
    copy = "" if result.fraction is None else f"{result.fraction:.2f}"
    ratio = "" if result.ratio is None else f"{result.ratio:.2f}"
    because = result.missed_because
    verdict = f"  {f'missed: {because}' if because else 'met'}" if judged else ""
    return f"{result.name:{NAME}}{figures}{copy:>7}{ratio:>7}{verdict}".rstrip()


def summary(results: Sequence[DeviceResult]) -> str:
    """How many goals are met."""
    return f"{sum(result.met for result in results)} of {len(results)} goals met"


def failed(results: Sequence[DeviceResult], found: dict[str, dict[str, dict[str, Any]]]) -> bool:
    """Somebody computed something wrong, or autodiff failed."""
    bad = any("wrong" in said or "failed" in said for way in found.values() for said in way.values())
    return bad or any(
        measurement.wrong or (name == OURS and measurement.failure)
        for result in results
        for name, measurement in result.measurements.items()
    )


def document(
    results: Sequence[DeviceResult], found: dict[str, dict[str, dict[str, Any]]], surroundings: dict[str, Any]
) -> dict[str, Any]:
    """Everything as JSON: every round of everybody."""
    return {"unit": "seconds per call", **surroundings, "checks": found, "rows": [block(each) for each in results]}


def block(result: DeviceResult) -> dict[str, Any]:
    """One row."""
    best, copy = result.best_peer, result.copy
    return {
        "program": result.program.name,
        "title": result.program.title,
        "size": result.row.size,
        "parameters": result.row.parameters,
        "ratio": result.ratio,
        "best_peer": best.peer if best else None,
        "fraction_of_copy": result.fraction,
        "precision": result.row.precision,
        "bytes": next((each.bytes for each in result.measurements.values() if each.bytes), None),
        "operations": result.program.operations(result.row) or None,
        "copy": figures(copy) if copy else None,
        "result": f"missed: {result.missed_because}" if result.missed_because else "met",
        "measurements": [figures(each) for each in result.measurements.values()],
    }
