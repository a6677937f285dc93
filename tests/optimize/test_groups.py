"""Groups of parameters with optimizers of their own, numbers that stand in the state, and what is refused."""

import numpy as np
import pytest

import autodiff
from autodiff import optimize, tree

PARAMS = {"body": {"w": np.array([1.0, -2.0]), "b": 0.5}, "head": np.array([[3.0, 1.0]])}
GRADIENTS = tree.map(lambda p: 0.5 * p - 1.0, PARAMS)


def run(optimizer, steps=5, compiled=False, params=PARAMS, change=None):
    def step(params, state):
        updates, state = optimizer.update(tree.map(lambda p: 0.5 * p - 1.0, params), state, params)
        return optimize.apply_updates(params, updates), state

    step = autodiff.jit(step, backend="numpy") if compiled else step
    state = optimizer.init(params)
    for number in range(steps):
        if change is not None:
            change(number, state)
        params, state = step(params, state)
    return params, state


def equal(a, b):
    assert tree.structure(a) == tree.structure(b)
    for one, other in zip(tree.leaves(a), tree.leaves(b), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    "labels",
    [
        {"body": "slow", "head": "fast"},
        {"body": {"w": "slow", "b": "slow"}, "head": "fast"},
        lambda params: tree.map_with_names(lambda name, leaf: "fast" if name == "head" else "slow", params),
    ],
    ids=["one for a part", "each", "function"],
)
def test_each_group_is_optimized_by_its_own(labels, compiled):
    optimizer = optimize.multi_transform(
        {"slow": optimize.sgd(0.01, momentum=0.9), "fast": optimize.adamw(0.1)}, labels
    )
    found, state = run(optimizer, compiled=compiled)
    equal(found["body"], run(optimize.sgd(0.01, momentum=0.9), params=PARAMS["body"])[0])
    equal(found["head"], run(optimize.adamw(0.1), params=PARAMS["head"])[0])
    assert sorted(state.inner_states) == ["fast", "slow"]


def test_frozen_parameters_keep_their_bits_and_have_no_state():
    optimizer = optimize.multi_transform(
        {"train": optimize.adam(0.1), "freeze": optimize.set_to_zero()}, {"body": "freeze", "head": "train"}
    )
    found, state = run(optimizer)
    assert found["body"]["w"].tolist() == [1.0, -2.0]
    assert [np.shape(leaf) for leaf in tree.leaves(state)] == [(), (1, 2), (1, 2)]


def test_groups_in_a_chain_with_clipping_and_extra_arguments():
    inner = optimize.multi_transform({0: optimize.sgd(1.0), 1: optimize.lbfgs(linesearch=None)}, {"a": 0, "b": 1})
    chained = optimize.chain(optimize.clip_by_global_norm(5.0), inner)
    params = {"a": 3.0, "b": 4.0}
    updates, _ = chained.update(params, chained.init(params), params, value=0.0)
    assert updates["a"] == -3.0
    assert np.isfinite(updates["b"])


def test_labels_that_do_not_fit_are_refused():
    unknown = optimize.multi_transform({"slow": optimize.sgd(0.1)}, {"body": "slow", "head": "fast"})
    with pytest.raises(
        ValueError,
        match=r"^multi_transform: the label 'fast' has no transformation \(test_groups.py:\d+\); there are those of 'slow'$",
    ):
        unknown.init(PARAMS)
    other = optimize.multi_transform({"slow": optimize.sgd(0.1)}, {"tail": "slow"})
    with pytest.raises(ValueError, match=r"^a tree of labels does not fit .* give a label for each leaf, or one for a"):
        other.init(PARAMS)


FACTORIES = {
    "sgd": {"learning_rate": 0.05, "momentum": 0.9},
    "adam": {"learning_rate": 0.05},
    "adamw": {"learning_rate": 0.05, "weight_decay": 1e-2, "mask": {"body": True, "head": False}},
    "amsgrad": {"learning_rate": 0.05},
    "rmsprop": {"learning_rate": 0.05},
    "adagrad": {"learning_rate": 0.5},
    "adadelta": {"learning_rate": 1.0},
    "lamb": {"learning_rate": 0.05},
    "lion": {"learning_rate": 0.05},
    "adafactor": {"learning_rate": 0.05},
    "muon": {"learning_rate": 0.05},
}


@pytest.mark.parametrize("name", FACTORIES)
def test_numbers_in_the_state_change_nothing(name):
    factory, arguments = getattr(optimize, name), FACTORIES[name]
    found, state = run(optimize.inject_hyperparams(factory)(**arguments), steps=3, compiled=True)
    equal(found, run(factory(**arguments), steps=3)[0])
    assert state.hyperparams["learning_rate"] == arguments["learning_rate"]
    assert int(state.count) == 3


def test_a_rate_is_changed_without_recording_again():
    def change(number, state):
        if number == 2:
            state.hyperparams["learning_rate"] = 0.01

    optimizer = optimize.inject_hyperparams(optimize.sgd)(learning_rate=0.1)
    with autodiff.explain_recompiles() as records:
        found, _ = run(optimizer, steps=4, compiled=True, change=change)
    assert len(records) <= 2  # the first call, and one for the counter that comes back as an array
    schedule = optimize.piecewise_constant_schedule(0.1, {2: 0.1})
    by_schedule, state = run(optimize.inject_hyperparams(optimize.sgd)(learning_rate=schedule), steps=4, compiled=True)
    equal(found, by_schedule)
    np.testing.assert_allclose(state.hyperparams["learning_rate"], 0.01)


def test_float32_parameters_stay_float32():
    params = tree.map(lambda p: np.asarray(p, np.float32), PARAMS)
    for schedule in (0.05, optimize.cosine_decay_schedule(0.05, 10)):
        found, _ = run(
            optimize.inject_hyperparams(optimize.adamw)(learning_rate=schedule), compiled=True, params=params
        )
        assert {leaf.dtype for leaf in tree.leaves(found)} == {np.dtype(np.float32)}


def test_what_stays_as_it_was_given():
    state = optimize.inject_hyperparams(optimize.adam, static_args=["b1", "b2"])(0.1).init(PARAMS)
    assert sorted(state.hyperparams) == ["eps", "eps_root", "learning_rate"]
    with pytest.raises(
        ValueError,
        match=r"^inject_hyperparams: beta among static_args \(test_groups.py:\d+\), which adam does not take; it",
    ):
        optimize.inject_hyperparams(optimize.adam, static_args=["beta"])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            (optimize.adam,),
            r"chain: argument 0 is no transformation, but function \(test_groups.py:\d+\); call it: adam\(",
        ),
        (
            ([optimize.sgd(0.1)],),
            r"argument 0 is no transformation, but list \(test_groups.py:\d+\); give them one by one",
        ),
        ((optimize.clip(1.0), 0.1), r"argument 1 is no transformation, but float \(.*\); it needs init and update"),
    ],
)
def test_what_is_no_transformation_is_refused(arguments, text):
    with pytest.raises(TypeError, match=text):
        optimize.chain(*arguments)


def test_updates_of_other_parameters_are_refused():
    with pytest.raises(
        ValueError,
        match=r"^apply_updates: body/w has shape \(2,\), its update \(3,\) \(test_groups.py:\d+\); give the updates",
    ):
        optimize.apply_updates(PARAMS, {**PARAMS, "body": {"w": np.zeros(3), "b": 0.0}})
    with pytest.raises(TypeError, match=r"^apply_updates: steps holds int64, its update float64 .*tree.partition$"):
        optimize.apply_updates({"steps": np.arange(2)}, {"steps": np.ones(2)})
    assert optimize.apply_updates({"steps": 3}, {"steps": 1}) == {"steps": 4}


def test_objects_that_are_no_trees_are_refused_with_what_to_do():
    class Model:
        def __init__(self):
            self.w = np.ones(2)

    with pytest.raises(
        TypeError,
        match=r"^an object of type .*Model came in .*; to make it a tree, make its class a dataclass, or give it to autodiff.tree.register$",
    ):
        optimize.adam(0.1).init(Model())
    with pytest.raises(
        TypeError, match=r"argument 0 is .*Model \(.*\). To make it a tree, make its class a dataclass, or"
    ):
        autodiff.grad(lambda model: np.sum(model.w))(Model())
