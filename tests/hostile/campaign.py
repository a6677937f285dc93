"""Many mutants in processes of their own, so that a crash or a hang is one more result."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
WORKER = ["-m", "tests.hostile.worker"]
SILENCE = 120
"""So many seconds without a word, and a process hangs."""


@dataclass
class Result:
    """What became of mutants.

    Attributes:
        tally: how often what happened.
        faults: kind, seed and description of each that should not have.
    """

    tally: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, int, str]] = field(default_factory=list)


def run(kind: str, first: int, count: int, *options: str, most: int = 2000) -> Result:
    """Try mutants of tapes or snapshots.

    Args:
        kind: which.
        first: the first seed.
        count: how many.
        options: of the worker.
        most: how many of them in one process.
    """
    result = Result()
    seed, last = first, first + count
    while seed < last:
        seed = run_process(result, kind, seed, min(most, last - seed), options)
    return result


def run_process(result: Result, kind: str, first: int, count: int, options: tuple[str, ...]) -> int:
    """Try some mutants in one process; the seed with which to go on."""
    command = [sys.executable, *WORKER, kind, str(first), str(count), *options]
    seed = first
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=ROOT) as process:
        lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=read, args=(process.stdout, lines), daemon=True).start()
        errors: list[str] = []
        reader = threading.Thread(target=lambda: errors.append(process.stderr.read() if process.stderr else ""))
        reader.start()
        try:
            while (line := lines.get(timeout=SILENCE)) is not None:
                seed = noted(line, result, seed)
        except queue.Empty:
            process.kill()
            result.faults.append((kind, seed, f"FAULT it hangs for more than {SILENCE} seconds"))
            return seed + 1
        reader.join()
        if process.wait() != 0:
            result.faults.append((kind, seed, f"FAULT the process ends with {process.returncode}: {errors[0][-2000:]}"))
            return seed + 1
    return first + count


def read(stream: Any, lines: queue.Queue[str | None]) -> None:
    """Hand lines on, and None at the end."""
    for line in stream:
        lines.put(line)
    lines.put(None)


def noted(line: str, result: Result, seed: int) -> int:
    """Take note of a line; the seed that is tried now."""
    word, _, rest = line.partition(" ")
    if word == "try":
        return int(rest)
    if word == "fault":
        result.faults.append(tuple(json.loads(rest)))
    elif word == "tally":
        result.tally.update(json.loads(rest))
    return seed
