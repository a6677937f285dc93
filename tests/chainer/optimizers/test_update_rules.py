"""Update rules: dispatch, state, precision, and what each optimizer does at its first update."""

import copy
import pickle

import numpy as np
import pytest

from autodiff.chainer import optimizers
from autodiff.chainer.optimizers import elementwise
from autodiff.chainer.optimizers.adam import AdamRule
from autodiff.chainer.optimizers.momentum_sgd import MomentumSGDRule
from autodiff.chainer.update_rule import UpdateRule
from autodiff.facade import Parameter


def parameter(dtype=np.float64, grad=1.0):
    param = Parameter(np.array([-1.0, 0.5], dtype))
    param.grad = np.full(2, grad, dtype)
    return param


# The change of a parameter with gradient 1 in two updates, and the names of what is kept, of Chainer 7.8.1.
STEPS = {
    "AdaDelta": (-0.004472091234310839, ["msg", "msdx"]),
    "AdaGrad": (-0.001, ["h"]),
    "Adam": (-0.001, ["m", "v"]),
    "AdamW": (-0.001, ["m", "v"]),
    "AMSGrad": (-0.001, ["m", "v", "vhat"]),
    "AdaBound": (-0.001, ["m", "v"]),
    "AMSBound": (-0.001, ["m", "v", "vhat"]),
    "CorrectedMomentumSGD": (-0.01, ["v"]),
    "MomentumSGD": (-0.01, ["v"]),
    "MSVAG": (-0.1, ["m", "v"]),
    "NesterovAG": (-0.0271, ["v"]),
    "RMSprop": (-0.1, ["ms"]),
    "RMSpropGraves": (-0.00045835, ["n", "g", "delta"]),
    "SGD": (-0.01, []),
    "SMORMS3": (-0.00141421, ["mem", "g", "g2"]),
}


@pytest.mark.parametrize("name", STEPS)
def test_first_update(name):
    change, kept = STEPS[name]
    param = parameter()
    rule = getattr(optimizers, name)().create_update_rule()
    rule.update(param)
    assert np.allclose(param.array, np.array([-1.0, 0.5]) + change, rtol=0, atol=1e-7)
    assert list(rule.state) == kept
    assert rule.is_elementwise


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", STEPS)
def test_dtypes_are_kept(name, dtype):
    param = parameter(dtype)
    options = {"eps": 1e-3} if name == "RMSprop" else {}
    rule = getattr(optimizers, name)(**options).create_update_rule()
    rule.update(param)
    assert {param.array.dtype, *(array.dtype for array in rule.state.values())} == {np.dtype(dtype)}
    assert param.grad.tolist() == [1, 1]


@pytest.mark.parametrize("name", STEPS)
def test_large_arrays_are_updated_in_blocks_with_the_same_result(name, monkeypatch):
    start, grad = np.linspace(-1, 1, 24).reshape(4, 6), np.linspace(-2, 3, 24).reshape(4, 6)
    results = []
    for size, order in ((1 << 16, "C"), (40, "C"), (40, "F")):
        monkeypatch.setattr(elementwise, "BLOCK_BYTES", size)
        param = Parameter(np.array(start, order=order))
        rule = getattr(optimizers, name)().create_update_rule()
        for _ in range(3):
            param.grad = grad
            rule.update(param)
        results.append(param.array)
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


@pytest.mark.parametrize("name", STEPS)
def test_zero_gradients_change_nothing_but_by_momentum(name):
    param = parameter(grad=0.0)
    rule = getattr(optimizers, name)().create_update_rule()
    rule.update(param)
    rule.update(param)
    assert param.array.tolist() == [-1.0, 0.5]


def test_hyperparameters_of_numpys_types_keep_the_dtype():
    exact, given = parameter(np.float32), parameter(np.float32)
    MomentumSGDRule(lr=0.1).update(exact)
    MomentumSGDRule(lr=np.float64(0.1)).update(given)
    assert np.array_equal(exact.array, given.array)


def test_a_gradient_that_is_none_changes_nothing():
    param = parameter()
    param.cleargrad()
    rule = MomentumSGDRule()
    rule.update(param)
    assert (rule.t, rule.state["v"].tolist(), param.array.tolist()) == (1, [0, 0], [-1.0, 0.5])


def test_a_parameter_without_an_array_waits():
    param = Parameter()
    param.cleargrad()
    rule = MomentumSGDRule()
    rule.update(param)
    assert rule.state is None


class Own(UpdateRule):
    def init_state(self, param):
        self.state["count"] = np.zeros_like(param.array)

    def update_core_cpu(self, param):
        self.state["count"] += 1
        param.array -= self.state["count"] * param.grad


def test_rules_of_users():
    param = parameter()
    rule = Own()
    rule.update(param)
    rule.update(param)
    assert param.array.tolist() == [-4.0, -2.5]
    assert rule.state["count"].tolist() == [2, 2]


def test_rules_must_say_how_they_update():
    for core in ("update_core", "update_core_cpu"):
        with pytest.raises(NotImplementedError, match=r"UpdateRule must define update_core_cpu\(self, param\)"):
            getattr(UpdateRule(), core)(parameter())
    with pytest.raises(NotImplementedError, match=r"UpdateRule must define update_core_gpu\(self, param\)"):
        UpdateRule().update_core_gpu(parameter())


def test_hooks_of_rules():
    seen = []
    param, rule = parameter(), MomentumSGDRule(lr=1)
    rule.add_hook(lambda rule, param: seen.append(("pre", param.array.tolist())), "a")
    rule.add_hook(lambda rule, param: seen.append(("post", param.array.tolist())), "b", timing="post")
    rule.update(param)
    assert seen == [("pre", [-1.0, 0.5]), ("post", [-2.0, -0.5])]
    rule.remove_hook("a")
    rule.remove_hook("b")
    rule.update(param)
    assert len(seen) == 2


def test_adam_has_no_rate_before_the_first_update(pair):
    optimizer = optimizers.Adam().setup(pair)
    for owner in (optimizer, pair.p.update_rule):
        with pytest.raises(
            RuntimeError, match="Can't determine the learning rate of Adam optimizer because the update"
        ):
            _ = owner.alpha_t
    optimizer.update()
    assert optimizer.alpha_t == pair.p.update_rule.alpha_t == 0.00031622776601683816
    with pytest.warns(DeprecationWarning, match="Adam.lr has been renamed to AdamRule.alpha_t"):
        assert optimizer.lr == optimizer.alpha_t
    with pytest.warns(DeprecationWarning, match="AdamRule.lr has been renamed to AdamRule.alpha_t"):
        assert pair.p.update_rule.lr == optimizer.alpha_t


def test_bounds_of_adabound(pair):
    optimizer = optimizers.AdaBound().setup(pair)
    rule = pair.p.update_rule
    with pytest.raises(RuntimeError, match="Can't determine the bounds of AdaBound optimizer because the update"):
        _ = rule.bounds
    optimizer.update()
    assert rule.bounds == pytest.approx((9.990009990008543e-05, 100.1))
    optimizer.alpha = 0.0005
    assert rule.bounds == pytest.approx((9.990009990008543e-05 / 2, 50.05))


@pytest.mark.parametrize("name", ["Adam", "RMSprop"])
def test_eps_must_not_vanish(name):
    text = rf"eps of {name} optimizer is too small for float32 \(1e-50\)"
    with pytest.raises(ValueError, match=text):
        getattr(optimizers, name)(eps=1e-50).create_update_rule().update(parameter(np.float32))


def test_adam_computes_float16_in_float32():
    param = parameter(np.float16, grad=1e-4)
    AdamRule(alpha=0.25).update(param)
    assert np.allclose(param.array, [-1.25, 0.25], atol=2e-3)


def test_float32_update_of_float16(make_pair):
    pair = make_pair(np.float16)
    optimizer = optimizers.SGD(2.0**-14)
    optimizer.use_fp32_update()
    optimizer.setup(pair)
    array = pair.p.array
    for _ in range(8):
        pair.p.grad = np.ones(2, np.float16)
        optimizer.update()
    assert pair.p.array is array
    assert array.dtype == np.float16
    assert array[0] == np.float16(1 - 8 * 2.0**-14)
    assert pair.p.update_rule.state == {}


def test_copies_go_their_own_way(pair):
    optimizer = optimizers.Adam().setup(pair)
    optimizer.update()
    for copied in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        rule = copied.target.p.update_rule
        assert rule.hyperparam.parent is copied.hyperparam
        assert np.array_equal(rule.state["m"], pair.p.update_rule.state["m"])
        assert rule.state["m"] is not pair.p.update_rule.state["m"]
        copied.update()
    assert optimizer.t == 1


class Averaged(UpdateRule):
    """Moves half of the way from an average after every second step of another rule, as lookahead does."""

    def __init__(self, base):
        super().__init__()
        self.base = base

    def init_state(self, param):
        self.state["slow"] = param.array.copy()

    def update_core(self, param):
        self.base.update_core(param)
        if self.t % 2 == 0:
            self.state["slow"] += 0.5 * (param.array - self.state["slow"])
            param.array[...] = self.state["slow"]

    def _init_states(self, param):
        super()._init_states(param)
        self.base._init_states(param)


def test_a_rule_around_another_rule():
    param = parameter()
    param.update_rule = Averaged(MomentumSGDRule(lr=0.1, momentum=0.5))
    for _ in range(2):
        param.update()
    # steps of 0.1 and 0.15, half of which remains
    np.testing.assert_allclose(param.array, [-1.125, 0.375])


def test_hooks_see_the_state_from_the_first_update_on():
    """It begins with the parameter as it was before any hook changed it."""
    rule, seen = Averaged(MomentumSGDRule(lr=0.1)), []
    param = parameter(grad=0.0)
    param.update_rule = rule

    def doubling(rule, param):
        seen.append(rule.state["slow"].copy())
        param.array *= 2

    rule.add_hook(doubling, "doubling")
    param.update()
    np.testing.assert_array_equal(seen, [[-1.0, 0.5]])
    np.testing.assert_array_equal(rule.state["slow"], [-1.0, 0.5])
