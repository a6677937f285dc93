"""A tape as a drawing, in the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from autodiff.trace.formats.text import operand_text, param_text, slot_name
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Tape, inner_tapes

STYLE = """\
    rankdir=TB; compound=true;
    node [fontname="Helvetica", fontsize=11, shape=box, style="rounded,filled", fillcolor="#eef3fb"];
    edge [fontname="Helvetica", fontsize=9];"""


def tape_graphviz(tape: Tape) -> str:
    """A tape as Graphviz DOT text: ``dot -Tsvg`` draws it.

    Inputs are ellipses, operations boxes with their parameters and the user's line, and arrows carry dtypes and shapes.
    The tapes that an operation carries are drawn in frames of their own.

    >>> import numpy as np
    >>> from autodiff import make_tape
    >>> print(tape_graphviz(make_tape(np.sin)(1.0)).splitlines()[0])
    digraph tape {
    """
    return "\n".join(["digraph tape {", STYLE, *(f"    {line}" for line in node_lines(tape, "")), "}"])


def node_lines(tape: Tape, prefix: str) -> Iterator[str]:
    """The nodes and arrows of a tape; their names begin with ``prefix``."""
    makers: list[tuple[str, Spec]] = []
    for k, spec in enumerate(tape.inputs):
        yield node(f"{prefix}i{k}", f"{slot_name(k)}: {spec!r}", shape="ellipse", style="filled", fillcolor="#ffffff")
        makers.append((f"{prefix}i{k}", spec))
    for k, equation in enumerate(tape.equations):
        name = f"{prefix}e{k}"
        yield node(name, equation_label(equation))
        for operand in equation.operands:
            if isinstance(operand, int):
                yield arrow(makers[operand], name)
        for label, inner in inner_tapes(equation):
            yield from frame_lines(label, inner, name)
        makers.extend((name, spec) for spec in equation.specs)
    for k, out in enumerate(tape.outputs):
        name = f"{prefix}o{k}"
        yield node(name, f"result {operand_text(out)}", shape="ellipse", style="filled", fillcolor="#e6f4e6")
        if isinstance(out, int):
            yield arrow(makers[out], name)


def frame_lines(label: str, inner: Tape, owner: str) -> Iterator[str]:
    """A tape in a frame beside the operation that carries it."""
    prefix = f"{owner}_{''.join(c for c in label if c.isalnum())}_"
    yield f"subgraph cluster_{prefix} {{"
    yield f"    label={quoted(label)}; color=gray;"
    yield from (f"    {line}" for line in node_lines(inner, prefix))
    yield "}"
    first = f"{prefix}i0" if inner.inputs else f"{prefix}o0"
    if inner.inputs or inner.outputs:
        yield f"{owner} -> {first} [style=dashed, arrowhead=none, lhead=cluster_{prefix}];"


def equation_label(equation: Equation) -> str:
    """The operation with its literals and parameters, and the user's line below it."""
    literals = [operand_text(operand) if not isinstance(operand, int) else "·" for operand in equation.operands]
    shown = literals if any(text != "·" for text in literals) else []
    hidden = {name.partition("[")[0] for name, _ in inner_tapes(equation)}
    shown += [f"{name}={param_text(value)}" for name, value in equation.params if name not in hidden]
    text = equation.primitive.name + (f"({', '.join(shown)})" if shown else "")
    return f"{text}\n{equation.source}" if equation.source else text


def node(name: str, label: str, **style: str) -> str:
    """A node with its label."""
    options = "".join(f", {key}={quoted(value)}" for key, value in style.items())
    return f"{name} [label={quoted(label)}{options}];"


def arrow(maker: tuple[str, Spec], reader: str) -> str:
    """An arrow that carries a value to who reads it."""
    name, spec = maker
    return f"{name} -> {reader} [label={quoted(repr(spec))}];"


def quoted(text: str) -> str:
    """Text as a DOT string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
