"""Trees of arrays: tuples, lists, dictionaries, named tuples, dataclasses, attrs classes and registered classes.

What holds other things is a container, everything else a leaf. ``None`` is a container of nothing. Transformations take
and return trees; the functions here take them apart. A field of a dataclass or attrs class that is annotated as a text,
a function, a class, an enum or as :data:`Static` is part of the structure, as the keys of a dictionary are.

>>> from autodiff import tree
>>> params = {"layers": [{"W": 2.0, "b": 1.0}, {"W": 3.0, "b": 0.5}]}
>>> tree.map(lambda x: 10 * x, params)
{'layers': [{'W': 20.0, 'b': 10.0}, {'W': 30.0, 'b': 5.0}]}
>>> tree.names(params)
['layers/0/W', 'layers/0/b', 'layers/1/W', 'layers/1/b']
"""

from autodiff.trace.trees.containers import register_tree as register
from autodiff.trace.trees.fields import Static
from autodiff.trace.trees.tree import TreeDef, paths
from autodiff.tree.mapping import flatten, leaves, map, reduce, structure, unflatten
from autodiff.tree.naming import map_with_names, mask, names
from autodiff.tree.selection import combine, is_differentiable, partition
from autodiff.tree.vector import ravel

__all__ = [
    "Static",
    "TreeDef",
    "combine",
    "flatten",
    "is_differentiable",
    "leaves",
    "map",
    "map_with_names",
    "mask",
    "names",
    "partition",
    "paths",
    "ravel",
    "reduce",
    "register",
    "structure",
    "unflatten",
]
