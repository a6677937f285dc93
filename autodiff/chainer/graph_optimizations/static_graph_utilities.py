"""Where Chainer defines what marks parts of graphs that never change."""

from autodiff.chainer.function_node import static_forward_optimizations
from autodiff.chainer.graph_optimizations.static_graph import static_code

__all__ = ["static_code", "static_forward_optimizations"]
