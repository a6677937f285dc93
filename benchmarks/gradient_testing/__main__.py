"""``python -m benchmarks.gradient_testing``: planted faults found and right functions blamed, side by side.

Without arguments: autodiff's `laws` on all faults and right functions. ``--peers`` adds the checks of libraries that
are installed, ``--chainer PYTHON`` that of Chainer by a Python that has it; ``--seeds 20`` draws so many times;
``--log FILE`` keeps each outcome, and leaves out what is kept there already; ``--document FILE`` writes the table.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from benchmarks.environment import environment
from benchmarks.gradient_testing.kept import Kept
from benchmarks.gradient_testing.outcomes import Outcome, ours, theirs
from benchmarks.gradient_testing.peers import CHAINER, PEERS, REAL_ONLY, ChainerCheck
from benchmarks.gradient_testing.table import heading, table, times

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
    parser.add_argument("--log", type=Path, help="keep each outcome in this file, and go on where it ends")
    parser.add_argument("--document", type=Path, help="write the table to this file")
    given = parser.parse_args(command_line)
    found = {OURS: list(ours_by_seeds(range(given.first_seed, given.first_seed + given.seeds), given.only, given.log))}
    for name, check in PEERS.items() if given.peers else ():
        if find_spec(NEEDS.get(name, "scipy")) is None:
            print(f"{name} is left out: {NEEDS[name]} is not installed")
            continue
        found[name] = list(theirs(check, given.first_seed, given.only, name in REAL_ONLY))
    if given.chainer:
        chainer = ChainerCheck(given.chainer)
        found[CHAINER] = list(theirs(chainer, given.first_seed, given.only, real_only=True))
        chainer.close()
    text = "\n".join((heading(environment()), table(found), times(found[OURS])))
    print(text)
    if given.document:
        given.document.write_text(text)
    return int(any(map(wrong, found[OURS])))


def ours_by_seeds(seeds: Sequence[int], names: Sequence[str], log: Path | None) -> Iterator[Outcome]:
    """What autodiff says, seed by seed; what is wrong is printed at once."""
    kept = Kept(log)
    for seed in seeds:
        earlier = [one for one in kept.of_seed(seed) if not names or one["name"] in names]
        yield from earlier
        for one in ours(seed, names, {(each["kind"], each["name"]) for each in earlier}):
            kept.add(one)
            if wrong(one):
                print(f"seed {seed}: {one['kind']} {one['name']}: {one['word']}\n{one['text']}\n", flush=True)
            yield one


def wrong(outcome: Outcome) -> bool:
    """Whether a fault was missed, or a right function blamed or left undecided."""
    return bool((outcome["word"] == "blamed") != (outcome["kind"] == "fault"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
