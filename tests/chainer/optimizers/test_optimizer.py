"""Optimizers: setting up, updating, epochs, hooks, serialization, and the spellings of Chainer 1."""

import re

import numpy as np
import pytest

from autodiff.chainer import optimizer_hooks, optimizers
from autodiff.chainer.optimizer import (
    GradientMethod,
    Optimizer,
    WeightDecay,
    make_deprecation_message,
)
from autodiff.chainer.serializer import Deserializer


def test_setup_gives_each_parameter_a_rule(pair):
    optimizer = optimizers.SGD()
    assert optimizer.setup(pair) is optimizer
    assert optimizer.target is pair
    assert pair.p.update_rule is not pair.q.update_rule
    optimizer.update()
    optimizer.setup(pair)
    assert (optimizer.t, optimizer.epoch) == (0, 0)


def test_setup_needs_a_link():
    with pytest.raises(TypeError, match="optimization target must be a link, got list"):
        optimizers.SGD().setup([1])


@pytest.mark.parametrize(
    "use", [lambda o: o.update(), lambda o: o.add_hook(print), lambda o: o.remove_hook("a"), lambda o: o.call_hooks()]
)
def test_an_optimizer_must_be_set_up(use):
    with pytest.raises(RuntimeError, match=r"Optimizer is not set up.*Call `setup` method"):
        use(optimizers.SGD())


def test_subclasses_must_say_how_they_update(pair):
    with pytest.raises(NotImplementedError, match="Optimizer must define update"):
        Optimizer().setup(pair).update()
    with pytest.raises(NotImplementedError, match="GradientMethod must define create_update_rule"):
        GradientMethod().setup(pair)


def test_update_changes_arrays_in_place(pair):
    array = pair.p.array
    optimizer = optimizers.SGD(0.1).setup(pair)
    optimizer.update()
    assert pair.p.array is array
    assert np.allclose(array, [0, 0])
    assert (optimizer.t, pair.p.update_rule.t) == (1, 1)


def test_gradients_that_are_none_become_zeros(pair):
    pair.p.grad = None
    optimizers.SGD(0.1).setup(pair).update()
    assert pair.p.grad.tolist() == [0, 0]
    assert pair.p.array.tolist() == [1, 2]


def test_update_with_a_loss_clears_gradients_first(pair):
    optimizer = optimizers.SGD(1.0).setup(pair)
    calls = []
    optimizer.update(lambda *args, **kwargs: (calls.append((args, kwargs)), pair.loss())[1], 1, k=2)
    assert calls == [((1,), {"k": 2})]
    assert pair.p.grad.tolist() == [1, 1]
    assert pair.p.array.tolist() == [0, 1]


def test_use_cleargrads_is_deprecated(pair):
    optimizer = optimizers.SGD(1.0).setup(pair)
    with pytest.warns(DeprecationWarning, match="GradientMethod.use_cleargrads is deprecated"):
        optimizer.use_cleargrads(False)
    with pytest.warns(DeprecationWarning, match="zerograd"):
        optimizer.update(pair.loss)
    assert pair.p.array.tolist() == [0, 1]


def test_disabled_rules_and_parameters_without_a_rule_stay(pair):
    optimizer = optimizers.SGD().setup(pair)
    pair.p.update_rule.enabled = False
    pair.q.update_rule = None
    optimizer.update()
    assert (pair.p.array.tolist(), pair.q.array.tolist()) == ([1, 2], [3])
    assert pair.p.update_rule.t == 0


def test_epochs():
    optimizer = optimizers.SGD()
    optimizer.new_epoch()
    assert optimizer.epoch == 1
    with pytest.raises(RuntimeError, match=r"invalid new_epoch call with auto=True"):
        optimizer.new_epoch(auto=True)
    optimizer.use_auto_new_epoch = True
    optimizer.new_epoch(auto=True)
    assert optimizer.epoch == 2
    with pytest.raises(RuntimeError, match=r"duplicated new_epoch with the updater"):
        optimizer.new_epoch()


def test_hooks_are_called_in_order_with_the_optimizer(pair):
    seen = []
    optimizer = optimizers.SGD(0.1).setup(pair)
    optimizer.add_hook(lambda o: seen.append(("pre", o.t, o is optimizer)), "a")
    optimizer.add_hook(lambda o: seen.append(("post", o.t, pair.p.array.tolist())), "b", timing="post")
    pair.p.update_rule.add_hook(lambda rule, param: seen.append(("rule", rule.t, param is pair.p)), "c")
    optimizer.update()
    assert seen == [("pre", 0, True), ("rule", 1, True), ("post", 1, [0, 0])]
    optimizer.remove_hook("a")
    optimizer.call_hooks("pre")
    assert len(seen) == 3


def test_gradients_that_a_hook_clears_are_zero_for_the_next(pair):
    seen = []
    optimizer = optimizers.SGD(0.1).setup(pair)
    optimizer.add_hook(lambda o: o.target.cleargrads(), "clear")
    optimizer.add_hook(lambda o: seen.append(pair.p.grad.tolist()), "look")
    optimizer.update()
    assert seen == [[0, 0]]


class EachParameter:
    name = "each"
    timing = "post"
    call_for_each_param = True

    def __init__(self):
        self.seen = []

    def __call__(self, rule, param):
        self.seen.append((type(rule).__name__, param.name, rule.t))


def test_hooks_for_each_parameter(pair):
    hook = EachParameter()
    optimizer = optimizers.SGD().setup(pair)
    optimizer.add_hook(hook)
    optimizer.update()
    assert hook.seen == [("SGDRule", "p", 1), ("SGDRule", "q", 1)]


def test_wrong_hooks(pair):
    optimizer = optimizers.SGD().setup(pair)
    optimizer.add_hook(optimizer_hooks.WeightDecay(0.1))
    with pytest.raises(KeyError, match='hook "WeightDecay" already exists'):
        optimizer.add_hook(optimizer_hooks.WeightDecay(0.1))
    with pytest.raises(KeyError, match=r"no hook 'Lasso'.*there are \['WeightDecay'\]"):
        optimizer.remove_hook("Lasso")
    with pytest.raises(TypeError, match="hook function must be callable, got int"):
        optimizer.add_hook(3)
    with pytest.raises(ValueError, match=re.escape("timing must be one of ('pre', 'post', 'auto'), got 'now'")):
        optimizer.add_hook(print, timing="now")
    with pytest.raises(ValueError, match="timing must be either 'pre' or 'post', got 'now'"):
        optimizer.call_hooks("now")
    nameless = EachParameter()
    nameless.name = None
    with pytest.raises(ValueError, match="the name of the hook function is not specified"):
        optimizer.add_hook(nameless)
    nameless.timing = "now"
    with pytest.warns(UserWarning, match="got 'now': taken as 'pre'"):
        optimizer.add_hook(nameless, "named")


def test_hooks_under_their_old_names_warn(pair):
    with pytest.warns(DeprecationWarning, match=re.escape(make_deprecation_message("WeightDecay"))) as record:
        hook = WeightDecay(0.1)
    assert record[0].filename == __file__
    assert isinstance(hook, optimizer_hooks.WeightDecay)
    optimizers.SGD().setup(pair).add_hook(hook)
    assert (
        make_deprecation_message("Lasso")
        == "chainer.optimizer.Lasso is deprecated from v4. Use chainer.optimizer_hooks.Lasso instead."
    )


class Archive(Deserializer):
    def __init__(self, values, path="", reading=True):
        self.values, self.path, self.reading = values, path, reading

    def __getitem__(self, key):
        return Archive(self.values, f"{self.path}{key.strip('/')}/")

    def __call__(self, key, value):
        return self.values[self.path + key]


class Writing:
    def __init__(self, values, path=""):
        self.values, self.path = values, path

    def __getitem__(self, key):
        return Writing(self.values, f"{self.path}{key.strip('/')}/")

    def __call__(self, key, value):
        self.values[self.path + key] = value
        return value


def written(optimizer):
    values = {}
    optimizer.serialize(Writing(values))
    return values


def test_serialization_keys(pair):
    optimizer = optimizers.Adam().setup(pair)
    assert written(optimizer) == {"t": 0, "epoch": 0, "p/t": 0, "q/t": 0}
    optimizer.update()
    assert list(written(optimizer)) == ["t", "epoch", "p/t", "p/m", "p/v", "q/t", "q/m", "q/v"]


def test_training_goes_on_after_loading(pair, make_pair):
    optimizer = optimizers.Adam().setup(pair)
    optimizer.update()
    other = make_pair()
    other.p.array[...], other.q.array[...] = pair.p.array, pair.q.array
    resumed = optimizers.Adam().setup(other)
    resumed.serialize(Archive({key: np.array(value) for key, value in written(optimizer).items()}))
    optimizer.update()
    resumed.update()
    assert np.array_equal(pair.p.array, other.p.array)
    assert resumed.t == 2


def test_a_snapshot_from_before_the_first_update_loads(pair, make_pair):
    values = written(optimizers.Adam().setup(pair))
    other = make_pair()
    optimizers.Adam().setup(other).serialize(Archive(values))
    assert other.p.update_rule.state is None


def test_a_snapshot_without_a_state_that_was_there_is_refused(pair, make_pair):
    optimizer = optimizers.Adam().setup(pair)
    optimizer.update()
    values = written(optimizer)
    del values["q/v"]
    with pytest.raises(KeyError, match="q/v"):
        optimizers.Adam().setup(make_pair()).serialize(Archive(values))


def test_contract_146_spellings_of_chainer_1(pair):
    optimizer = optimizers.SGD(0.1).setup(pair)
    with pytest.warns(DeprecationWarning, match=r"optimizer.compute_grads_norm\(\) is deprecated"):
        assert optimizer.compute_grads_norm() == pytest.approx(np.sqrt(1400))
    with pytest.warns(DeprecationWarning, match=r"optimizer.clip_grads\(\) is deprecated; use the hook"):
        optimizer.clip_grads(np.sqrt(14))
    assert np.allclose(pair.p.grad, [1, 2])
    with pytest.warns(DeprecationWarning, match=r"optimizer.weight_decay\(\) is deprecated"):
        optimizer.weight_decay(0.5)
    assert np.allclose(pair.p.grad, [1.5, 3])
    with pytest.warns(DeprecationWarning, match=r"optimizer.zero_grads\(\) is deprecated"):
        optimizer.zero_grads()
    with pytest.warns(DeprecationWarning, match=r"optimizer.accumulate_grads\(\) is deprecated"):
        optimizer.accumulate_grads([np.array([1, 2], np.float32), np.array([3], np.float32)])
    assert (pair.p.grad.tolist(), pair.q.grad.tolist()) == ([1, 2], [3])
