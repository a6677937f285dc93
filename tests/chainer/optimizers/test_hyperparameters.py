"""Hyperparameters: inheritance from the optimizer to its rules."""

import copy
import pickle

import pytest

from autodiff.chainer import optimizers
from autodiff.chainer.hyperparameter import Hyperparameter, HyperparameterProxy
from autodiff.chainer.optimizers.adam import AdamRule
from autodiff.chainer.optimizers.sgd import SGDRule


def test_what_is_not_set_comes_from_the_parent():
    common = Hyperparameter()
    common.a = 1
    own = Hyperparameter(common)
    own.b = 2
    assert (own.a, own.b, own.parent is common) == (1, 2, True)
    own.a = 5
    assert own.get_dict() == {"a": 5, "b": 2}
    assert common.get_dict() == {"a": 1}
    assert repr(own) == "Hyperparameter(a=5, b=2)"
    for copied in (copy.deepcopy(own), pickle.loads(pickle.dumps(own))):
        assert copied.get_dict() == {"a": 5, "b": 2}


def test_an_unknown_hyperparameter():
    with pytest.raises(AttributeError, match="there is no hyperparameter 'lr'"):
        _ = Hyperparameter(Hyperparameter()).lr
    with pytest.raises(AttributeError):
        Hyperparameter().parent = Hyperparameter()


def test_attributes_of_optimizers_stand_for_hyperparameters():
    optimizer = optimizers.SGD()
    optimizer.lr = 3
    assert optimizer.hyperparam.lr == 3
    assert isinstance(optimizers.SGD.lr, HyperparameterProxy)


def test_rules_follow_their_optimizer_unless_they_have_their_own(pair):
    optimizer = optimizers.SGD().setup(pair)
    pair.p.update_rule.hyperparam.lr = 1
    optimizer.lr = 0.5
    assert (pair.p.update_rule.hyperparam.lr, pair.q.update_rule.hyperparam.lr) == (1, 0.5)


def test_rules_without_an_optimizer_have_defaults():
    assert SGDRule().hyperparam.lr == 0.01
    assert repr(SGDRule(lr=3).hyperparam) == "Hyperparameter(lr=3)"
    rule = AdamRule(alpha=3)
    assert rule.hyperparam.alpha == 3
    assert rule.hyperparam.parent.alpha == 0.001


DEFAULTS = {
    "AdaDelta": "eps=1e-06, rho=0.95",
    "AdaGrad": "eps=1e-08, lr=0.001",
    "Adam": "adabound=False, alpha=0.001, amsgrad=False, beta1=0.9, beta2=0.999, eps=1e-08, eta=1.0, final_lr=0.1, gamma=0.001, weight_decay_rate=0",
    "AdamW": "adabound=False, alpha=0.001, amsgrad=False, beta1=0.9, beta2=0.999, eps=1e-08, eta=1.0, final_lr=0.1, gamma=0.001, weight_decay_rate=0",
    "AMSGrad": "adabound=False, alpha=0.001, amsgrad=True, beta1=0.9, beta2=0.999, eps=1e-08, eta=1.0, final_lr=0.1, gamma=0.001, weight_decay_rate=0",
    "AdaBound": "adabound=True, alpha=0.001, amsgrad=False, beta1=0.9, beta2=0.999, eps=1e-08, eta=1.0, final_lr=0.1, gamma=0.001, weight_decay_rate=0",
    "AMSBound": "adabound=True, alpha=0.001, amsgrad=True, beta1=0.9, beta2=0.999, eps=1e-08, eta=1.0, final_lr=0.1, gamma=0.001, weight_decay_rate=0",
    "CorrectedMomentumSGD": "lr=0.01, momentum=0.9",
    "MomentumSGD": "lr=0.01, momentum=0.9",
    "MSVAG": "beta=0.9, eta=1.0, lr=0.1, weight_decay_rate=0",
    "NesterovAG": "lr=0.01, momentum=0.9",
    "RMSprop": "alpha=0.99, eps=1e-08, eps_inside_sqrt=False, lr=0.01",
    "RMSpropGraves": "alpha=0.95, eps=0.0001, lr=0.0001, momentum=0.9",
    "SGD": "lr=0.01",
    "SMORMS3": "eps=1e-16, lr=0.001",
}


def test_the_table_names_every_optimizer():
    assert set(DEFAULTS) == set(optimizers.__all__)


@pytest.mark.parametrize("name", DEFAULTS)
def test_default_hyperparameters(name):
    optimizer = getattr(optimizers, name)()
    assert repr(optimizer.hyperparam) == f"Hyperparameter({DEFAULTS[name]})"
    assert repr(optimizer.create_update_rule().hyperparam) == f"Hyperparameter({DEFAULTS[name]})"
