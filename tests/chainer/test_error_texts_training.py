"""The contract, items 148 to 158: all of links, optimizers and reports that raises, and wrong parts of a training."""

import pickle

import numpy as np
import pytest

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
import autodiff.chainer.links as L
from autodiff.chainer import Chain, ChainList, Link, LinkHook, Parameter, Sequential, Variable, optimizers
from autodiff.chainer.optimizer_hooks import WeightDecay
from autodiff.chainer.reporter import Reporter, get_current_reporter
from autodiff.chainer.training import StandardUpdater, Trainer, get_trigger
from autodiff.chainer.training import extensions as E
from tests.chainer.error_texts import heard


def floats(*shape):
    return Variable(np.ones(shape, np.float32))


class NotReady(Link):
    """Assigns before its base class is initialised."""

    def __init__(self):
        with self.init_scope():
            self.W = Parameter(0, (2,))


class NotReadyChain(Chain):
    def __init__(self):
        self.l1 = L.Linear(2, 3)
        with self.init_scope():
            self.l2 = L.Linear(2, 3)


class NotReadyCall(Link):
    def __init__(self):
        """Forgets its base class."""

    def forward(self, x):
        return x


class Hook(LinkHook):
    name = "Hook"


def chain():
    return Chain(l1=L.Linear(2, 3))


def register(target, name, value):
    with target.init_scope():
        setattr(target, name, value)


def taken():
    model = Chain()
    model.taken = 1
    register(model, "taken", L.Linear(2, 3))


def hooked_twice():
    with Hook(), Hook():
        pass


def hooked_link_twice():
    L.Linear(2, 3).add_hook(Hook()).add_hook(Hook())


def ready(**keywords):
    return optimizers.SGD(**keywords).setup(L.Linear(2, 3))


def named_twice():
    optimizer = ready()
    optimizer.add_hook(WeightDecay(0.1))
    optimizer.add_hook(WeightDecay(0.1))


def trainer(**keywords):
    iterator = chainer.iterators.SerialIterator([np.ones(2, np.float32)], 1)
    model = L.Linear(2, 1)
    optimizer = optimizers.SGD().setup(model)
    updater = StandardUpdater(iterator, optimizer, loss_func=lambda x: F.sum(model(x)))
    return Trainer(updater, **{"stop_trigger": (1, "iteration"), "out": "nowhere", **keywords})


def reported():
    with Reporter():
        chainer.report({"loss": 1}, Link())


def new_epoch_twice():
    optimizer = ready()
    optimizer.use_auto_new_epoch = True
    optimizer.new_epoch()


ROWS = {
    # Links
    "148 init_scope before the constructor": (
        NotReady,
        (
            "RuntimeError: Link.__init__() has not been called (LINE): NotReady.__init__ must begin with "
            "super().__init__()"
        ),
    ),
    "148 init_scope of a Chain before the constructor": (
        NotReadyChain,
        (
            "RuntimeError: Link.__init__() has not been called (LINE): NotReadyChain.__init__ must begin with "
            "super().__init__()"
        ),
    ),
    "148 a call without the constructor": (
        lambda: NotReadyCall()(1),
        (
            "RuntimeError: Link.__init__() has not been called (LINE): NotReadyCall.__init__ must begin with "
            "super().__init__()"
        ),
    ),
    "148 no forward": (
        lambda: Link()(1),
        "AttributeError: 'Link' object has no attribute 'forward' (LINE); define forward(self, ...)",
    ),
    "148 a parameter that is not there": (
        lambda: Link().W,
        "AttributeError: 'Link' object has no attribute 'W'",
    ),
    "150 a child of a name that is taken": (
        lambda: register(chain(), "l1", L.Linear(2, 3)),
        (
            "AttributeError: cannot register a new link 'l1' (LINE): the attribute exists; choose another name, or "
            "delete it first"
        ),
    ),
    "150 an attribute that is taken": (
        taken,
        (
            "AttributeError: cannot register a new link 'taken' (LINE): the attribute exists; choose another name, "
            "or delete it first"
        ),
    ),
    "150 add_link of no link": (
        lambda: chain().add_link("l2", 1),
        "TypeError: cannot register a non-link object as a child, got int (LINE)",
    ),
    "150 add_link of a name that is taken": (
        lambda: chain().add_link("l1", L.Linear(2, 3)),
        (
            "AttributeError: cannot register a new link 'l1' (LINE): the attribute exists; choose another name, or "
            "delete it first"
        ),
    ),
    "150 a child that is not there": (
        lambda: chain()["l2"],
        "AttributeError: 'Chain' object has no attribute 'l2'",
    ),
    "150 no link in the constructor": (
        lambda: Chain(l1=1),
        "TypeError: cannot register a non-link object as a child, got int (LINE)",
    ),
    "150 no link in a list": (
        lambda: ChainList(1),
        "TypeError: a ChainList holds links, got int (LINE)",
    ),
    "150 appending no link": (
        lambda: ChainList().append(F.relu),
        "TypeError: a ChainList holds links, got function (LINE)",
    ),
    "150 a link within init_scope of a list": (
        lambda: register(ChainList(), "l1", L.Linear(2, 3)),
        (
            "TypeError: a ChainList registers no link by name (LINE), got 'l1' within init_scope(); append it, or "
            "use a Chain"
        ),
    ),
    "150 a layer that is not callable": (
        lambda: Sequential(1),
        "ValueError: a layer must be callable, got 1 (LINE); it is a link or a function",
    ),
    "150 a Sequential without layers": (
        lambda: Sequential()(floats(1)),
        "RuntimeError: a Sequential without layers was called (LINE); append one first",
    ),
    "151 add_param with no shape": (
        lambda: Link(W="x"),
        (
            "TypeError: a parameter is given by its shape, or by (shape, dtype), got str (LINE); an array or a "
            "Parameter is assigned within init_scope()"
        ),
    ),
    "151 register_persistent of nothing": (
        lambda: Link().register_persistent("mean"),
        "AttributeError: there is no attribute 'mean' to make persistent (LINE); assign it first",
    ),
    "152 a mode": (
        lambda: L.Linear(2, 3).copy("deep"),
        "ValueError: the mode of a copy is 'share', 'copy' or 'init', got 'deep' (LINE)",
    ),
    "152 repeat with a mode": (
        lambda: L.Linear(2, 3).repeat(2, "deep"),
        "ValueError: the mode of a copy is 'share', 'copy' or 'init', got 'deep' (LINE)",
    ),
    "152 pickling a lambda": (
        lambda: pickle.dumps(Sequential(lambda x: x)),
        (
            "ValueError: a Sequential with a lambda among its layers cannot be pickled (LINE); use a function with "
            "a name, or functools.partial"
        ),
    ),
    "153 no hook": (
        lambda: Link().add_hook(1),
        "TypeError: add_hook takes a LinkHook, got int (LINE)",
    ),
    "153 a hook twice": (
        hooked_link_twice,
        "KeyError: the link has a hook 'Hook' already (LINE); give this one a name=",
    ),
    "153 a hook of the thread twice": (
        hooked_twice,
        "KeyError: this thread has a link hook 'Hook' already (LINE); give it another name",
    ),
    "153 a hook that is not there": (
        lambda: Link().delete_hook("Hook"),
        "KeyError: the link has no hook 'Hook' (LINE); it has []",
    ),
    "153 addgrads of another link": (
        lambda: L.Linear(2, 3).addgrads(L.EmbedID(2, 3)),
        "ValueError: addgrad: W has shape (3, 2), but the source (2, 3) (LINE); they must be equal",
    ),
    "153 copyparams of another link": (
        lambda: L.Linear(2, 3).copyparams(Link()),
        "KeyError: Link has no 'W' (LINE); both links must be alike",
    ),
    "153 copyparams of other shapes": (
        lambda: L.Linear(2, 3).copyparams(L.Linear(2, 4)),
        "ValueError: copydata: W has shape (3, 2), but the source (4, 2) (LINE); they must be equal",
    ),
    "154 another size": (
        lambda: L.Linear(2, 3)(floats(1, 4)),
        (
            "InvalidType: \nInvalid operation is performed in: LinearFunction (Forward) (LINE)\n\nExpect: "
            "x.shape[1] == W.shape[1]\nActual: 4 != 2"
        ),
    ),
    "154 no axes but one": (
        lambda: L.Linear(2, 3)(floats(2)),
        (
            "InvalidType: \nInvalid operation is performed in: LinearFunction (Forward) (LINE)\n\nExpect: x.ndim "
            "== 2\nActual: 1 != 2"
        ),
    ),
    "154 ints": (
        lambda: L.Linear(2, 3)(np.ones((1, 2), int)),
        (
            "InvalidType: \nInvalid operation is performed in: LinearFunction (Forward) (LINE)\n\nExpect: "
            "x.dtype.kind == f\nActual: i != f"
        ),
    ),
    "154 another dtype": (
        lambda: L.Linear(2, 3)(np.ones((1, 2))),
        (
            "InvalidType: \nInvalid operation is performed in: LinearFunction (Forward) (LINE)\n\nExpect: b.dtype "
            "== x.dtype\nActual: float32 != float64"
        ),
    ),
    "154 channels": (
        lambda: L.Convolution2D(3, 4, 3)(floats(1, 2, 5, 5)),
        (
            "InvalidType: \nInvalid operation is performed in: Convolution2DFunction (Forward) (LINE)\n\nExpect: "
            "in_types[0].shape[1] == in_types[1].shape[1] * 1\nActual: 2 != 3"
        ),
    ),
    "154 grad before the shape is known": (
        lambda: L.Linear(None, 3).W.grad,
        (
            "RuntimeError: the gradient of a Parameter without an array is not known (LINE); initialise it, assign "
            "a gradient, or call cleargrad()"
        ),
    ),
    # Optimizers
    "155 setup of no link": (
        lambda: optimizers.SGD().setup([L.Linear(2, 3)]),
        "TypeError: optimization target must be a link, got list (LINE)",
    ),
    "155 setup of a Parameter": (
        lambda: optimizers.SGD().setup(Parameter(0, (2,))),
        "TypeError: optimization target must be a link, got Parameter (LINE)",
    ),
    "155 add_hook before setup": (
        lambda: optimizers.SGD().add_hook(WeightDecay(0.1)),
        "RuntimeError: Optimizer is not set up (LINE). Call `setup` method.",
    ),
    "155 update before setup": (
        lambda: optimizers.SGD().update(),
        "RuntimeError: Optimizer is not set up (LINE). Call `setup` method.",
    ),
    "155 a hook twice": (
        named_twice,
        'KeyError: hook "WeightDecay" already exists (LINE); give this one a name=',
    ),
    "155 a hook that is not callable": (
        lambda: ready().add_hook(1),
        "TypeError: hook function must be callable, got int (LINE)",
    ),
    "155 the time of a hook": (
        lambda: ready().add_hook(WeightDecay(0.1), timing="between"),
        "ValueError: timing must be one of ('pre', 'post', 'auto'), got 'between' (LINE)",
    ),
    "155 removing a hook": (
        lambda: ready().remove_hook("WeightDecay"),
        "KeyError: no hook 'WeightDecay' (LINE); there are []",
    ),
    "155 a hyperparameter": (
        lambda: ready().hyperparam.momentum,
        "AttributeError: there is no hyperparameter 'momentum' (LINE)",
    ),
    "155 a loss function without a Variable": (
        lambda: ready().update(lambda: 1.0),
        "TypeError: the loss function must return a Variable, got float (LINE)",
    ),
    "155 a loss with several elements": (
        lambda: ready().update(lambda: floats(2) * 2),
        (
            "DifferentiationError: backward() from a Variable of shape (2,) needs its gradient (LINE): set y.grad "
            "= np.ones_like(y.array), or another weight for each element; or reduce it to one number first"
        ),
    ),
    "155 new_epoch twice": (
        new_epoch_twice,
        (
            "RuntimeError: duplicated new_epoch with the updater (LINE).\nPass auto_new_epoch=False to the updater "
            "or stop calling new_epoch outside the updater."
        ),
    ),
    "156 the interval of loss scaling": (
        lambda: ready().loss_scaling(interval=0),
        "ValueError: interval must be greater than or equal to 1. Actual: 0 (LINE)",
    ),
    # Reports
    "158 an unknown observer": (
        reported,
        "KeyError: the reporter has no name for this Link (LINE); call reporter.add_observer(name, observer)",
    ),
    "158 no reporter": (
        lambda: get_current_reporter(),
        ("IndexError: no reporter is entered in this thread (LINE); use: with Reporter() as reporter"),
    ),
    # Training
    "training: a trigger": (
        lambda: get_trigger("epoch"),
        ("TypeError: a trigger must be a function of the trainer or a pair such as (1, 'epoch'), got 'epoch' (LINE)"),
    ),
    "training: the unit of a trigger": (
        lambda: get_trigger((1, "batch")),
        "ValueError: Trigger unit must be either 'epoch' or 'iteration', got 'batch' (LINE)",
    ),
    "training: the period of a trigger": (
        lambda: get_trigger((0, "epoch")),
        "ValueError: the period of a trigger must be positive, got 0 (LINE)",
    ),
    "training: an extension without a name": (
        lambda: trainer().extend(1),
        "TypeError: name is not given for the extension 1 (LINE); pass name= to extend()",
    ),
    "training: an extension that is not there": (
        lambda: trainer().get_extension("LogReport"),
        "ValueError: extension LogReport not found (LINE); the trainer has: none",
    ),
    "training: a reserved name": (
        lambda: trainer().extend(E.LogReport(), name="training"),
        'ValueError: the name "training" is prohibited as an extension name (LINE); give name= another one',
    ),
    "training: a trainer that has not started": (
        lambda: trainer().elapsed_time,
        "RuntimeError: training has not been started yet (LINE); elapsed_time counts from run()",
    ),
    "training: invoke_before_training": (
        lambda: trainer().extend(E.LogReport(), invoke_before_training=True),
        (
            "ValueError: Trainer.extend(invoke_before_training=...) has been removed since Chainer v2.0.0 (LINE); "
            "use initializer=, or define initialize(trainer)"
        ),
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_whole_text(name):
    bad, text = ROWS[name]
    assert heard(bad) == text
