"""The bridge: Chainer's optimizers on trees, and optimizers of trees on links."""

from typing import Any

import numpy as np
import pytest

import autodiff
import autodiff.chainer as chainer
import autodiff.chainer.functions as F
import autodiff.chainer.links as L
from autodiff import optimize, tree
from autodiff.chainer import optimizer_hooks, optimizers
from autodiff.chainer.transformations import TransformationOptimizer, as_transformation
from autodiff.trace.errors import DifferentiationError

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)


def model() -> Any:
    rng = np.random.default_rng(0)
    return chainer.Sequential(
        L.Linear(3, 5, initialW=rng.normal(size=(5, 3)).astype(np.float32)),
        F.tanh,
        L.Linear(5, 2, initialW=rng.normal(size=(2, 5)).astype(np.float32)),
    )


def loss_of(predict: Any) -> Any:
    return lambda x: F.sum(predict(x) ** 2)


OURS: dict[str, Any] = {
    "SGD": lambda: optimizers.SGD(0.05),
    "MomentumSGD": lambda: optimizers.MomentumSGD(0.05),
    "NesterovAG": lambda: optimizers.NesterovAG(0.05),
    "Adam": lambda: optimizers.Adam(0.05),
    "AdaBound": lambda: optimizers.AdaBound(0.05),
    "AMSGrad": lambda: optimizers.AMSGrad(0.05),
    "RMSprop": lambda: optimizers.RMSprop(0.05),
    "RMSpropGraves": lambda: optimizers.RMSpropGraves(0.05),
    "AdaGrad": lambda: optimizers.AdaGrad(0.05),
    "AdaDelta": lambda: optimizers.AdaDelta(),
    "SMORMS3": lambda: optimizers.SMORMS3(),
    "MSVAG": lambda: optimizers.MSVAG(0.05),
    "CorrectedMomentumSGD": lambda: optimizers.CorrectedMomentumSGD(0.05),
}


@pytest.mark.parametrize("name", OURS)
def test_a_chainer_optimizer_drives_a_tree(name: str) -> None:
    link = model()
    f, params = autodiff.functional(link)
    direct = OURS[name]().setup(link)
    hooks = [optimizer_hooks.WeightDecay(0.01), optimizer_hooks.GradientClipping(5.0)]
    for hook in hooks:
        direct.add_hook(hook)
    transformation = as_transformation(OURS[name](), hooks)
    state = transformation.init(params)
    for _ in range(5):
        gradients = autodiff.grad(lambda params: np.sum(f(params, X) ** 2))(params)
        updates, state = transformation.update(gradients, state, params)
        params = optimize.apply_updates(params, updates)
        direct.update(loss_of(link), X)
    for one, other in zip(tree.leaves(params), tree.leaves(f.read()), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-6)
    before = tree.map(np.copy, state)
    transformation.update(gradients, state, params)
    for one, other in zip(tree.leaves(before), tree.leaves(state), strict=True):
        np.testing.assert_array_equal(one, other)


def test_hyperparameters_are_those_of_the_moment() -> None:
    optimizer = optimizers.SGD(1.0)
    transformation = as_transformation(optimizer)
    state = transformation.init(np.ones(1))
    first, state = transformation.update(np.ones(1), state, np.ones(1))
    optimizer.lr = 0.5
    second, state = transformation.update(np.ones(1), state, np.ones(1))
    assert (first.tolist(), second.tolist(), int(state.t)) == ([-1.0], [-0.5], 2)
    assert optimizer.target is None


def test_what_the_bridge_refuses() -> None:
    with pytest.raises(
        TypeError, match=r"as_transformation needs a GradientMethod, got float \(test_transformations.py:\d+\)"
    ):
        as_transformation(0.1)  # type: ignore[arg-type]
    precise = optimizers.SGD(1.0)
    precise.use_fp32_update()
    with pytest.raises(ValueError, match="use_fp32_update keeps copies of the parameters"):
        as_transformation(precise)
    transformation = as_transformation(optimizers.SGD(1.0))
    params = {"w": np.ones(2)}
    for call in (
        autodiff.jit(transformation.init),
        autodiff.jit(lambda g: transformation.update(g, transformation.init(params), params)[0]),
    ):
        with pytest.raises(
            DifferentiationError,
            match=r"^SGD as a transformation works on plain arrays, but got traced ones \(test_tran",
        ):
            call(params)
    with pytest.raises(ValueError, match="a Chainer optimizer needs the parameters"):
        transformation.update(np.ones(1), transformation.init(np.ones(1)))


THEIRS: dict[str, Any] = {
    "sgd": lambda: optimize.sgd(0.05, 0.9),
    "adamw": lambda: optimize.adamw(0.05, weight_decay=0.1, mask=lambda params: tree.mask(params, "*W")),
    "lion": lambda: optimize.lion(0.01),
    "muon": lambda: optimize.muon(0.05),
    "schedule": lambda: optimize.sgd(optimize.linear_schedule(0.1, 0.0, 10)),
}


@pytest.mark.parametrize("name", THEIRS)
def test_a_transformation_drives_a_link(name: str, tmp_path: Any) -> None:
    link = model()
    f, params = autodiff.functional(link)
    optimizer = TransformationOptimizer(THEIRS[name]()).setup(link)
    transformation = THEIRS[name]()
    state = transformation.init(params)
    arrays = [p.array for p in link.params()]
    for _ in range(4):
        gradients = autodiff.grad(lambda params: np.sum(f(params, X) ** 2))(params)
        updates, state = transformation.update(gradients, state, params)
        params = optimize.apply_updates(params, updates)
        optimizer.update(loss_of(link), X)
    for one, other in zip(tree.leaves(params), tree.leaves(f.read()), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-6)
    assert all(a is p.array for a, p in zip(arrays, link.params(), strict=True))
    assert optimizer.t == 4

    chainer.serializers.save_npz(tmp_path / "model.npz", link)
    chainer.serializers.save_npz(tmp_path / "optimizer.npz", optimizer)
    other = model()
    again = TransformationOptimizer(THEIRS[name]()).setup(other)
    chainer.serializers.load_npz(tmp_path / "model.npz", other)
    chainer.serializers.load_npz(tmp_path / "optimizer.npz", again)
    assert again.t == 4
    for one in (optimizer, again):
        one.update(loss_of(one.target), X)
    for a, b in zip(link.params(), other.params(), strict=True):
        np.testing.assert_array_equal(a.array, b.array)


def test_hooks_and_parameters_that_stay() -> None:
    link = model()
    optimizer = TransformationOptimizer(optimize.sgd(1.0)).setup(link)
    optimizer.add_hook(optimizer_hooks.GradientClipping(1e-3))
    link[0].disable_update()
    before = {name: p.array.copy() for name, p in link.namedparams()}
    optimizer.update(loss_of(link), X)
    changes = {name: np.abs(p.array - before[name]).max() for name, p in link.namedparams()}
    assert changes["/0/W"] == 0
    assert 0 < changes["/1/W"] <= 1e-3


def test_a_trainer_knows_it(tmp_path: Any) -> None:
    link = L.Classifier(model())
    data = chainer.datasets.TupleDataset(X, np.array([0, 1, 0, 1], np.int32))
    iterator = chainer.iterators.SerialIterator(data, 2)
    optimizer = TransformationOptimizer(optimize.adam(0.01)).setup(link)
    trainer = chainer.training.Trainer(
        chainer.training.updaters.StandardUpdater(iterator, optimizer), (3, "epoch"), out=str(tmp_path)
    )
    trainer.run()
    assert (optimizer.t, optimizer.epoch) == (6, 3)
