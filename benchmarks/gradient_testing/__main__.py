"""``python -m benchmarks.gradient_testing``: planted faults found and right functions blamed, side by side.

Without arguments: autodiff's `laws` on all faults and right functions. ``--peers`` adds the checks of libraries that
are installed, ``--chainer PYTHON`` that of Chainer by a Python that has it; ``--seeds 20`` draws so many times;
``--document FILE`` writes the table.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from benchmarks.gradient_testing.outcomes import Outcome, ours, theirs
from benchmarks.gradient_testing.peers import CHAINER, PEERS, REAL_ONLY, ChainerCheck
from benchmarks.gradient_testing.table import table

NEEDS = {"torch gradcheck": "torch", "jax check_grads": "jax"}
OURS = "autodiff laws"


def main(command_line: Sequence[str]) -> int:
    """Run the checks; 1 if autodiff missed a fault, or blamed a right function."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gradient_testing", description=__doc__)
    parser.add_argument("--peers", action="store_true", help="the checks of other libraries as well")
    parser.add_argument("--chainer", metavar="PYTHON", help="a Python that has Chainer, for its check")
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds")
    parser.add_argument("--first-seed", type=int, default=0, help="the first of them")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="only these faults and functions")
    parser.add_argument("--document", type=Path, help="write the table to this file")
    given = parser.parse_args(command_line)
    found: dict[str, list[Outcome]] = {OURS: []}
    for seed in range(given.first_seed, given.first_seed + given.seeds):
        for one in ours(seed, given.only):
            found[OURS].append(one)
            if wrong(one):
                print(f"seed {seed}: {one['kind']} {one['name']}: {one['word']}\n{one['text']}\n", flush=True)
    for name, check in PEERS.items() if given.peers else ():
        if find_spec(NEEDS.get(name, "scipy")) is None:
            print(f"{name} is left out: {NEEDS[name]} is not installed")
            continue
        found[name] = list(theirs(check, given.first_seed, given.only, name in REAL_ONLY))
    if given.chainer:
        chainer = ChainerCheck(given.chainer)
        found[CHAINER] = list(theirs(chainer, given.first_seed, given.only, real_only=True))
        chainer.close()
    text = table(found)
    print(text)
    if given.document:
        given.document.write_text(text)
    slowest = max(found[OURS], key=lambda one: one["seconds"])
    print(f"slowest: {slowest['name']}, {slowest['seconds']:.1f} s of processor time")
    return int(any(map(wrong, found[OURS])))


def wrong(outcome: Outcome) -> bool:
    """Whether a fault was missed, or a right function blamed or left undecided."""
    return bool((outcome["word"] == "blamed") != (outcome["kind"] == "fault"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
