"""The results as text: a few lines at the end of a run, and a part of a page of the documentation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autodiff.testing.gpu.journal import Journal
from autodiff.testing.gpu.process import WRONG
from autodiff.testing.gpu.stages import STAGES

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
LONGEST = 160
"""So many letters of an error stand on the page."""


class PageError(Exception):
    """The page has no place for results."""


def enter_into(page: Path, journal: Journal) -> None:
    """Write what is known between the two marks of a page.

    Raises:
        PageError: if it does not have them.
    """
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise PageError(f"{page} needs the lines {BEGIN} and {END}, between which the results are written")
    page.write_text("\n".join((before + BEGIN, *written(journal), END + after)), encoding="utf-8")


def summary(journal: Journal) -> Iterator[str]:
    """One line a stage, and one for each item that went wrong."""
    for stage in STAGES:
        if stage.name in journal.content["left out"]:
            yield f"{stage.name:10} left out: {journal.content['left out'][stage.name]}"
        elif stage.name in journal.content["names"] or stage.name in journal.content["items"]:
            counts = ", ".join(f"{number} {word}" for word, number in journal.counts(stage.name).items() if number)
            yield f"{stage.name:10} {counts or 'no items'}"
    for stage_name, name, item in wrong(journal):
        yield f"{stage_name}: {name}: {item['outcome']}: {item.get('text', '')}"


def wrong(journal: Journal) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Stage, name and entry of what went wrong."""
    for stage in STAGES:
        for name, item in journal.content["items"].get(stage.name, {}).items():
            if item["outcome"] in WRONG:
                yield stage.name, name, item


def written(journal: Journal) -> Iterator[str]:
    """The part of the page."""
    yield ""
    runs = journal.content["runs"]
    if not runs:
        yield "Nothing has been measured yet."
        yield ""
        return
    device = runs[-1]["device"]
    days = sorted({run["date"][:10] for run in runs})
    yield f"On {device['gpu']}, {', '.join(days)}: {'; '.join(f'{k} {v}' for k, v in device.items() if k != 'gpu')}."
    codes = {run["device"]["autodiff"] for run in runs}
    if len(codes) > 1:
        yield ""
        yield f"The runs were of {len(codes)} states of autodiff: {', '.join(sorted(codes))}."
    yield ""
    yield from of_stages(journal)
    yield from of_errors(journal)
    yield from of_peaks(journal)
    yield from of_figures(journal)


def of_stages(journal: Journal) -> Iterator[str]:
    """How many items of each stage are right."""
    yield "| stage | shows | right | wrong | left out | open |"
    yield "|---|---|---|---|---|---|"
    for stage in STAGES:
        reason = journal.content["left out"].get(stage.name)
        counts = journal.counts(stage.name)
        known = stage.name in journal.content["names"]
        numbers = (
            [str(number) for number in counts.values()] if known else ["", "", reason or "", "" if reason else "all"]
        )
        yield f"| `{stage.name}` | {stage.about} | {' | '.join(numbers)} |"
    yield ""


def of_errors(journal: Journal) -> Iterator[str]:
    """What went wrong, and how."""
    found = list(wrong(journal))
    if found:
        yield "What went wrong:"
        yield ""
        for stage, name, item in found:
            text = " ".join(item.get("text", "").split())
            yield f"- `{stage}`, {name}: {item['outcome']}: {plain(text[:LONGEST])}"
        yield ""


def plain(text: str) -> str:
    """Text in which Markdown finds nothing of its own."""
    return "".join(f"\\{letter}" if letter in "\\`*_<>[]|$" else letter for letter in text)


def peaks(journal: Journal) -> dict[str, float]:
    """Bytes or operations per second at most, by name."""
    items = journal.content["items"].get("peaks", {})
    return {
        name: next(iter(item["said"].values()))
        for name, item in items.items()
        if item["outcome"] == "right" and next(iter(item["said"])).endswith("per second")
    }


def of_peaks(journal: Journal) -> Iterator[str]:
    """What the device does at most."""
    found = peaks(journal)
    if found:
        said = (f"{name} {rate(value, name)}" for name, value in found.items())
        yield f"Measured peaks: {', '.join(said)}."
        yield ""


def rate(value: float, name: str) -> str:
    """A speed with its unit."""
    return f"{value / 1e9:,.0f} GB/s" if name == "copy" else f"{value / 1e12:,.3g} TFLOP/s"


def of_figures(journal: Journal) -> Iterator[str]:
    """Everybody's times, and ours as parts of the peaks."""
    items = [
        item["said"] for item in journal.content["items"].get("figures", {}).values() if item["outcome"] == "right"
    ]
    if not items:
        return
    names = list(dict.fromkeys(each["peer"] for item in items for each in item["measurements"]))
    yield f"| row | {' | '.join(names)} | ratio | of copy | of products |"
    yield f"|{'---|' * (len(names) + 4)}"
    most = peaks(journal)
    for item in items:
        by_name = {each["peer"]: each for each in item["measurements"]}
        cells = [time_of(by_name.get(name)) for name in names]
        ratio = "" if item["ratio"] is None else f"{item['ratio']:.2f}"
        title = f"{item['program']} {item['size']}"
        yield f"| {title} | {' | '.join((*cells, ratio, *parts(item, by_name, most)))} |"
    yield ""
    yield "Times are medians of rounds; ratio is ours over the best peer's; the last columns are our least bytes, and"
    yield "our operations, per second, as parts of the measured peaks."
    yield ""


def time_of(measurement: dict[str, Any] | None) -> str:
    """Seconds in a unit that suits them; why there are none."""
    if measurement is None or measurement.get("median") is None:
        return "-"
    seconds: float = measurement["median"]
    return f"{1e6 * seconds:.1f} us" if seconds < 1e-3 else f"{1e3 * seconds:.2f} ms"


def parts(item: dict[str, Any], by_name: dict[str, Any], most: dict[str, float]) -> Iterator[str]:
    """How much of the copy's speed and of that of products a row reaches."""
    ours = by_name.get("autodiff", {}).get("median")
    for amount, peak in ((item.get("bytes"), "copy"), (item.get("operations"), item.get("precision", "float32"))):
        yield f"{amount / ours / most[peak]:.2f}" if amount and ours and most.get(peak) else ""
