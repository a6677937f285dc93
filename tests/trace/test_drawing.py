"""Drawings for notebooks: they are XML, boxes do not overlap, arrows lead down, and texts are what they were."""

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff
import autodiff.chainer.functions as F
from autodiff import optimize
from autodiff.trace.formats.drawing import MOST, Box, graph_svg, layered, plot_svg
from autodiff.trace.formats.svg import tape_svg

SVG = "{http://www.w3.org/2000/svg}"


def parsed(text: str | None) -> Any:
    assert text is not None
    return ElementTree.fromstring(text)


def texts(drawing: Any) -> list[str]:
    return [element.text or "" for element in drawing.iter(f"{SVG}text")]


def rectangles(drawing: Any) -> list[tuple[float, ...]]:
    return [tuple(float(e.get(n)) for n in ("x", "y", "width", "height")) for e in drawing.iter(f"{SVG}rect")]


GRAPHS = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.text(max_size=12), min_size=n, max_size=n),
        st.lists(
            st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] < e[1]),
            max_size=20,
            unique=True,
        )
        if n > 1
        else st.just([]),
    )
)


@given(GRAPHS)
def test_any_graph_is_drawn(graph: Any) -> None:
    labels, arrows = graph
    drawing = parsed(graph_svg([Box((label,)) for label in labels], arrows, "title <&> \x00"))
    boxes = rectangles(drawing)
    assert len(boxes) == len(labels)
    width, height = float(drawing.get("width")), float(drawing.get("height"))
    for k, (x, y, w, h) in enumerate(boxes):
        assert x >= 0
        assert x + w <= width + 1
        assert y + h <= height + 1
        for u, v, s, t in boxes[k + 1 :]:
            assert x + w <= u or u + s <= x or y + h <= v or v + t <= y
    for a, b in arrows:
        assert boxes[a][1] + boxes[a][3] < boxes[b][1]
    assert texts(drawing)[0] == "title <&> "
    assert len(list(drawing.iter(f"{SVG}path"))) == 2 * len(arrows)


def test_layers_are_those_of_the_longest_way() -> None:
    assert layered(5, [(0, 1), (1, 2), (0, 2), (3, 2)]) == [[0, 3, 4], [1], [2]]
    assert layered(0, []) == []


def test_a_tape_is_drawn() -> None:
    tape = autodiff.make_tape(lambda x, y: (np.sum(np.sin(x) * x), 3.0))(np.ones(3), 1.0)
    drawing = parsed(tape._repr_svg_())
    shown = texts(drawing)
    assert shown[:2] == ["a: float64[3]", f"b: {tape.inputs[1]!r}"]
    assert [name for name in ("sin", "multiply") if name in shown] == ["sin", "multiply"]
    assert sum(text.startswith("result") for text in shown) == 2
    assert any(re.fullmatch(r"test_drawing.py:\d+", text) for text in shown)
    scanned = autodiff.make_tape(lambda x: autodiff.scan(lambda c, v: (c + np.sin(v), c), 0.0, x))(np.ones(3))
    assert "tape: 2 operations" in texts(parsed(tape_svg(scanned)))


def test_what_is_too_large_is_left_to_text() -> None:
    def many(x: Any) -> Any:
        for _ in range(MOST):
            x = np.sin(x)
        return x

    assert autodiff.make_tape(many)(1.0)._repr_svg_() is None
    assert many(autodiff.Variable(np.ones(2)))._repr_svg_() is None


def test_the_graph_of_a_variable_is_drawn() -> None:
    x = autodiff.Variable(np.ones((2, 3)), name="<x>")
    assert x._repr_svg_() is None
    y = F.sum(F.tanh(x) * x)
    drawing = parsed(y._repr_svg_())
    shown = texts(drawing)
    assert shown[0] == repr(y)
    assert {"<x>", "(2, 3), float64", "_ * _"} <= set(shown)
    assert len(rectangles(drawing)) == 7
    long = F.tanh(autodiff.Variable(np.ones(500)))
    assert texts(parsed(long._repr_svg_()))[0].endswith(" ...")
    y.unchain_backward()
    assert y._repr_svg_() is None


@pytest.mark.parametrize(
    "schedule",
    [
        optimize.constant_schedule(0.1),
        optimize.warmup_cosine_decay_schedule(0.0, 1.0, 10, 100),
        optimize.linear_schedule(1.0, 0.0, 3),
        optimize.join_schedules([optimize.constant_schedule(1.0)], []),
    ],
)
def test_a_schedule_is_drawn(schedule: Any) -> None:
    drawing = parsed(schedule._repr_svg_())
    assert texts(drawing)[0] == repr(schedule)
    (line,) = drawing.iter(f"{SVG}polyline")
    points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert all(30 - 1e-6 <= y <= 155 + 1e-6 for _, y in points)


def test_a_curve_goes_from_the_least_to_the_greatest() -> None:
    (line,) = parsed(plot_svg([0.0, 1.0, 0.5], "t", 2)).iter(f"{SVG}polyline")
    assert [point.split(",")[1] for point in line.get("points").split()] == ["155.0", "30.0", "92.5"]
