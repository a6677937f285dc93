"""Optimizer hooks: how they change gradients."""

import numpy as np
import pytest

import autodiff.chainer.functions as F
from autodiff.chainer import optimizer, optimizer_hooks, optimizers
from autodiff.chainer.links import PReLU
from autodiff.chainer.optimizer_hooks.gradient_noise import exponential_decay_noise
from autodiff.facade import Parameter


def changed(hook, array, grad, dtype=np.float64):
    param = Parameter(np.array(array, dtype))
    param.grad = np.array(grad, dtype)
    hook(None, param)
    assert param.grad.dtype == dtype
    return param.grad.tolist()


def test_weight_decay():
    assert changed(optimizer_hooks.WeightDecay(0.5), [2, -4], [1, 1]) == [2, -1]


def test_a_rate_of_numpys_type_keeps_the_dtype():
    assert changed(optimizer_hooks.WeightDecay(np.float64(0.5)), [2], [1], np.float32) == [2]


def test_lasso():
    assert changed(optimizer_hooks.Lasso(0.5), [2, 0, -3], [1, 1, 1]) == [1.5, 1, 0.5]


def test_gradient_hard_clipping():
    clipped = changed(optimizer_hooks.GradientHardClipping(-1, 2), [0, 0, 0, 0], [-3, 0.5, 3, np.nan])
    assert clipped[:3] == [-1, 0.5, 2]
    assert np.isnan(clipped[3])


@pytest.mark.parametrize(
    ("grad", "options", "want"),
    [
        ([1, 1], {}, [3.535533903432737] * 2),
        ([1, 1], {"weight_decay": 0.5}, [3.1934895216162036, 3.832187425939444]),
        ([0.001, 0], {}, [4.999995000005001, 0]),
        ([0, 0], {}, [0, 0]),
        ([0, 0], {"eps": 0}, [0, 0]),
        ([1, 1], {"threshold": 5}, [1, 1]),
        ([1, 1], {"threshold": 4.999}, [3.535533903432737] * 2),
    ],
)
def test_gradient_lars(grad, options, want):
    assert np.allclose(changed(optimizer_hooks.GradientLARS(**options), [3, 4], grad), want, rtol=1e-12)


def test_gradient_noise():
    class Rule:
        t = 3

    hook = optimizer_hooks.GradientNoise(0.1)
    np.random.seed(0)  # noqa: NPY002 - the state that Chainer's noise comes from
    noise = exponential_decay_noise(np, (2,), np.float32, hook, Rule)
    assert np.allclose(noise, [0.38101754, 0.08642992])
    assert noise.dtype == np.float32
    np.random.seed(0)  # noqa: NPY002
    param = Parameter(np.zeros(2, np.float32))
    param.grad = np.ones(2, np.float32)
    hook(Rule, param)
    assert np.allclose(param.grad, [1.38101754, 1.08642992])


@pytest.mark.parametrize(("threshold", "rate"), [(100.0, 1.0), (3.7416573867739413, 0.1), (0, 0)])
def test_gradient_clipping(threshold, rate, pair):
    hook = optimizer_hooks.GradientClipping(threshold)
    hook(optimizers.SGD().setup(pair))
    assert np.allclose(pair.p.grad, np.array([10, 20]) * rate)
    assert np.allclose(pair.q.grad, np.array([30]) * rate)


def test_gradient_clipping_of_nothing(pair):
    hook = optimizer_hooks.GradientClipping(0.5)
    pair.p.grad = np.zeros(2, np.float32)
    pair.q.cleargrad()
    hook(optimizers.SGD().setup(pair))
    assert pair.p.grad.tolist() == [0, 0]
    assert pair.q.grad is None


def test_gradient_clipping_shows_what_is_not_finite(pair):
    pair.q.grad[...] = np.nan
    optimizer_hooks.GradientClipping(0.5)(optimizers.SGD().setup(pair))
    assert np.isnan(pair.p.grad).all()


def test_gradient_clipping_of_float16_does_not_overflow(make_pair):
    pair = make_pair(np.float16)
    pair.q.grad[...] = 3000
    optimizer_hooks.GradientClipping(1)(optimizers.SGD().setup(pair))
    assert np.allclose(pair.q.grad, 1, rtol=1e-3)


@pytest.mark.parametrize(
    "hook",
    [
        optimizer_hooks.WeightDecay(1),
        optimizer_hooks.Lasso(1),
        optimizer_hooks.GradientHardClipping(-1, 1),
        optimizer_hooks.GradientLARS(),
        optimizer_hooks.GradientNoise(1),
    ],
    ids=lambda hook: hook.name,
)
def test_parameters_without_a_gradient_are_left_alone(hook):
    param = Parameter(np.ones(2))
    param.cleargrad()
    hook(None, param)
    assert param.grad is None
    assert hook.timing == "pre"
    assert hook.call_for_each_param


def test_arrays_shared_with_a_gradient_are_not_changed():
    shared = np.ones(2)
    for _ in range(2):
        param = Parameter(np.ones(2))
        param.grad = shared
        optimizer_hooks.WeightDecay(1)(None, param)
        assert param.grad.tolist() == [2, 2]


WITHOUT_AXES = {  # a parameter that is one number, 0.25, and what Chainer's three updates make of it
    "WeightDecay": (optimizer_hooks.WeightDecay(0.1), 2.0246346),
    "Lasso": (optimizer_hooks.Lasso(0.1), 2.02),
    "GradientClipping": (optimizer_hooks.GradientClipping(2.0), 0.85),
    "GradientHardClipping": (optimizer_hooks.GradientHardClipping(-1, 0.5), 0.55),
    "GradientNoise": (optimizer_hooks.GradientNoise(0.1, lambda xp, shape, dtype, hook, rule: xp.full(shape, 0.5, dtype)), 1.9),
    "GradientLARS": (optimizer_hooks.GradientLARS(weight_decay=0.1), 0.3319208),
}  # fmt: skip


@pytest.mark.parametrize("name", WITHOUT_AXES)
@pytest.mark.parametrize("scale", [None, 2.0])
def test_a_parameter_without_axes(name, scale):
    hook, want = WITHOUT_AXES[name]
    link = PReLU()
    optimizer = optimizers.SGD(0.1).setup(link)
    optimizer.add_hook(hook)
    if scale is not None:
        optimizer.loss_scaling(scale=scale)
    for _ in range(3):
        optimizer.update(lambda: F.sum(link(-np.ones((2, 3), np.float32))))
    assert (link.W.shape, link.W.grad.shape, link.W.dtype) == ((), (), np.float32)
    assert float(link.W.array) == pytest.approx(want, rel=1e-6)


def test_sum_of_squares_by_the_names_that_programs_know():
    arrays = [np.array([[1, 2], [3, 4]], np.float32), np.array(3.0), np.array([4], np.float16)]
    for module in (optimizer, optimizer_hooks.gradient_clipping):
        found = module._sum_sqnorm(arrays)
        assert (type(found), found) == (float, 55)
