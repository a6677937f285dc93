"""A drawing of the graph of a reported Variable."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Any

from autodiff.chainer.computational_graph import FUNCTION_STYLE, VARIABLE_STYLE, build_computational_graph
from autodiff.chainer.training.extension import Extension
from autodiff.chainer.training.triggers.progress import as_number
from autodiff.facade.settings.configuration import config
from autodiff.facade.variables.variable import Variable


class DumpGraph(Extension):
    """Writes the graph behind a reported Variable to a file in Graphviz's language, once.

    With the program ``dot`` there, an image is written beside it.

    Args:
        root_name: the name of the value, as ``main/loss``.
        filename: the file's name; ``cg.dot`` by default.
        variable_style: attributes of the nodes of Variables.
        function_style: attributes of the nodes of functions.
        out_name: an old spelling of ``filename``.

    Raises:
        KeyError: when the value is not reported.
        TypeError: when it is no Variable.
    """

    default_name = "dump_graph"

    def __init__(
        self,
        root_name: str,
        filename: str | None = None,
        variable_style: dict[str, Any] | None = None,
        function_style: dict[str, Any] | None = None,
        *,
        out_name: str = "cg.dot",
    ) -> None:
        self._root_name = root_name
        self._filename = filename or out_name
        self._variable_style = VARIABLE_STYLE if variable_style is None else variable_style
        self._function_style = FUNCTION_STYLE if function_style is None else function_style
        self._original_flag: bool | None = None
        self._flag_called = False
        self._keeping = False

    def initialize(self, trainer: Any) -> None:
        """Have reported Variables keep their graphs, until the first drawing."""
        if not self._flag_called:
            self._original_flag = config.keep_graph_on_report
            config.keep_graph_on_report = self._keeping = True

    def trigger(self, trainer: Any) -> bool:
        """Whether nothing was drawn yet."""
        if self._flag_called:
            return False
        self._flag_called = True
        return True

    def __call__(self, trainer: Any) -> None:
        try:
            root = self._root(trainer.observation)
            graph = build_computational_graph(
                [root], variable_style=self._variable_style, function_style=self._function_style
            )
            draw(graph.dump("dot"), os.path.join(trainer.out, self._filename))
        finally:
            self._restore()

    def finalize(self) -> None:
        """Let go of the graphs, also where there was no drawing."""
        self._restore()

    def _restore(self) -> None:
        if self._keeping:
            config.keep_graph_on_report = self._original_flag
            self._keeping = False

    def _root(self, observation: dict[str, Any]) -> Variable:
        if self._root_name not in observation:
            present = ", ".join(observation) or "nothing"
            raise KeyError(f"DumpGraph looks for {self._root_name!r}, but what was reported is: {present}")
        root = observation[self._root_name]
        if not isinstance(root, Variable):
            raise TypeError(
                f"DumpGraph needs a Variable, but {self._root_name!r} was reported as {type(root).__name__}"
            )
        return root

    def serialize(self, serializer: Any) -> None:
        """Save or restore whether it has been drawn."""
        self._original_flag = as_number(serializer("_original_flag", self._original_flag))
        self._flag_called = bool(as_number(serializer("_flag_called", self._flag_called)))


def draw(text: str, path: str) -> None:
    """Write the text, and an image of it if Graphviz is there."""
    with open(path, "w") as file:
        file.write(text)
    program = shutil.which("dot")
    if program is not None:
        image = os.path.splitext(path)[0] + ".png"
        subprocess.run([program, "-Tpng", path, "-o", image], check=True)
