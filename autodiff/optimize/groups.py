"""Another transformation for each group of parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from autodiff.optimize.numbers import zeros_tree
from autodiff.optimize.transformation import GradientTransformation, stateless, with_extra
from autodiff.trace.source import at_user_line
from autodiff.trace.trees.tree import flatten
from autodiff.tree import combine, partition
from autodiff.tree.selection import spread

Labels = Any
"""A tree of labels, in which one may stand for a whole part, or a function that makes one of the parameters."""


class MultiTransformState(NamedTuple):
    """The states of the groups, by their labels."""

    inner_states: dict[Any, Any]


def set_to_zero() -> GradientTransformation:
    """Zeros in place of updates: parameters that stay as they are.

    >>> frozen = set_to_zero()
    >>> frozen.update({"w": 3.0}, frozen.init({"w": 1.0}))[0]
    {'w': np.float64(0.0)}
    """
    return stateless(lambda updates, params: zeros_tree(updates))


def multi_transform(transforms: Mapping[Any, Any], param_labels: Labels) -> GradientTransformation:
    """Another transformation for each group of parameters.

    Args:
        transforms: transformations by the labels of the groups.
        param_labels: a tree of labels, in which one may stand for a whole part, or a function that makes one of the
            parameters.

    Raises:
        ValueError: if the tree of labels does not fit, or a label has no transformation.

    >>> from autodiff import optimize
    >>> params = {"body": {"w": 1.0, "b": 0.0}, "head": 2.0}
    >>> optimizer = multi_transform(
    ...     {"train": optimize.sgd(0.1), "freeze": optimize.set_to_zero()}, {"body": "freeze", "head": "train"}
    ... )
    >>> updates, state = optimizer.update(params, optimizer.init(params), params)
    >>> trained = optimize.apply_updates(params, updates)
    >>> float(trained["body"]["w"]), trained["head"]
    (1.0, 1.8)
    """
    updating = {label: with_extra(own.update) for label, own in transforms.items()}

    def of_groups(whole: Any) -> Callable[[Any], dict[Any, Any]]:
        found = labels_of(whole, param_labels, transforms)

        def groups(tree: Any) -> dict[Any, Any]:
            its = flatten(tree)[1]
            return {label: partition(tree, its.unflatten(own == label for own in found))[0] for label in transforms}

        return groups

    def init(params: Any) -> MultiTransformState:
        own = of_groups(params)(params)
        return MultiTransformState({label: one.init(own[label]) for label, one in transforms.items()})

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, MultiTransformState]:
        groups = of_groups(updates if params is None else params)
        own_updates, own_params = groups(updates), {} if params is None else groups(params)
        made = {
            label: own_update(own_updates[label], state.inner_states[label], own_params.get(label), **extra)
            for label, own_update in updating.items()
        }
        return (
            combine(*(found for found, _ in made.values())),
            MultiTransformState({label: inner for label, (_, inner) in made.items()}),
        )

    return GradientTransformation(init, update)


def labels_of(tree: Any, labels: Labels, known: Mapping[Any, Any]) -> list[Any]:
    """The labels of all leaves.

    Raises:
        ValueError: if the tree of labels does not fit, or a label is not known.
    """
    found: list[Any] = spread(labels(tree) if callable(labels) else labels, flatten(tree)[1], is_label, "label")
    for label in found:
        if label not in known:
            raise ValueError(
                f"multi_transform: the label {label!r} has no transformation{at_user_line()}; there are those of "
                f"{', '.join(map(repr, known))}"
            )
    return found


def is_label(part: Any) -> bool:
    """Whether a part of a tree of labels is one: a text or a number."""
    return isinstance(part, (str, bool, int))
