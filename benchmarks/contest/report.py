"""The figures as tables for readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.contest.peers import OURS
from benchmarks.contest.result import WORST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.contest.result import Measurement, Result

BUSY = 0.7
NAME = 44


def preface(surroundings: dict[str, Any]) -> Iterator[str]:
    """Where the figures come from, in a few lines."""
    machine, load = surroundings["environment"], surroundings["load_average"]
    yield f"{machine['python']}, {machine['processor']}, {machine['cores']} cores, {machine['system']}"
    yield f"load average before and after: {rounded(load['before'])}; {rounded(load['after'])}"
    for threads, peers in surroundings.get("peers", {}).items():
        yield f"{threads} thread(s): " + ", ".join(f"{name} {said['version']}" for name, said in peers.items())
    for name, reason in surroundings.get("absent", {}).items():
        yield f"  {name} is absent: {reason}"
    if load["before"] and load["before"][0] > BUSY:
        yield f"the machine was busy before we began (load {load['before'][0]:.1f}): measure again when it is idle"
    if surroundings["quick"]:
        yield "--quick: too few calls and rounds; THE FIGURES MEAN NOTHING"


def rounded(load: list[float] | None) -> str:
    """Three load averages, or that there are none."""
    return "unknown" if load is None else ", ".join(f"{average:.2f}" for average in load)


def time(seconds: float) -> str:
    """Three digits and a unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def tables(results: Sequence[Result], peers: Sequence[str]) -> Iterator[str]:
    """For every number of threads everybody's times; then the goals, with the largest number."""
    counts = list(dict.fromkeys(result.threads for result in results))
    for threads in counts:
        mine = [result for result in results if result.threads == threads]
        yield ""
        yield f"{threads} thread(s): seconds a call, medians over rounds in which everybody had a turn"
        shown = [name for name in peers if any(takes_part(result, name) for result in mine)]
        yield f"  {'':{NAME}}" + "".join(f"{name:>15}" for name in shown)
        for result in mine:
            yield f"  {result.name:{NAME}}" + "".join(f"{figure(result, name):>15}" for name in shown)
    judged = [result for result in results if result.threads == max(counts, default=0)]
    yield from reasons(results)
    yield from goals(judged)


def takes_part(result: Result, name: str) -> bool:
    """Whether there is more to say of a library than that the program is not written for it."""
    found = result.measurements.get(name)
    return found is not None and not found.left_out


def figure(result: Result, name: str) -> str:
    """One library's time, or why there is none."""
    found = result.measurements.get(name)
    if found is None:
        return "absent"
    if found.measured:
        return time(found.seconds)
    return "WRONG" if found.wrong else "failed" if found.failure else "-"


def reasons(results: Sequence[Result]) -> Iterator[str]:
    """What stands behind the words in the tables."""
    said: dict[tuple[str, str], list[str]] = {}
    for result in results:
        for name, found in result.measurements.items():
            for text in texts(found):
                rows = said.setdefault((name, text), [])
                if result.name not in rows:
                    rows.append(result.name)
    if said:
        yield ""
        yield from (f"  {name}: {text}: {'; '.join(rows)}" for (name, text), rows in said.items())


def texts(found: Measurement) -> list[str]:
    """What there is to say of one library on one row."""
    left_out = f"left out: {found.left_out}" if found.left_out else None
    return [text for text in (found.wrong, found.failure, left_out) if text]


def goals(results: Sequence[Result]) -> Iterator[str]:
    """Our time over the best peer's, and whether that is what we promised ourselves."""
    if not results:
        return
    yield ""
    yield f"goals with {results[0].threads} thread(s); known and floor are figures of the reference machine"
    yield (
        f"  {'':{NAME}}{'ours':>10}{'best peer':>10} {'':14}{'ratio':>6}{'goal':>6}  {'':7}"
        f"{'known: best peer':30}{'floor':18}"
    )
    for result in results:
        yield goal_line(result)
        if result.row.native is not None:
            yield native_line(result)
    yield ""
    yield from summary(results)


def goal_line(result: Result) -> str:
    """One row of the table of goals."""
    ours, best, row = result.ours, result.best_peer, result.row
    ratio = "-" if result.ratio is None else f"{result.ratio:.2f}"
    goal = "works" if row.goal is None else "below" if row.native else f"{row.goal:.2f}"
    because = result.missed_because
    known = row.known if row.rival is None or row.known.startswith(row.rival) else f"{row.rival} {row.known}"
    return (
        f"  {result.name:{NAME}}{time(ours.seconds) if ours else '-':>10}{time(best.seconds) if best else '-':>10} "
        f"{best.peer if best else '':14}{ratio:>6}{goal:>6}  {'missed' if because else 'met':7}{known:30}{row.floor:18}"
        f"{because if because not in ('', 'too slow') else ''}"
    ).rstrip()


def native_line(result: Result) -> str:
    """Our time beside that of a program in C or C++ on the reference machine."""
    row = result.row
    assert row.native is not None
    ratio = "-" if result.native_ratio is None else f"{result.native_ratio:.2f}"
    name = f"    beside {row.native.name}, a reference-machine figure"
    return f"  {name:{NAME + 10}}{time(row.native.seconds):>10} {'':14}{ratio:>6}{row.goal:>6}"


def summary(results: Sequence[Result]) -> Iterator[str]:
    """How many goals are met, and which rows no release may have."""
    met = sum(result.met for result in results)
    yield f"{met} of {len(results)} goals met"
    slow = [result.name for result in results if result.too_slow]
    yield f"above {WORST} times the best peer: " + ("; ".join(slow) if slow else "none")
    unknown = [result.name for result in results if result.row.goal is not None and result.ratio is None]
    if unknown:
        yield "without a ratio: " + "; ".join(unknown)


def failed(results: Sequence[Result]) -> bool:
    """Somebody computed something wrong, or autodiff failed."""
    return any(
        found.wrong or (name == OURS and found.failure)
        for result in results
        for name, found in result.measurements.items()
    )
