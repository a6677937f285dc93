"""The process that tries mutants: a line before each, since the last one may be the end of it.

``python -m tests.hostile.worker tapes 0 1000 --compiled 0.1 --large``
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import signal
import warnings
from collections import Counter
from random import Random
from typing import Any

from tests.hostile import snapshots, tapes

SECONDS = 30
"""So long a trial may take; what takes longer in Python is interrupted, and said."""

MEMORY = 6 * 10**9


class TooLongError(BaseException):
    """A trial took too long."""


def main() -> None:
    """Try mutants, and print what became of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["tapes", "snapshots"])
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--compiled", type=float, default=0.0)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    faulthandler.enable()
    warnings.simplefilter("ignore")
    limit_memory()
    module: Any = tapes if options.kind == "tapes" else snapshots
    texts = tapes.corpus(options.large) if options.kind == "tapes" else ()
    signal.signal(signal.SIGALRM, too_long)
    tally: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        print(f"try {seed}", flush=True)
        found = trial(module, seed, texts, Random(seed).random() < options.compiled)
        tally[found.partition("FAULT")[0] or "FAULT"] += 1
        if found.startswith("FAULT"):
            print(f"fault {json.dumps([options.kind, seed, found[:2000]])}", flush=True)
    print(f"tally {json.dumps(tally)}", flush=True)


def trial(module: Any, seed: int, texts: Any, compiled: bool) -> str:
    """What becomes of one mutant."""
    signal.alarm(SECONDS)
    try:
        return str(module.tried(module.mutant(seed, texts), compiled))
    except TooLongError:
        return f"FAULT it takes more than {SECONDS} seconds"
    except Exception as error:
        return f"FAULT {type(error).__name__}: {error}"
    finally:
        signal.alarm(0)


def too_long(*_: Any) -> None:
    raise TooLongError


def limit_memory() -> None:
    """No trial takes all of the machine's memory."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    main()
