"""What transformations do apart from agreeing with others: masks, clipping, chains, accumulation, averages, and errors."""

import re
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff
from autodiff import optimize, tree

PARAMS = {"w": np.array([1.0, -2.0]), "b": 3.0}
GRADIENTS = {"w": np.array([3.0, 4.0]), "b": -12.0}


def once(transformation: Any, updates: Any = GRADIENTS, params: Any = PARAMS, **extra: Any) -> Any:
    return transformation.update(updates, transformation.init(params), params, **extra)[0]


def equal(a: Any, b: Any) -> None:
    assert tree.structure(a) == tree.structure(b)
    for one, other in zip(tree.leaves(a), tree.leaves(b), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_clipping() -> None:
    equal(once(optimize.clip(3.5)), {"w": np.array([3.0, 3.5]), "b": -3.5})
    equal(once(optimize.clip_by_norm(6.5)), {"w": np.array([3.0, 4.0]), "b": -6.5})
    equal(once(optimize.clip_by_global_norm(6.5)), {"w": np.array([1.5, 2.0]), "b": -6.0})
    equal(once(optimize.clip_by_global_norm(13.0)), GRADIENTS)
    zeros = tree.map(np.zeros_like, GRADIENTS)
    for clipping in (optimize.clip_by_norm(1.0), optimize.clip_by_global_norm(1.0), optimize.clip_by_block_rms(1.0)):
        equal(once(clipping, zeros), zeros)


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=5), st.floats(1e-3, 1e3))
def test_norms_are_kept_below(values: list[float], most: float) -> None:
    u = {"a": np.array(values), "b": values[0]}
    found = once(optimize.clip_by_global_norm(most), u, u)
    assert float(optimize.global_norm(found)) <= most * (1 + 1e-12)
    if float(optimize.global_norm(u)) < most:
        equal(found, u)


def test_masks() -> None:
    decay = optimize.add_decayed_weights(0.1, mask={"w": True, "b": False})
    equal(once(decay), {"w": np.array([3.1, 3.8]), "b": -12.0})
    by_function = optimize.add_decayed_weights(0.1, mask=lambda params: tree.mask(params, "w"))
    equal(once(by_function), once(decay))
    frozen = optimize.masked(optimize.scale(0.0), {"w": False, "b": True})
    equal(once(frozen), {"w": GRADIENTS["w"], "b": 0.0})
    state = optimize.masked(optimize.adam(0.1), {"w": True, "b": False}).init(PARAMS)
    assert [np.shape(leaf) for leaf in tree.leaves(state)] == [(), (2,), (2,)]


def test_what_is_not_differentiated_stays() -> None:
    trainable, rest = tree.partition({"w": np.ones(2), "n": 3, "name": "net"})
    optimizer = optimize.adamw(0.1)
    state = optimizer.init(trainable)
    updates, state = optimizer.update(tree.map(np.ones_like, trainable), state, trainable)
    again = tree.combine(optimize.apply_updates(trainable, updates), rest)
    assert (again["n"], again["name"]) == (3, "net")
    assert np.all(again["w"] < 1)


def test_chains_hand_on_what_parts_take() -> None:
    seen: dict[str, Any] = {}

    def update(updates: Any, state: Any, params: Any = None, *, value: Any) -> Any:
        seen["value"] = value
        return updates, state

    watching = optimize.GradientTransformation(lambda params: optimize.EmptyState(), update)
    chained = optimize.chain(optimize.clip(1.0), optimize.chain(watching, optimize.sgd(1.0)))
    chained.update(GRADIENTS, chained.init(PARAMS), PARAMS, value=7.0, other=1)
    assert seen == {"value": 7.0}
    with pytest.raises(ValueError, match=r"the state does not belong to this chain of 2 transformations \(test_tran"):
        chained.update(GRADIENTS, (), PARAMS)


def test_accumulation_updates_by_the_mean_of_each_group() -> None:
    for k, schedule in ((3, 3), (2, lambda count: 2)):
        optimizer = optimize.MultiSteps(optimize.adam(0.1), schedule)
        plain, whole = optimizer.init(PARAMS), optimize.adam(0.1).init(PARAMS)
        compiled = autodiff.jit(optimizer.update, backend="numpy")
        for group in range(4):
            gathered = [tree.map(lambda g: g * (1.0 + 0.1 * (group * k + i)), GRADIENTS) for i in range(k)]  # noqa: B023
            for number, gradients in enumerate(gathered):
                assert bool(optimizer.has_updated(plain)) is (number == 0 and group > 0)
                updates, plain = (optimizer.update if group % 2 else compiled)(gradients, plain, PARAMS)
                if number < k - 1:
                    equal(updates, tree.map(lambda p: p * 0.0, PARAMS))
            mean = tree.map(lambda *g: sum(g) / len(g), *gathered)
            wanted, whole = optimize.adam(0.1).update(mean, whole, PARAMS)
            equal(updates, wanted)
    summed = optimize.MultiSteps(optimize.sgd(1.0), 2, use_grad_mean=False)
    state = summed.init(PARAMS)
    _, state = summed.update(GRADIENTS, state)
    equal(summed.update(GRADIENTS, state)[0], tree.map(lambda g: -2 * g, GRADIENTS))
    with pytest.raises(ValueError, match=r"MultiSteps: an update takes one gradient at least, not 0 \(test_transfo"):
        optimize.MultiSteps(optimize.sgd(1.0), 0)


def test_averages_of_parameters() -> None:
    average = optimize.ema(0.9)
    state = average.init(PARAMS)
    total = weight = 0.0
    for step in range(5):
        found, state = average.update(tree.map(lambda p: p * (step + 1), PARAMS), state)  # noqa: B023
        total, weight = 0.9 * total + 0.1 * (step + 1), 0.9 * weight + 0.1
    equal(found, tree.map(lambda p: p * total / weight, PARAMS))
    equal(optimize.incremental_update({"w": 3.0}, {"w": 1.0}, 0.5), {"w": 2.0})
    assert (
        optimize.incremental_update(np.ones(1, np.float32), np.ones(1, np.float32), np.float64(0.5)).dtype == np.float32
    )


def test_complex_parameters() -> None:
    z = np.array([1 + 2j, -1j])
    for optimizer in (
        optimize.sgd(0.1, 0.9),
        optimize.adam(0.1),
        optimize.rmsprop(0.1),
        optimize.adagrad(0.1),
        optimize.amsgrad(0.1),
    ):
        params, state = z, optimizer.init(z)
        for _ in range(300):
            gradient = np.conj(autodiff.grad(lambda z: np.sum(np.abs(z - (1 + 1j)) ** 2))(params))
            updates, state = optimizer.update(gradient, state, params)
            params = optimize.apply_updates(params, updates)
        np.testing.assert_allclose(params, np.full(2, 1 + 1j), atol=0.3)
        assert not any(np.iscomplexobj(leaf) for leaf in tree.leaves(getattr(state[0], "nu", ())))


def test_updates_are_differentiated() -> None:
    """The derivative of what is reached with respect to the learning rate."""

    def reached(rate: Any) -> Any:
        optimizer = optimize.chain(optimize.scale_by_adam(eps_root=1e-8), optimize.scale_by_learning_rate(rate))
        x = np.array([1.0, 2.0])
        state = optimizer.init(x)
        for _ in range(5):
            updates, state = optimizer.update(np.cos(x), state, x)
            x = optimize.apply_updates(x, updates)
        return np.sum(x)

    slope = (reached(0.1 + 1e-6) - reached(0.1 - 1e-6)) / 2e-6
    assert autodiff.grad(reached)(0.1) == pytest.approx(slope, rel=1e-6)


class Layers(NamedTuple):
    first: Any
    second: Any


def test_trees_of_every_kind() -> None:
    params = Layers({"w": np.ones((2, 2)), "none": None}, [1.0, np.float32(2.0)])
    for optimizer in (
        optimize.adamw(0.1),
        optimize.lamb(0.1),
        optimize.lion(0.1),
        optimize.adadelta(),
        optimize.muon(0.1),
    ):
        state = optimizer.init(params)
        for _ in range(2):
            updates, state = optimizer.update(params, state, params)
            assert tree.structure(updates) == tree.structure(params)
            params = optimize.apply_updates(params, updates)
        assert np.asarray(params.second[1]).dtype == np.float32


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (optimize.add_decayed_weights(0.1), "add_decayed_weights"),
        (optimize.scale_by_trust_ratio(), "scale_by_trust_ratio"),
        (optimize.scale_by_param_block_rms(), "scale_by_param_block_rms"),
        (optimize.scale_by_lbfgs(), "scale_by_lbfgs"),
        (optimize.gauss_newton(lambda p: p), "gauss_newton"),
        (optimize.levenberg_marquardt(lambda p: p), "levenberg_marquardt"),
    ],
)
def test_parameters_are_asked_for(made: Any, name: str) -> None:
    with pytest.raises(
        ValueError, match=rf"^{name} needs the parameters \(test_transformations.py:\d+\); call update\(gradi"
    ):
        made.update(GRADIENTS, made.init(PARAMS))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: optimize.linear_schedule(0.0, 1.0, 0), "a transition takes a positive number of steps"),
        (lambda: optimize.cosine_decay_schedule(1.0, -1), "cosine_decay_schedule: a transition takes a positive number"),
        (lambda: optimize.exponential_decay(1.0, 5, -0.5), "exponential_decay: the rate is positive, not -0.5"),
        (lambda: optimize.join_schedules([optimize.constant_schedule(1.0)], [3]), "1 schedules have 0 boundaries between"),
        (lambda: optimize.warmup_cosine_decay_schedule(0.0, 1.0, 5, 5), "decay_steps=5 counts the warm-up of 5 steps, too"),
        (lambda: optimize.piecewise_interpolate_schedule("cubic", 1.0), "interpolate_type is 'linear' or 'cosine', not 'cubic'"),
        (lambda: optimize.scale_by_lbfgs(0), "the memory has room for one step at least, not 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_made_is_refused(make: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()


@pytest.mark.parametrize(
    "transformation",
    [
        optimize.rmsprop(0.1, momentum=0.9),
        optimize.ema(0.9, debias=False),
        optimize.chain(optimize.scale(-0.1), optimize.trace(0.9)),
        optimize.adam(0.1),
        optimize.lion(0.1),
    ],
)
def test_updates_may_be_written_to(transformation):
    def last(factor):
        params = np.zeros(3)
        state = transformation.init(params)
        for _ in range(3):
            updates, state = transformation.update(np.ones(3), state, params)
            found = updates.copy()
            updates *= factor
        return found

    np.testing.assert_array_equal(last(0.5), last(1.0))


def test_limits_and_factories_of_another_kind_are_refused():
    for name in ("clip", "clip_by_norm", "clip_by_global_norm", "clip_by_block_rms"):
        with pytest.raises(ValueError, match=f"{name}: the limit is not negative, as -1.0 is"):
            getattr(optimize, name)(-1.0)
        with pytest.raises(TypeError, match=f"{name}: the limit is a number"):
            getattr(optimize, name)("1.0")
    with pytest.raises(TypeError, match=r"write inject_hyperparams\(optimize\.sgd\)"):
        optimize.inject_hyperparams(optimize.sgd(0.1))
    with pytest.raises(TypeError, match="counts of steps are numbers"):
        optimize.exponential_decay(1.0, "10", 0.5)
    with pytest.raises(TypeError, match="scales are a dict, not list"):
        optimize.piecewise_constant_schedule(1.0, [40])


@pytest.mark.parametrize("make", [
    lambda: optimize.adam(0.1), lambda: optimize.sgd(0.1, momentum=0.9), lambda: optimize.rmsprop(0.1),
    lambda: optimize.adagrad(0.1), lambda: optimize.adadelta(0.1), lambda: optimize.lion(0.1), lambda: optimize.adamw(0.1),
])  # fmt: skip
@pytest.mark.parametrize("shape", [(2,), (1, 3), (1,)])
def test_gradients_of_other_shapes_are_refused_by_name(make, shape):
    optimizer = make()
    params = {"bias": np.zeros(3), "weight": np.zeros((2, 3))}
    state = optimizer.init(params)
    said = (
        rf"gradient of .*bias.* has shape {re.escape(str(shape))}, .* \(3,\) \(test_transformations.py:\d+\); give the"
    )
    with pytest.raises(ValueError, match=said):
        optimizer.update({"bias": np.ones(shape), "weight": np.ones((2, 3))}, state, params)
