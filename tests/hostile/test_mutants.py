"""A few of the mutants that ``python -m tests.hostile`` tries by the ten thousand."""

from __future__ import annotations

import os

import pytest

from tests.hostile import campaign, snapshots, tapes

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the limits of the worker are POSIX's")


@pytest.mark.parametrize(("kind", "count", "options"), [("tapes", 400, ["--compiled", "0.03"]), ("snapshots", 300, [])])
def test_mutants_are_refused_or_right(kind: str, count: int, options: list[str]) -> None:
    result = campaign.run(kind, 0, count, *options)
    assert result.faults == []
    assert result.tally.total() == count
    refused = sum(times for what, times in result.tally.items() if what.startswith("refused"))
    assert 0.2 * count < refused < 0.8 * count  # otherwise they are changed too much, or too little


def test_a_seed_is_a_mutant() -> None:
    texts = tapes.corpus(False)
    assert [tapes.mutant(seed, texts) for seed in range(40)] == [tapes.mutant(seed, texts) for seed in range(40)]
    assert [snapshots.mutant(seed) for seed in range(40)] == [snapshots.mutant(seed) for seed in range(40)]


def test_what_is_not_changed_is_right() -> None:
    for text in tapes.corpus(False):
        assert tapes.tried(text, compiled=False) in ("ran", "raised")
    for data in snapshots.corpus():
        assert snapshots.tried(data) in ("loaded", "refused: TypeError", "refused: ValueError")


@pytest.mark.parametrize(
    ("program", "end"),
    [
        ("import os; os.abort()", "the process ends with -6"),
        ("import time; time.sleep(60)", "it hangs for more than 1 seconds"),
    ],
)
def test_crashes_and_hangs_are_found(monkeypatch: pytest.MonkeyPatch, program: str, end: str) -> None:
    monkeypatch.setattr(campaign, "WORKER", ["-c", f"print('try 7', flush=True); {program}"])
    monkeypatch.setattr(campaign, "SILENCE", 1)
    result = campaign.Result()
    assert campaign.run_process(result, "tapes", 5, 10, ()) == 8
    ((kind, seed, text),) = result.faults
    assert (kind, seed) == ("tapes", 7)
    assert end in text
