"""Loss scaling: updates are those without a scale, and the dynamic scale finds its size."""

import numpy as np
import pytest

import autodiff.chainer.functions as F
from autodiff.chainer import optimizer_hooks, optimizers
from autodiff.chainer.links import PReLU

HOOKS = {
    "none": None,
    "WeightDecay": optimizer_hooks.WeightDecay(0.5),
    "Lasso": optimizer_hooks.Lasso(0.5),
    "GradientClipping": optimizer_hooks.GradientClipping(0.5),
    "GradientHardClipping": optimizer_hooks.GradientHardClipping(-1, 0.5),
    "GradientLARS": optimizer_hooks.GradientLARS(weight_decay=0.5),
    "GradientNoise": optimizer_hooks.GradientNoise(0.5, lambda xp, shape, dtype, hook, opt: xp.ones(shape, dtype)),
}


@pytest.mark.parametrize("hook", HOOKS)
def test_updates_do_not_depend_on_the_scale(hook, make_pair):
    results = []
    for scale in (None, 8.0):
        pair = make_pair()
        optimizer = optimizers.SGD(1.0).setup(pair)
        optimizer.set_loss_scale(scale)
        if HOOKS[hook] is not None:
            optimizer.add_hook(HOOKS[hook])
        optimizer.update(pair.loss)
        results.append(pair.p.array)
    assert np.allclose(results[0], results[1], rtol=1e-6)


def test_gradients_have_no_scale_after_the_update(pair):
    optimizer = optimizers.SGD(1.0).setup(pair)
    optimizer.loss_scaling(scale=8.0)
    optimizer.update(pair.loss)
    assert pair.p.grad.tolist() == [1, 1]
    optimizer.update()
    assert pair.p.array.tolist() == [-1, 0]


def test_float32_updates_take_the_scale_out_in_float32(make_pair):
    pair = make_pair(np.float16)
    optimizer = optimizers.SGD(1.0).setup(pair)
    optimizer.use_fp32_update()
    optimizer.set_loss_scale(8.0)
    optimizer.update(pair.loss)
    assert pair.p.array.tolist() == [0, 1]
    assert pair.p.grad.tolist() == [8, 8]


def test_the_dynamic_scale_doubles_until_a_gradient_is_not_finite(pair):
    optimizer = optimizers.SGD(1.0).setup(pair)
    optimizer.loss_scaling(interval=2)
    for _ in range(5):
        optimizer.update(pair.loss)
    assert optimizer._loss_scale == 32.0
    before = pair.p.array.copy()
    with pytest.warns(
        UserWarning, match=r"Non finite number found in param.grad of /p \(iteration: 5, loss_scale: 32.0\)"
    ):
        optimizer.update(lambda: pair.p.reshape(2)[0] * np.float32(np.nan))
    assert np.array_equal(pair.p.array, before)
    assert (optimizer._loss_scale, optimizer.t, optimizer.is_safe_to_update()) == (16.0, 6, False)
    assert pair.p.update_rule.t == 5
    optimizer.update(pair.loss)
    assert optimizer.is_safe_to_update()
    assert optimizer._loss_scale == pytest.approx(16 * 2**0.5)


def test_the_dynamic_scale_stays_in_its_range(pair):
    optimizer = optimizers.SGD(1.0).setup(pair)
    optimizer.loss_scaling()
    pair.p.grad = np.full(2, np.inf, np.float32)
    with pytest.warns(UserWarning, match="Non finite"):
        optimizer.update()
    assert optimizer._loss_scale == 1.0
    optimizer._loss_scale = 60000.0
    pair.p.grad = np.ones(2, np.float32)
    optimizer._loss_scaling_isnan_ever = False
    optimizer.update()
    assert optimizer._loss_scale == 65504.0


def test_the_interval_must_be_positive():
    with pytest.raises(ValueError, match=r"interval must be greater than or equal to 1. Actual: 0"):
        optimizers.SGD().loss_scaling(interval=0)


def test_gradients_that_are_not_finite_pass_without_a_dynamic_scale(pair):
    optimizer = optimizers.SGD(1.0).setup(pair)
    pair.p.grad = np.full(2, np.nan, np.float32)
    optimizer.check_nan_in_grads()
    assert optimizer.is_safe_to_update()


def test_scales_that_are_none(pair):
    optimizer = optimizers.SGD().setup(pair)
    with pytest.raises(TypeError, match="loss_scale must be a positive number, got the text '8'"):
        optimizer.set_loss_scale("8")
    for scale in (0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="loss_scale must be a positive number"):
            optimizer.loss_scaling(scale=scale)
    optimizer.set_loss_scale(None)
    optimizer.update(pair.loss)
    assert optimizer._loss_scale == 2.0


WITHOUT_AXES = {  # a parameter that is one number, 0.25, and what Chainer's three updates make of it
    "AdaDelta": 0.2635689, "AdaGrad": 0.2522845, "Adam": 0.253, "AdamW": 0.253, "AMSGrad": 0.253, "AdaBound": 0.253,
    "AMSBound": 0.253, "CorrectedMomentumSGD": 0.5866, "MomentumSGD": 0.5866, "MSVAG": 2.05, "NesterovAG": 0.864646,
    "RMSprop": 0.478913, "RMSpropGraves": 0.2521698, "SGD": 0.43, "SMORMS3": 0.2537121,
}  # fmt: skip


@pytest.mark.parametrize("name", WITHOUT_AXES)
def test_a_parameter_without_axes(name):
    link = PReLU()
    optimizer = getattr(optimizers, name)()
    optimizer.setup(link).loss_scaling(scale=2.0)
    for _ in range(3):
        optimizer.update(lambda: F.sum(link(-np.ones((2, 3), np.float32))))
    assert (link.W.shape, link.W.dtype) == ((), np.float32)
    assert float(link.W.array) == pytest.approx(WITHOUT_AXES[name], rel=1e-5)
