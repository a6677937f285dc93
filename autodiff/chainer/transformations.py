"""A bridge between Chainer's optimizers and gradient transformations: each drives what the other one does.

:func:`as_transformation` makes a pure transformation of a Chainer optimizer, for trees of parameters.
:class:`TransformationOptimizer` is a Chainer optimizer that updates a link by one of ``autodiff.optimize``.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from autodiff.chainer.link import Link
from autodiff.chainer.optimizer import GradientMethod
from autodiff.chainer.serializer import Deserializer
from autodiff.chainer.update_rule import UpdateRule
from autodiff.facade.variables.parameter import Parameter
from autodiff.optimize.transformation import GradientTransformation, require_params
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.tracer import Tracer
from autodiff.trace.trees.tree import flatten
from autodiff.tree import names, structure


class ChainerState(NamedTuple):
    """How many updates there were, and the arrays that the rule of each parameter keeps."""

    t: Any
    rules: Any


def as_transformation(optimizer: GradientMethod, hooks: Sequence[Any] = ()) -> GradientTransformation:
    """A Chainer optimizer as a pair of pure functions of trees, ``init`` and ``update``.

    Its arithmetic is that of the update rules, which work in place on copies: values must be known, so that it does not
    run under ``jit`` or ``vmap``. Hyperparameters are those that the optimizer has when it updates.

    Args:
        optimizer: the optimizer; it needs no target, and keeps the one that it has.
        hooks: hooks of optimizers, such as ``WeightDecay(1e-4)``, in their order.

    Raises:
        TypeError: if it is no optimizer of gradients.
        ValueError: if it updates float16 through copies in float32.
        DifferentiationError: when ``init`` or ``update`` gets traced arrays.

    >>> import numpy as np
    >>> from autodiff import optimize
    >>> from autodiff.chainer.optimizers import MomentumSGD
    >>> transformation = as_transformation(MomentumSGD(lr=0.1))
    >>> params = {"w": np.array([1.0, 2.0])}
    >>> updates, state = transformation.update({"w": np.array([1.0, 1.0])}, transformation.init(params), params)
    >>> optimize.apply_updates(params, updates)
    {'w': array([0.9, 1.9])}
    """
    if not isinstance(optimizer, GradientMethod):
        raise TypeError(f"as_transformation needs a GradientMethod, got {type(optimizer).__name__}{at_user_line()}")
    if optimizer._use_fp32_update:
        raise ValueError(
            f"as_transformation: use_fp32_update keeps copies of the parameters{at_user_line()}; keep the tree in "
            "float32"
        )

    def at_work(params: Any) -> tuple[Any, list[Parameter]]:
        """A copy of the optimizer with copies of the parameters as its target."""
        target = Link()
        with target.init_scope():
            for k, leaf in enumerate(flatten(params)[0]):
                setattr(target, f"p{k}", Parameter(np.array(leaf)))
        worker = copy.copy(optimizer).setup(target)
        for hook in hooks:
            worker.add_hook(hook)
        parameters = [getattr(target, f"p{k}") for k in range(len(flatten(params)[0]))]
        for parameter in parameters:
            parameter.update_rule._init_states(parameter)
        return worker, parameters

    def init(params: Any) -> ChainerState:
        refuse_traced(optimizer, params)
        _, parameters = at_work(params)
        return ChainerState(np.int64(0), [dict(parameter.update_rule.state or {}) for parameter in parameters])

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, ChainerState]:
        require_params("a Chainer optimizer", params)
        refuse_traced(optimizer, (updates, state, params))
        worker, parameters = at_work(params)
        worker.t = int(state.t)
        gradients, its = flatten(updates)
        for parameter, gradient, kept in zip(parameters, gradients, state.rules, strict=True):
            parameter.grad = np.array(gradient, parameter.dtype)
            parameter.update_rule.t = int(state.t)
            parameter.update_rule._state = copy.deepcopy(kept)
        worker.update()
        leaves = flatten(params)[0]
        changes = [np.asarray(p.array - leaf)[()] for p, leaf in zip(parameters, leaves, strict=True)]
        return its.unflatten(changes), ChainerState(np.int64(worker.t), [dict(p.update_rule.state) for p in parameters])

    return GradientTransformation(init, update)


def refuse_traced(optimizer: GradientMethod, trees: Any) -> None:
    """Refuse what is traced before NumPy does, whose error would not speak of the optimizer.

    Raises:
        DifferentiationError: naming the optimizer, and what does run under transformations.
    """
    if any(isinstance(leaf, Tracer) for leaf in flatten(trees)[0]):
        raise DifferentiationError(
            f"{type(optimizer).__name__} as a transformation works on plain arrays, but got traced ones"
            f"{at_user_line()}: call its init and update outside of jit, grad, vmap and scan, or use an optimizer of "
            "autodiff.optimize"
        )


class TransformationOptimizer(GradientMethod):
    """A Chainer optimizer that changes the parameters of a link by a transformation of ``autodiff.optimize``.

    It is set up, updates, takes hooks, and saves and loads its state as Chainer's own do, and trainers know it.

    Args:
        transformation: the pair of ``init`` and ``update``, such as ``optimize.adamw(1e-3)``. Its trees of parameters
            are dicts by the names of ``link.namedparams()``.

    Attributes:
        state: the state of the transformation; None before the first update.

    >>> import numpy as np
    >>> import autodiff.chainer.functions as F
    >>> from autodiff import optimize
    >>> from autodiff.chainer.links import Linear
    >>> model = Linear(2, 1, initialW=0.0)
    >>> optimizer = TransformationOptimizer(optimize.sgd(0.5)).setup(model)
    >>> optimizer.update(lambda x: F.sum(model(x)), np.ones((1, 2), np.float32))
    >>> model.W.array
    array([[-0.5, -0.5]], dtype=float32)
    """

    def __init__(self, transformation: Any) -> None:
        super().__init__()
        self.transformation = transformation
        self.state: Any = None

    def setup(self, link: Any) -> Any:
        self.state = None
        return super().setup(link)

    def create_update_rule(self) -> UpdateRule:
        """A rule that only says whether its parameter is updated."""
        return UpdateRule(self.hyperparam)

    def _parameters(self) -> dict[str, Any]:
        found = {name: p for name, p in self._set_up_target().namedparams() if p.array is not None}
        return dict(sorted(found.items()))

    def _update_parameters(self) -> None:
        parameters = self._parameters()
        arrays = {name: parameter.array for name, parameter in parameters.items()}
        if self.state is None:
            self.state = self.transformation.init(arrays)
        gradients = {name: unscaled_gradient(parameter) for name, parameter in parameters.items()}
        updates, self.state = self.transformation.update(gradients, self.state, arrays)
        for name, parameter in parameters.items():
            if parameter.update_rule is None or parameter.update_rule.enabled:
                parameter.array += updates[name]

    def serialize(self, serializer: Any) -> None:
        """Read or write ``t``, ``epoch`` and the state, by the names of its leaves."""
        super().serialize(serializer)
        if isinstance(serializer, Deserializer) and self.state is None and self.t:
            self.state = self.transformation.init({name: p.array for name, p in self._parameters().items()})
        if self.state is not None:
            own = serializer["state"]
            leaves = flatten(self.state)[0]
            found = [own(name, leaf) for name, leaf in zip(names(self.state), leaves, strict=True)]
            self.state = structure(self.state).unflatten(found)


def unscaled_gradient(parameter: Any) -> Any:
    """A gradient, without the scale of the loss."""
    scale, parameter._loss_scale = parameter._loss_scale, None
    return parameter.grad if scale is None else parameter.grad / scale
