"""A tape as a drawing for notebooks, which show it where a tape is the last value of a cell."""

from __future__ import annotations

from autodiff.trace.formats.drawing import Box, graph_svg
from autodiff.trace.formats.graphviz import equation_label
from autodiff.trace.formats.text import operand_text, slot_name
from autodiff.trace.tape import Equation, Tape, inner_tapes


def tape_svg(tape: Tape) -> str | None:
    """A tape as SVG: inputs, operations with the dtypes and shapes of their results, and results; None of a long one.

    Of the tapes that an operation carries it says how many operations they have; ``autodiff.tape_graphviz`` draws them,
    too.

    >>> import numpy as np
    >>> from autodiff import make_tape
    >>> tape_svg(make_tape(np.sin)(1.0))[:4]
    '<svg'
    """
    boxes: list[Box] = []
    arrows: list[tuple[int, int]] = []
    makers: list[int] = []
    for k, own in enumerate(tape.inputs):
        makers.append(len(boxes))
        boxes.append(Box((f"{slot_name(k)}: {own!r}",), "value"))
    for equation in tape.equations:
        arrows += [(makers[o], len(boxes)) for o in dict.fromkeys(equation.operands) if isinstance(o, int)]
        makers += [len(boxes)] * len(equation.specs)
        boxes.append(Box(tuple(operation_lines(equation))))
    for out in tape.outputs:
        arrows += [(makers[out], len(boxes))] if isinstance(out, int) else []
        boxes.append(Box((f"result {operand_text(out)}",), "result"))
    return graph_svg(boxes, arrows)


def operation_lines(equation: Equation) -> list[str]:
    """What stands in the box of an operation."""
    label, *source = equation_label(equation).split("\n")
    inner = [f"{name}: {len(tape.equations)} operations" for name, tape in inner_tapes(equation)]
    return [label, *inner, ", ".join(map(repr, equation.specs)), *source]


Tape._repr_svg_ = tape_svg  # type: ignore[attr-defined] # what a tape is drawn as belongs to this file, not to the data
