"""The other end of `remote.py`: one entrant in an interpreter of its own."""

from __future__ import annotations

import sys
from typing import Any

from benchmarks.case import Case
from benchmarks.entrant import Entrant
from benchmarks.serving import serve
from benchmarks.subjects import load
from benchmarks.verify import WrongGradientError


class Served(Entrant):
    """An entrant whose cases arrive as JSON."""

    def prepare(self, case: dict[str, Any]) -> int | None:  # type: ignore[override]
        """Make the case again."""
        return super().prepare(Case(**case))


if __name__ == "__main__":
    serve(lambda: Served(load(sys.argv[1])), WrongGradientError)
