"""Optimizers: twenty steps on two parameters, with hooks, and the state at the end."""

import numpy as np

from tests.chainer.recorded.case import Case, random
from tests.chainer.recorded.names import O, chainer

STEPS = 20
EVERY = (
    O.SGD, O.MomentumSGD, O.CorrectedMomentumSGD, O.NesterovAG, O.AdaGrad, O.AdaDelta, O.RMSpropGraves, O.SMORMS3, O.Adam,
    O.AdamW, O.AMSGrad, O.AdaBound, O.AMSBound, O.MSVAG,
)  # fmt: skip
HOOKS = {
    "WeightDecay": lambda: chainer.optimizer_hooks.WeightDecay(0.1),
    "Lasso": lambda: chainer.optimizer_hooks.Lasso(0.1),
    "GradientClipping": lambda: chainer.optimizer_hooks.GradientClipping(0.5),
    "GradientHardClipping": lambda: chainer.optimizer_hooks.GradientHardClipping(-0.25, 0.5),
    "GradientLARS": lambda: chainer.optimizer_hooks.GradientLARS(0.01, 0.1),
    "GradientNoise": lambda: chainer.optimizer_hooks.GradientNoise(0.3),
}


def two_parameters(dtype):
    """A link with a matrix and a vector; one entry of each is zero."""
    link = chainer.Link()
    with link.init_scope():
        link.W = chainer.Parameter(np.array([[1, -2, 0.5], [0, 0.25, -1]], dtype))
        link.b = chainer.Parameter(np.array([0, 2, -0.5], dtype))
    return link


class Training(Case):
    """`STEPS` updates with gradients drawn from a fixed state; the state of every parameter is recorded."""

    def facts(self, dtype):
        link = two_parameters(dtype)
        optimizer = self.function(link)
        draws, facts = random("gradients"), {}
        for step in range(STEPS):
            self.step(optimizer, link, draws)
            if step in (0, 4):
                facts.update({f"{name} after {step + 1}": np.array(p.array) for name, p in link.namedparams()})
        facts.update({f"final {name}": np.array(p.array) for name, p in link.namedparams()})
        facts.update(state(optimizer, link))
        return facts

    def step(self, optimizer, link, draws):
        for _, parameter in sorted(link.namedparams()):
            parameter.grad = np.asarray(draws.randint(-16, 17, parameter.shape) / 8.0, parameter.dtype)
        optimizer.update()


class LossTraining(Training):
    """Updates through a loss function, so that loss scaling takes part."""

    def step(self, optimizer, link, draws):
        x = np.asarray(draws.randint(-16, 17, (3,)) / 8.0, link.b.dtype)
        optimizer.update(lambda: chainer.functions.sum((link.W * x + link.b) ** 2))


def state(optimizer, link):
    facts = {"t": str(optimizer.t), "epoch": str(optimizer.epoch)}
    for name, parameter in sorted(link.namedparams()):
        rule = parameter.update_rule
        facts[f"t of {name}"] = str(rule.t)
        for key, value in sorted((rule.state or {}).items()):
            facts[f"state {key} of {name}"] = None if value is None else np.array(value)
    return facts


def training(name, make, *hooks, dtypes="fd", kind=Training, prepare=lambda optimizer, link: None, **options):
    def setup(link):
        optimizer = make(**options)
        optimizer.setup(link)
        prepare(optimizer, link)
        for hook in hooks:
            optimizer.add_hook(HOOKS[hook]())
        return optimizer

    words = [name] + [f"{key}={value}" for key, value in options.items()] + list(hooks)
    return kind(" ".join(words), setup, (), dtypes, tolerance=10)


def fp32(optimizer, link):
    optimizer.use_fp32_update()


def scaled(optimizer, link):
    optimizer.set_loss_scale(8)


def dynamic(optimizer, link):
    optimizer.loss_scaling(interval=3)


def frozen(optimizer, link):
    link.b.update_rule.enabled = False


def own_rate(optimizer, link):
    link.b.update_rule.hyperparam.lr = 0.5


def epochs(optimizer, link):
    optimizer.new_epoch()
    optimizer.new_epoch()


CASES = [
    training("RMSprop", O.RMSprop),
    *(training(kind.path[-1], kind, dtypes="fde") for kind in EVERY),
    *(training(f"{kind.path[-1]}", kind, hook) for kind in (O.SGD, O.Adam, O.MomentumSGD) for hook in HOOKS),
    *(
        training(f"{kind.path[-1]} fp32_update", kind, prepare=fp32, dtypes="ef")
        for kind in (O.SGD, O.Adam, O.MomentumSGD, O.NesterovAG)
    ),
    *(training(f"{kind.path[-1]} loss", kind, kind=LossTraining) for kind in (O.SGD, O.Adam)),
    *(training(f"{kind.path[-1]} loss scale", kind, kind=LossTraining, prepare=scaled) for kind in (O.SGD, O.Adam)),
    training("SGD loss scale", O.SGD, "GradientClipping", kind=LossTraining, prepare=scaled),
    training("SGD dynamic loss scale", O.SGD, kind=LossTraining, prepare=dynamic),
    training("SGD two hooks", O.SGD, "WeightDecay", "GradientClipping"),
    training("SGD frozen", O.SGD, prepare=frozen),
    training("SGD own rate", O.SGD, prepare=own_rate),
    training("SGD epochs", O.SGD, prepare=epochs),
    training("SGD", O.SGD, lr=0.5),
    training("MomentumSGD", O.MomentumSGD, lr=0.1, momentum=0.5),
    training("CorrectedMomentumSGD", O.CorrectedMomentumSGD, lr=0.1, momentum=0.5),
    training("NesterovAG", O.NesterovAG, lr=0.1, momentum=0.5),
    training("AdaGrad", O.AdaGrad, lr=0.1, eps=1e-4),
    training("AdaDelta", O.AdaDelta, rho=0.5, eps=1e-3),
    training("RMSprop", O.RMSprop, lr=0.1, alpha=0.5, eps_inside_sqrt=True),
    training("RMSprop", O.RMSprop, lr=0.1, alpha=0.5, eps=1e-3),
    training("RMSpropGraves", O.RMSpropGraves, lr=0.01, alpha=0.5, momentum=0.5),
    training("SMORMS3", O.SMORMS3, lr=0.1),
    training("Adam", O.Adam, alpha=0.1, beta1=0.5, beta2=0.9, eps=1e-3, eta=0.5),
    training("Adam", O.Adam, weight_decay_rate=0.1),
    training("Adam", O.Adam, amsgrad=True),
    training("Adam", O.Adam, adabound=True, final_lr=0.2, gamma=0.1),
    training("Adam", O.Adam, adabound=True, amsgrad=True, weight_decay_rate=0.01),
    training("AdamW", O.AdamW, alpha=0.1, weight_decay_rate=0.1),
    training("AMSBound", O.AMSBound, alpha=0.1, final_lr=0.05, gamma=0.1),
    training("MSVAG", O.MSVAG, lr=0.05, beta=0.5, weight_decay_rate=0.1),
]
