"""Drawings for notebooks, as SVG: graphs in layers, and curves. Nothing is needed that draws them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

MOST = 150
"""Graphs with more boxes are not drawn: nobody could read them."""

LETTER, LINE, GAP, LAYER, EDGE = 6.6, 15, 18, 34, 10
"""The width of a letter and the height of a line, the gaps between boxes and layers, and the margin."""

FILLS = {"value": "#ffffff", "operation": "#eef3fb", "result": "#e6f4e6"}
STYLE = 'font-family="Helvetica, Arial, sans-serif" font-size="11"'


class Box(NamedTuple):
    """A node of a graph.

    Attributes:
        lines: what stands in it.
        kind: ``"value"``, ``"operation"`` or ``"result"``.
    """

    lines: tuple[str, ...]
    kind: str = "operation"

    @property
    def width(self) -> float:
        return max((len(line) for line in self.lines), default=0) * LETTER + 14

    @property
    def height(self) -> float:
        return len(self.lines) * LINE + 8


class Place(NamedTuple):
    """Where a box is: its middle, from left to right, and its upper end."""

    x: float
    top: float


def graph_svg(boxes: Sequence[Box], arrows: Sequence[tuple[int, int]], title: str = "") -> str | None:
    """A graph without cycles, drawn from top to bottom; None where it has too many boxes.

    Args:
        boxes: the nodes.
        arrows: from which box to which.
        title: a line above.
    """
    if len(boxes) > MOST:
        return None
    layers = ordered(layered(len(boxes), arrows), arrows)
    places, width, height = placed(boxes, layers, LINE + EDGE if title else 0)
    width = max(width, len(title) * LETTER + 2 * EDGE)
    parts = [f'<text x="{EDGE}" y="{LINE}" {STYLE}>{escaped(title)}</text>'] if title else []
    parts += [curve(boxes[a], places[a], places[b]) for a, b in arrows]
    parts += [part for box, place in zip(boxes, places, strict=True) for part in box_parts(box, place)]
    return document(width, height, parts)


def layered(count: int, arrows: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The boxes by layers: each one below all from which arrows lead to it.

    >>> layered(4, [(0, 2), (1, 2), (2, 3), (0, 3)])
    [[0, 1], [2], [3]]
    """
    after: list[list[int]] = [[] for _ in range(count)]
    waiting_for = [0] * count
    for a, b in arrows:
        after[a].append(b)
        waiting_for[b] += 1
    depth = [0] * count
    ready = [k for k in range(count) if not waiting_for[k]]
    for k in ready:  # the list grows
        for other in after[k]:
            depth[other] = max(depth[other], depth[k] + 1)
            waiting_for[other] -= 1
            if not waiting_for[other]:
                ready.append(other)
    layers: list[list[int]] = [[] for _ in range(max(depth, default=-1) + 1)]
    for k in range(count):
        layers[depth[k]].append(k)
    return layers


def ordered(layers: list[list[int]], arrows: Sequence[tuple[int, int]], sweeps: int = 4) -> list[list[int]]:
    """The layers, in each of which boxes stand near those that they are joined to."""
    joined: dict[int, list[int]] = {k: [] for layer in layers for k in layer}
    for a, b in arrows:
        joined[a].append(b)
        joined[b].append(a)
    at = {k: (n + 0.5) / len(layer) for layer in layers for n, k in enumerate(layer)}
    for _ in range(sweeps):
        for n, layer in enumerate(layers):
            middle = {k: sum(at[j] for j in joined[k]) / len(joined[k]) if joined[k] else at[k] for k in layer}
            layers[n] = layer = sorted(layer, key=lambda k: (middle[k], at[k]))
            at.update({k: (m + 0.5) / len(layer) for m, k in enumerate(layer)})
    return layers


def placed(boxes: Sequence[Box], layers: list[list[int]], top: float) -> tuple[list[Place], float, float]:
    """Where each box is, and the size of the drawing."""
    widths = [sum(boxes[k].width + GAP for k in layer) - GAP for layer in layers]
    width = max(widths, default=0.0) + 2 * EDGE
    places = [Place(0, 0)] * len(boxes)
    y = top + EDGE
    for layer, own in zip(layers, widths, strict=True):
        x = (width - own) / 2
        for k in layer:
            places[k] = Place(x + boxes[k].width / 2, y)
            x += boxes[k].width + GAP
        y += max(boxes[k].height for k in layer) + LAYER
    return places, width, max(y - LAYER + EDGE, top + 2 * EDGE)


def curve(box: Box, start: Place, end: Place) -> str:
    """An arrow from below one box to above another."""
    x, y, u, v = start.x, start.top + box.height, end.x, end.top
    middle = (y + v) / 2
    return (
        f'<path d="M{x:.1f},{y:.1f} C{x:.1f},{middle:.1f} {u:.1f},{middle:.1f} {u:.1f},{v - 5:.1f}" '
        f'fill="none" stroke="#777777"/><path d="M{u - 3:.1f},{v - 6:.1f} L{u + 3:.1f},{v - 6:.1f} L{u:.1f},{v:.1f} Z" '
        'fill="#777777"/>'
    )


def box_parts(box: Box, place: Place) -> Iterator[str]:
    """A box and its lines."""
    left, round_by = place.x - box.width / 2, 5 if box.kind == "operation" else box.height / 2
    yield (
        f'<rect x="{left:.1f}" y="{place.top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
        f'rx="{round_by:.1f}" fill="{FILLS[box.kind]}" stroke="#444444"/>'
    )
    for k, line in enumerate(box.lines):
        color = "#000000" if k == 0 else "#666666"
        yield (
            f'<text x="{place.x:.1f}" y="{place.top + LINE * (k + 1):.1f}" text-anchor="middle" fill="{color}" {STYLE}>'
            f"{escaped(line)}</text>"
        )


def plot_svg(values: Sequence[float], title: str, last: int, width: int = 360, height: int = 180) -> str:
    """A curve of numbers, equally spaced from 0 to the last place, with the least and the greatest beside it."""
    low, high = min(values), max(values)
    left, right, top, bottom = 70, width - EDGE, 30, height - 25
    across = (right - left) / max(len(values) - 1, 1)
    scale = (bottom - top) / ((high - low) or 1.0)
    points = " ".join(f"{left + k * across:.1f},{bottom - (v - low) * scale:.1f}" for k, v in enumerate(values))
    parts = [
        f'<text x="{EDGE}" y="{LINE}" {STYLE}>{escaped(title)}</text>',
        f'<path d="M{left},{top} L{left},{bottom} L{right},{bottom}" fill="none" stroke="#777777"/>',
        f'<polyline points="{points}" fill="none" stroke="#1f5fbf" stroke-width="1.5"/>',
        f'<text x="{left - 6}" y="{bottom}" text-anchor="end" {STYLE}>{low:.4g}</text>',
        f'<text x="{left - 6}" y="{top + 4}" text-anchor="end" {STYLE}>{high:.4g}</text>',
        f'<text x="{right}" y="{bottom + LINE}" text-anchor="end" {STYLE}>{last}</text>',
        f'<text x="{left}" y="{bottom + LINE}" {STYLE}>0</text>',
    ]
    return document(max(width, int(len(title) * LETTER) + 2 * EDGE), height, parts)


def document(width: float, height: float, parts: Sequence[str]) -> str:
    """A whole drawing."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">{"".join(parts)}</svg>'
    )


def escaped(text: str) -> str:
    """Text as it stands in XML; what XML has no characters for is left out."""
    kept = "".join(c for c in text if c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff")
    for character, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        kept = kept.replace(character, name)
    return kept
