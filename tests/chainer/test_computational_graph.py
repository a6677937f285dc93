"""Drawings of graphs; texts were seen on Chainer 7.8.1."""

import re

import numpy as np
import pytest

from autodiff.chainer.computational_graph import ComputationalGraph, DotNode, build_computational_graph
from autodiff.facade import Variable

VARIABLE = 'shape="octagon",fillcolor="#E0E0E0",style="filled"'
FUNCTION = 'shape="record",fillcolor="#6495ED",style="filled"'


@pytest.fixture
def x():
    return Variable(np.ones((2, 3), np.float32), name="x")


def numbered(text):
    """The text with small numbers in place of addresses, in order of appearance."""
    places = {}
    return re.sub(r"\d{6,}", lambda found: str(places.setdefault(found.group(), len(places))), text)


def parts(text):
    """The lines without addresses, and the edges as pairs of labels."""
    body = text[text.index("{") + 1 : -1].split(";")[1:-1]
    labels = {line.split()[0]: re.search('label="(.*?)"', line).group(1) for line in body if "label" in line}
    edges = [tuple(labels[end] for end in line.split(" -> ")) for line in body if "->" in line]
    return list(labels.values()), edges


def test_the_whole_text(x):
    text = build_computational_graph(x * 2).dump()
    assert numbered(text) == (
        "digraph graphname{rankdir=TB;"
        f'0 [label="(2, 3), float32",{VARIABLE}];1 [label="_ * 2",{FUNCTION}];2 [label="x: (2, 3), float32",{VARIABLE}];'
        "1 -> 0;2 -> 1;}"
    )


def test_a_root(x):
    assert numbered(build_computational_graph([x]).dump()) == (
        f'digraph graphname{{rankdir=TB;0 [label="x: (2, 3), float32",{VARIABLE}];}}'
    )


def test_nodes_and_edges(x):
    y = x**2 * Variable(np.ones((2, 3), np.float32)) + 2
    labels, edges = parts(build_computational_graph([y, y * y]).dump("dot"))
    array = "(2, 3), float32"
    assert sorted(labels) == sorted(["x: " + array, *[array] * 5, "_ ** 2", "_ * _", "_ * _", "_ + 2"])
    assert sorted(edges) == sorted(
        [
            ("x: " + array, "_ ** 2"), ("_ ** 2", array), (array, "_ * _"), (array, "_ * _"), ("_ * _", array),
            (array, "_ + 2"), ("_ + 2", array), (array, "_ * _"), ("_ * _", array),
        ]
    )  # fmt: skip


def test_one_edge_where_a_variable_is_used_twice(x):
    labels, edges = parts(build_computational_graph(x + x).dump())
    assert (len(labels), len(edges)) == (3, 2)


def test_functions_only(x):
    y = x**2 + 2
    assert parts(build_computational_graph(y * y, remove_variable=True).dump()) == (
        ["_ * _", "_ + 2", "_ ** 2"],
        [("_ + 2", "_ * _"), ("_ ** 2", "_ + 2")],
    )


def test_without_names(x):
    labels, _ = parts(build_computational_graph(x * 2, show_name=False).dump())
    assert labels == ["(2, 3), float32", "_ * 2", "(2, 3), float32"]


def test_direction(x):
    assert build_computational_graph(x, rankdir="LR").dump().startswith("digraph graphname{rankdir=LR;")
    with pytest.raises(ValueError, match=r"^rankdir must be TB, BT, LR or RL, got 'XX'$"):
        build_computational_graph(x, rankdir="XX")


def test_styles(x):
    text = build_computational_graph(
        x * 2, variable_style={"color": "red"}, function_style={"shape": "box", "style": "filled"}
    ).dump()
    assert 'label="x: (2, 3), float32",shape="oval",color="red"]' in text
    assert 'label="_ * 2",shape="box",style="filled"]' in text


def test_starts(x):
    y = x * 2
    for starts in (y, [y], (y,), y.node, [y.node]):
        graph = build_computational_graph(starts)
        assert (len(graph.nodes), len(graph.edges)) == (3, 2)
    graph = build_computational_graph([y.creator])
    assert (len(graph.nodes), len(graph.edges)) == (2, 1)


def test_attributes_of_the_graph(x):
    graph = build_computational_graph(x * 2)
    assert isinstance(graph, ComputationalGraph)
    assert graph.nodes[0] is graph.edges[0][1]
    assert graph.nodes[1] is graph.edges[0][0] is graph.edges[1][1]
    assert graph.nodes[2] is graph.edges[1][0] is x.node


def test_a_long_chain(x):
    for _ in range(10_000):
        x = x + 1
    assert len(build_computational_graph(x).nodes) == 20_001


def test_other_formats(x):
    with pytest.raises(NotImplementedError, match=r"^only the dot format can be dumped, got 'png'"):
        build_computational_graph(x).dump("png")


def test_graphs_with_split_functions_are_gone(x):
    with pytest.raises(ValueError, match=r"^remove_split=False is not supported anymore; leave it out$"):
        build_computational_graph(x, remove_split=False)


def test_dot_node(x):
    node = DotNode(x.node)
    assert node.attribute == {"label": "x: (2, 3), float32", "shape": "oval"}
    assert node.label == f'{id(x.node)} [label="x: (2, 3), float32",shape="oval"];'
    assert DotNode(x.node, show_name=False).attribute["label"] == "(2, 3), float32"
    assert DotNode((x * 2).creator, {"a": 1, "label": "z"}).attribute == {"label": "z", "shape": "box", "a": 1}


def test_quotes_in_names():
    node = DotNode(Variable(np.ones(()), name='a"b').node)
    assert r'label="a\"b: float64"' in node.label


def test_what_is_no_node():
    with pytest.raises(TypeError, match=r"^DotNode draws VariableNodes and functions, got int$"):
        DotNode(3)
