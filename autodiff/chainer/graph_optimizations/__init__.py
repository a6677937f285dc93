"""What Chainer had for graphs that never change."""

from autodiff.chainer.graph_optimizations import static_graph_utilities
from autodiff.chainer.graph_optimizations.static_graph import static_code

__all__ = ["static_code", "static_graph_utilities"]
