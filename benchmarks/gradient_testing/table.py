"""The table of what gradient checks found, missed, and blamed wrongly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Outcome = dict[str, Any]

WORDS = {
    ("fault", "blamed"): "found",
    ("fault", "passed"): "**missed**",
    ("fault", "undecided"): "**missed**",
    ("fault", "none"): "n/a",
    ("right", "blamed"): "**blamed**",
    ("right", "passed"): "",
    ("right", "undecided"): "undecided",
}


def table(found: Mapping[str, Sequence[Outcome]]) -> str:
    """Totals, each fault, and each right function that anybody blamed, as Markdown."""
    names = list(found)
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    lines += [
        f"| {title} | " + " | ".join(count(found[name]) for name in names) + " |" for title, count in TOTALS.items()
    ]
    lines += ["", "| planted fault | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    lines += rows(found, "fault", always=True)
    lines += ["", "| right function that was blamed | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    lines += rows(found, "right", always=False)
    return "\n".join(lines) + "\n"


def rows(found: Mapping[str, Sequence[Outcome]], kind: str, *, always: bool) -> list[str]:
    """A row for each name; of right functions only those that somebody blamed."""
    words: dict[str, dict[str, str]] = {}
    for checker, outcomes in found.items():
        for one in outcomes:
            if one["kind"] == kind:
                word = WORDS[kind, one["word"]] + (f" ({one['law']})" if one.get("law") else "")
                said = words.setdefault(one["name"], {})
                said[checker] = max(said.get(checker, ""), word, key=badness)  # the worst of all seeds
    return [
        f"| {name} | " + " | ".join(said.get(checker, "") for checker in found) + " |"
        for name, said in words.items()
        if always or any(said.values())
    ]


def badness(word: str) -> int:
    """Which words matter more where seeds differ."""
    return 2 if word.startswith("**") else int(bool(word))


def heading(surroundings: Mapping[str, Any]) -> str:
    """Where and when the table was made."""
    return (
        f"{surroundings['date']}, {surroundings['processor']}, {surroundings['cores']} cores, "
        f"{surroundings['python']}, NumPy {np.__version__}\n"
    )


def times(outcomes: Sequence[Outcome]) -> str:
    """Processor time of each right function, the slowest first: the mean over its seeds, and the longest."""
    seconds: dict[str, list[float]] = {}
    for one in outcomes:
        if one["kind"] == "right":
            seconds.setdefault(one["name"], []).append(one["seconds"])
    lines = ["| right function | seeds | mean s | longest s |", "|---|---|---|---|"]
    for name, each in sorted(seconds.items(), key=lambda row: -max(row[1])):
        lines.append(f"| {name} | {len(each)} | {sum(each) / len(each):.1f} | {max(each):.1f} |")
    return "\n".join(lines) + "\n"


def counted(kind: str, *words: str) -> Any:
    """How many outcomes of a kind end in one of the words, of how many."""

    def count(outcomes: Sequence[Outcome]) -> str:
        asked = [one for one in outcomes if one["kind"] == kind and one["word"] != "none"]
        return f"{sum(one['word'] in words for one in asked)} of {len(asked)}"

    return count


TOTALS = {
    "faults found": counted("fault", "blamed"),
    "faults missed": counted("fault", "passed", "undecided"),
    "right functions blamed": counted("right", "blamed"),
    "right functions undecided": counted("right", "undecided"),
}
