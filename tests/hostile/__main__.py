"""``python -m tests.hostile --tapes 60000 --snapshots 40000``: mutants of saved tapes and snapshots, and what becomes of them."""

from __future__ import annotations

import argparse
import sys

from tests.hostile.campaign import run


def main() -> int:
    """Run a campaign; 1 if something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tapes", type=int, default=1000, help="how many mutants of saved tapes")
    parser.add_argument("--snapshots", type=int, default=1000, help="how many mutants of snapshots")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--compiled", type=float, default=0.1, help="which part of the tapes runs under jit, too")
    options = parser.parse_args()
    found = []
    for kind, count, more in (
        ("snapshots", options.snapshots, ()),
        ("tapes", options.tapes, ("--large", "--compiled", str(options.compiled))),
    ):
        result = run(kind, options.seed, count, *more)
        print(f"{kind}: {count}")
        for what, times in result.tally.most_common():
            print(f"  {times:7} {what}")
        for _, seed, text in result.faults:
            print(f"  seed {seed}: {text}")
        found += result.faults
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
