"""How many calls make a sample, and how many rounds a row gets: by the time that its calls take."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.contest.peers import OURS

SAMPLE = 0.012  # seconds; long beside the clock's grain, short beside a disturbance
ROW = 5.0  # seconds for all samples of a row and the calls before them
FEWEST, MOST = 5, 31
SLOW = 8.0  # a peer that takes so many times the best one's time only takes part in the first rounds
SLOW_ROUNDS = 3


@dataclass(frozen=True)
class Plan:
    """Rounds of a row; for each entrant the calls of a sample and the rounds that it takes part in."""

    rounds: int
    calls: dict[str, int]
    turns: dict[str, int]


def plan(seconds: dict[str, float], quick: bool) -> Plan:
    """From about how long a call takes everybody."""
    calls = {name: 1 if quick else max(1, round(SAMPLE / each)) for name, each in seconds.items()}
    if quick:
        return Plan(2, calls, dict.fromkeys(seconds, 2))
    best = min(seconds.values())
    fast = [name for name, each in seconds.items() if each <= SLOW * best or name == OURS]
    round_seconds = sum(2 * max(seconds[name] * calls[name], SAMPLE) for name in fast)
    rounds = min(MOST, max(FEWEST, round(ROW / round_seconds)))
    return Plan(rounds, calls, {name: rounds if name in fast else SLOW_ROUNDS for name in seconds})
