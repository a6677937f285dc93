"""Tapes as Graphviz text."""

import re

import numpy as np
import pytest

from autodiff import checkpoint, make_tape, tape_graphviz

from .tapes import FUNCTIONS, X


def test_text() -> None:
    fun = lambda x: np.sin(x) * 2.0  # noqa: E731
    line = fun.__code__.co_firstlineno
    assert tape_graphviz(make_tape(fun)(X)) == (
        "digraph tape {\n"
        "    rankdir=TB; compound=true;\n"
        '    node [fontname="Helvetica", fontsize=11, shape=box, style="rounded,filled", fillcolor="#eef3fb"];\n'
        '    edge [fontname="Helvetica", fontsize=9];\n'
        '    i0 [label="a: float64[3]", shape="ellipse", style="filled", fillcolor="#ffffff"];\n'
        f'    e0 [label="sin\\ntest_graphviz.py:{line}"];\n'
        '    i0 -> e0 [label="float64[3]"];\n'
        f'    e1 [label="multiply(·, 2.0)\\ntest_graphviz.py:{line}"];\n'
        '    e0 -> e1 [label="float64[3]"];\n'
        '    o0 [label="result c", shape="ellipse", style="filled", fillcolor="#e6f4e6"];\n'
        '    e1 -> o0 [label="float64[3]"];\n'
        "}"
    )


def test_inner_tapes_have_frames() -> None:
    text = tape_graphviz(make_tape(checkpoint(np.tanh))(X))
    assert "    subgraph cluster_e0_tape_ {\n" in text
    assert '        e0_tape_i0 [label="a: float64[3]"' in text
    assert "    e0 -> e0_tape_i0 [style=dashed, arrowhead=none, lhead=cluster_e0_tape_];\n" in text


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_node_is_defined_once_and_every_arrow_has_ends(name: str) -> None:
    fun, args = FUNCTIONS[name]
    text = tape_graphviz(make_tape(fun)(*args))
    names = re.findall(r"^ *(\w+) \[label=", text, re.MULTILINE)
    assert len(names) == len(set(names))
    ends = {end for pair in re.findall(r"^ *(\w+) -> (\w+) ", text, re.MULTILINE) for end in pair}
    assert ends <= set(names)
    assert text.count("{") == text.count("}")
    for line in text.splitlines():
        assert line.count('"') % 2 == 0
