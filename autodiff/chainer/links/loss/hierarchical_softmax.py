"""A softmax in the shape of a tree."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from autodiff.chainer.device_resident import DeviceResidentsVisitor
from autodiff.chainer.functions.loss.labels import check_labels
from autodiff.chainer.initializers import Uniform
from autodiff.chainer.link import Link
from autodiff.facade import Parameter, Variable, as_array
from autodiff.facade.graph.applying import apply
from autodiff.facade.settings.configuration import get_dtype
from autodiff.trace.source import at_user_line


class BinaryHierarchicalSoftmax(Link):
    """The sum of log(1 + exp(-s w.x)) over the nodes on the way to a class, where s is 1 to the left, -1 to the right.

    The cost grows with the depth of the tree, not with the number of classes.

    Args:
        in_size: how many features there are.
        tree: a pair of subtrees, each a pair in turn or a class (an int that is not negative).
        dtype: the dtype of the weights; ``config.dtype`` if None.

    Raises:
        ValueError: if an inner node has not two children.

    Source: Morin and Bengio, Hierarchical Probabilistic Neural Network Language Model, 2005.

    >>> link = BinaryHierarchicalSoftmax(3, ((0, 1), 2))
    >>> link(np.zeros((1, 3), "f"), np.zeros(1, "i"))
    variable(1.3862944)
    """

    def __init__(self, in_size: int, tree: Any, dtype: Any = None) -> None:
        super().__init__()
        ways = list(ways_to_leaves(tree))
        longest = max((len(way) for _, way in ways), default=0)
        self._nodes = np.zeros((max(leaf for leaf, _ in ways) + 1, longest), np.int32)
        self._signs = np.zeros(self._nodes.shape, np.int8)
        for leaf, way in ways:
            for step, (node, sign) in enumerate(way):
                self._nodes[leaf, step], self._signs[leaf, step] = node, sign
        dtype = get_dtype(dtype)
        with self.init_scope():
            self.W = Parameter(Uniform(1.0, dtype=dtype), (len(ways) - 1, in_size))

    @staticmethod
    def create_huffman_tree(word_counts: Mapping[Any, int]) -> Any:
        """The tree in which frequent classes have short ways, by Huffman's algorithm.

        Of parts that are equally frequent, the one with the class that comes first goes first.

        Args:
            word_counts: how often each class occurs.

        Raises:
            ValueError: if there are no classes.

        >>> BinaryHierarchicalSoftmax.create_huffman_tree({0: 8, 1: 5, 2: 6, 3: 4})
        ((3, 1), (2, 0))
        """
        if not word_counts:
            raise ValueError(f"a tree needs at least one class, got none{at_user_line()}")
        queue = [(count, age, word) for age, (word, count) in enumerate(word_counts.items())]
        heapq.heapify(queue)
        while len(queue) > 1:
            first, second = heapq.heappop(queue), heapq.heappop(queue)
            heapq.heappush(queue, (first[0] + second[0], min(first[1], second[1]), (first[2], second[2])))
        return queue[0][2]

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        self._nodes, self._signs = visitor.visit_array(self._nodes), visitor.visit_array(self._signs)

    def forward(self, x: Any, t: Any) -> Variable:
        """The sum of the losses.

        Args:
            x: feature vectors, ``(n, in_size)``, floats.
            t: classes, ``(n,)``, int32; where it is -1 there is no loss.

        Raises:
            InvalidType: if shapes or dtypes are others.
            IndexError: if a class is not in the tree.
        """
        labels = as_array(t)

        def loss(x: Any, t: Any, W: Any) -> Any:
            known = labels != -1
            places = np.where(known, labels, 0)
            check_labels(places, len(self._nodes), -1)
            signs = np.where(known[:, None], self._signs[places], 0)
            scores = np.sum(x[:, None] * W[self._nodes[places]], axis=2) * signs.astype(x.dtype)
            return np.sum(np.where(signs != 0, np.logaddexp(-scores, 0), 0))

        out: Variable = apply(
            "BinaryHierarchicalSoftmaxFunction",
            loss,
            (x, t, self.W),
            check=lambda *in_types: (
                in_types[0].dtype.kind == "f", in_types[0].ndim == 2, in_types[1].dtype == np.int32,
                in_types[1].ndim == 1, in_types[0].shape[0] == in_types[1].shape[0],
                in_types[2].dtype == in_types[0].dtype, in_types[2].shape[1] == in_types[0].shape[1],
            ),
        )  # fmt: skip
        return out


class TreeParser:
    """The ways to the leaves of a tree.

    Args:
        dtype: the dtype of the codes.

    Attributes:
        next_id: how many inner nodes there are.
        paths: for each leaf the numbers of the nodes above it, from the root on, as int32.
        codes: for each leaf 1 for every left child on the way to it, and -1 for every right one.

    >>> parser = TreeParser(np.float32)
    >>> parser.parse(((0, 1), 2))
    >>> parser.size(), parser.get_paths()[1], parser.get_codes()[1]
    (2, array([0, 1], dtype=int32), array([ 1., -1.], dtype=float32))
    """

    def __init__(self, dtype: Any = np.float32) -> None:
        self.dtype = dtype
        self.next_id = 0
        self.paths: dict[Any, Any] = {}
        self.codes: dict[Any, Any] = {}

    def parse(self, tree: Any) -> None:
        """Find the ways to the leaves of another tree.

        Args:
            tree: a pair of subtrees, each a pair in turn or a leaf.

        Raises:
            ValueError: if an inner node has not two children.
        """
        ways = dict(ways_to_leaves(tree))
        self.next_id = len({node for way in ways.values() for node, _ in way})
        self.paths = {leaf: np.array([node for node, _ in way], np.int32) for leaf, way in ways.items()}
        self.codes = {leaf: np.array([sign for _, sign in way], self.dtype) for leaf, way in ways.items()}

    def size(self) -> int:
        """How many inner nodes the tree has."""
        return self.next_id

    def get_paths(self) -> dict[Any, Any]:
        """For each leaf the numbers of the nodes above it."""
        return self.paths

    def get_codes(self) -> dict[Any, Any]:
        """For each leaf the sides on the way to it."""
        return self.codes


def ways_to_leaves(tree: Any) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Each leaf with the numbers of the nodes above it, and 1 for the left, -1 for the right child."""
    waiting: list[tuple[Any, list[tuple[int, int]]]] = [(tree, [])]
    nodes = 0
    while waiting:
        subtree, way = waiting.pop()
        if not isinstance(subtree, tuple):
            yield subtree, way
            continue
        if len(subtree) != 2:
            raise ValueError(f"each inner node must have two children, got {subtree}{at_user_line()}")
        node, nodes = nodes, nodes + 1
        waiting += [(subtree[1], [*way, (node, -1)]), (subtree[0], [*way, (node, 1)])]
