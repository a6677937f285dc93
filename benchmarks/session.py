"""One run: everybody gathered, every case measured, and what surrounded it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from benchmarks.cases import cases
from benchmarks.entrants import gather
from benchmarks.environment import environment, load_average
from benchmarks.remote import Remote
from benchmarks.rounds import measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.goals import Results


def session(
    lengths: Sequence[int],
    programs: Sequence[str],
    subjects: Sequence[str],
    quick: bool,
    chainer_python: str | None,
) -> tuple[Results, dict[str, Any]]:
    """The figures of every case, and a description of where they come from.

    Raises WrongGradientError when a subject computes something wrong; nothing is worth timing then.
    """
    load_before = load_average()
    entrants, absent = gather(subjects, chainer_python)
    try:
        described = {entrant.name: entrant.describe() for entrant in entrants}
        results = {}
        for case in cases(lengths, programs, quick):
            print(f"measuring {case.program}, length {case.length} ...", file=sys.stderr, flush=True)
            results[case] = measure(case, entrants)
    finally:
        for entrant in entrants:
            if isinstance(entrant, Remote):
                entrant.close()
    return results, {
        "quick": quick,
        "environment": environment(),
        "load_average": {"before": load_before, "after": load_average()},
        "subjects": described,
        "absent": absent,
    }
