"""Programs around the loop of training: what users plug into trainers, optimizers, links, functions and reporters."""

from __future__ import annotations

import copy
import io
import json
import tempfile
from pathlib import Path

import numpy as np

from tests.chainer.programs.table import STEPS, integers, normal, program
from tests.chainer.recorded.names import namespace as chainer

F, L, optimizers = chainer.functions, chainer.links, chainer.optimizers
training, datasets, iterators, serializers = chainer.training, chainer.datasets, chainer.iterators, chainer.serializers
extensions, triggers = training.extensions, training.triggers


def network(*sizes):
    layers = []
    for a, b in zip(sizes[:-2], sizes[1:]):  # noqa: RUF007 - Chainer's Python has no pairwise
        layers += [L.Linear(a, b), F.relu]
    return chainer.Sequential(*layers, L.Linear(*sizes[-2:]))


def examples(count=20, size=6, kinds=3):
    return datasets.TupleDataset(normal(count, size), integers(kinds, count))


@program
def training_that_is_resumed():
    """Two optimizers, a snapshot in the middle, and a new trainer that goes on from the file."""
    data, folder = examples(), tempfile.mkdtemp()
    losses = []

    def made(stop):
        gen, dis = network(3, 8, 6), network(6, 8, 1)
        opt_gen = optimizers.Adam(0.01).setup(gen)
        opt_dis = optimizers.MomentumSGD(0.05).setup(dis)
        opt_dis.add_hook(chainer.optimizer_hooks.GradientClipping(1.0))

        class Updater(training.StandardUpdater):
            def __init__(self, *args, **kwargs):
                self.gen, self.dis = kwargs.pop("models")
                super().__init__(*args, **kwargs)

            def update_core(self):
                optimizer, other = self.get_optimizer("gen"), self.get_optimizer("dis")
                x, _ = self.converter(self.get_iterator("main").next(), self.device)
                fake = self.gen(normal(len(x), 3))
                loss = F.mean(F.softplus(-self.dis(fake)))
                self.gen.cleargrads()
                loss.backward()
                optimizer.update()
                cost = F.mean(F.softplus(-self.dis(x)) + F.softplus(self.dis(fake.array)))
                self.dis.cleargrads()
                cost.backward()
                other.update()
                chainer.report({"loss": loss, "cost": cost})
                chainer.reporter.report({"total": loss.array + cost.array}, self.gen)
                losses.append(loss.array + cost.array)

        iterator = iterators.SerialIterator(
            data, 5, order_sampler=iterators.ShuffleOrderSampler(np.random.RandomState(3))
        )
        updater = Updater(iterator, {"gen": opt_gen, "dis": opt_dis}, models=(gen, dis))
        trainer = training.Trainer(updater, (stop, "iteration"), out=folder)
        trainer.reporter.add_observer("gen", gen)
        trainer.extend(extensions.snapshot(filename="at_{.updater.iteration}", n_retains=1), trigger=(1, "epoch"))
        trainer.extend(extensions.LogReport(["loss", "gen/total"], trigger=(2, "iteration")))
        trainer.extend(extensions.ExponentialShift("alpha", 0.9, optimizer=opt_gen), trigger=(3, "iteration"))
        trainer.extend(extensions.LinearShift("lr", (0.05, 0.01), (2, 8), opt_dis))
        return trainer

    made(6).run()
    assert sorted(path.name for path in Path(folder).iterdir()) == ["at_4", "log"]
    np.random.seed(5)  # noqa: NPY002
    trainer = made(8)
    serializers.load_npz(folder + "/at_4", trainer)
    assert trainer.updater.iteration == 4
    assert trainer.updater.epoch_detail == 1.0
    trainer.run()
    assert trainer.elapsed_time > 0
    log = trainer.get_extension("LogReport").log
    assert [entry["iteration"] for entry in log] == [2, 4, 6, 8]
    return [*losses[:6], *(entry["loss"] for entry in log)]


@program
def steps_of_ones_own():
    """LAMB: an optimizer, its rule, its hyperparameters and a hook of one's own; states are saved and loaded."""
    defaults = chainer.optimizer.Hyperparameter()
    defaults.eta, defaults.beta1, defaults.beta2, defaults.eps, defaults.rate = 0.02, 0.9, 0.999, 1e-6, 0.01

    class Rule(chainer.optimizer.UpdateRule):
        def __init__(self, parent_hyperparam=None, eta=None):
            super().__init__(parent_hyperparam or defaults)
            if eta is not None:
                self.hyperparam.eta = eta

        def init_state(self, param):
            with chainer.using_device(param.device):
                self.state["m"] = param.device.xp.zeros_like(param.array)
                self.state["v"] = param.device.xp.zeros_like(param.array)

        def update_core(self, param):
            if param.grad is None:
                return
            hp, m, v = self.hyperparam, self.state["m"], self.state["v"]
            m += (1 - hp.beta1) * (param.grad - m)
            v += (1 - hp.beta2) * (param.grad**2 - v)
            r = m / (1 - hp.beta1**self.t) / (np.sqrt(v / (1 - hp.beta2**self.t)) + hp.eps) + hp.rate * param.array
            a, b = np.linalg.norm(param.array), np.linalg.norm(r)
            param.array -= hp.eta * (a / b if a > 0 and b > 0 else 1.0) * r

    class LAMB(chainer.optimizer.GradientMethod):
        eta = chainer.optimizer.HyperparameterProxy("eta")

        def __init__(self, eta=0.02):
            super().__init__()
            for name, value in defaults.get_dict().items():
                setattr(self.hyperparam, name, value)
            self.hyperparam.eta = eta

        def create_update_rule(self):
            return Rule(self.hyperparam)

    class Centralize:
        name, call_for_each_param, timing = "Centralize", True, "pre"

        def __call__(self, rule, param):
            if param.ndim > 1:
                param.grad -= param.grad.mean(axis=1, keepdims=True)

    class Count:
        name, timing, seen = "Count", "post", 0

        def __call__(self, optimizer):
            self.seen += sum(param.update_rule.t for param in optimizer.target.params())

    model, count = network(6, 8, 3), Count()
    optimizer = LAMB(0.05)
    optimizer.setup(model)
    optimizer.add_hook(Centralize())
    optimizer.add_hook(count)
    model[0].b.update_rule.hyperparam.eta = 0.5
    x, t, losses = normal(10, 6), integers(3, 10), []
    for k in range(STEPS):
        optimizer.update(lambda: losses.append(F.softmax_cross_entropy(model(x), t)) or losses[-1])
        if k == 4:
            file = tempfile.mkdtemp() + "/state"
            serializers.save_npz(file, optimizer)
            again = LAMB(0.05).setup(model)
            serializers.load_npz(file, again)
            again.add_hook(count)
            optimizer, optimizer.eta = again, 0.03
    assert optimizer.t == STEPS
    assert count.seen == 4 * 55
    return losses


@program
def extensions_of_ones_own():
    """Every way to write an extension, priorities, triggers of values, times and schedules, an evaluator of one's own."""
    seen, folder = [], tempfile.mkdtemp()
    model = L.Classifier(network(6, 8, 3))
    model.predictor[0].W.name = "first"
    optimizer = optimizers.SGD(0.1).setup(model)
    train, test = datasets.split_dataset_random(examples(24), 16, seed=2)
    updater = training.updaters.StandardUpdater(
        iterators.SerialIterator(train, 4, shuffle=False), optimizer, loss_scale=8.0
    )
    trainer = training.Trainer(
        updater, triggers.EarlyStoppingTrigger((1, "epoch"), "main/loss", patience=9, max_trigger=(10, "epoch")), folder
    )

    @training.make_extension(trigger=(1, "epoch"), default_name="marked", priority=200)
    def mark(trainer):
        seen.append(("mark", trainer.updater.epoch, trainer.updater.is_new_epoch))

    class Decay(training.Extension):
        name, priority, trigger = "decay", training.PRIORITY_EDITOR, (2, "epoch")

        def __init__(self, optimizer):
            self.optimizer, self.rates = optimizer, []

        def initialize(self, trainer):
            self.first = self.optimizer.lr

        def __call__(self, trainer):
            self.optimizer.lr *= 0.5
            self.rates.append(self.optimizer.lr)
            trainer.observation["rate"] = self.optimizer.lr

        def finalize(self):
            seen.append(("final", self.first))

        def on_error(self, trainer, exc, tb):
            raise exc

        def serialize(self, serializer):
            self.optimizer.lr = serializer("rate", self.optimizer.lr)

    class Evaluator(extensions.Evaluator):
        default_name = "dev"

        def evaluate(self):
            iterator, target = copy.copy(self._iterators["main"]), self._targets["main"]
            summary = chainer.reporter.DictSummary()
            for batch in iterator:
                observation = {}
                with chainer.reporter.report_scope(observation), chainer.no_backprop_mode():
                    target(*self.converter(batch, self.device))
                summary.add(observation)
            return {**summary.compute_mean(), "dev/wide": summary.make_statistics()["dev/main/loss.std"]}

    trainer.extend(mark)
    trainer.extend(Decay(optimizer))
    trainer.extend(Evaluator(iterators.SerialIterator(test, 4, repeat=False, shuffle=False), model))
    trainer.extend(extensions.observe_lr())
    trainer.extend(extensions.observe_value("norm", lambda trainer: float((model.predictor[0].W.array ** 2).sum())))
    trainer.extend(extensions.FailOnNonNumber())
    trainer.extend(extensions.MicroAverage("norm", "lr", "ratio", (1, "epoch")))
    trainer.extend(
        extensions.ParameterStatistics(model, {"mean": np.mean, "size": lambda x: x.size}, trigger=(1, "epoch"))
    )
    trainer.extend(
        lambda t: seen.append("best"), name="best", trigger=triggers.MinValueTrigger("main/loss", (1, "epoch"))
    )
    trainer.extend(
        lambda t: seen.append("high"), name="best", trigger=triggers.MaxValueTrigger("dev/main/loss", (1, "epoch"))
    )
    trainer.extend(
        lambda t: seen.append("some"), name="some", trigger=triggers.ManualScheduleTrigger([2, 7], "iteration")
    )
    trainer.extend(lambda t: seen.append("once"), name="once", trigger=triggers.OnceTrigger(call_on_resume=True))
    trainer.extend(lambda t: seen.append("own"), name="own", trigger=lambda t: t.updater.iteration % 9 == 0)
    trainer.extend(
        extensions.LogReport(trigger=(1, "epoch"), postprocess=lambda log: log.update(half=log["main/loss"] / 2))
    )
    trainer.extend(extensions.PrintReport(["epoch", "main/loss", "dev/main/loss", "elapsed_time"], out=io.StringIO()))
    trainer.extend(extensions.DumpGraph("main/loss", filename="graph.dot"))
    trainer.extend(extensions.ProgressBar(update_interval=4, out=io.StringIO()))
    trainer.run()
    log = json.loads(Path(folder, "log").read_text())
    marks = sum(hash_of(item) for item in seen)
    assert trainer.get_extension("best_1") is not None
    keys = sorted(key for key in log[0] if "elapsed" not in key)
    return [
        e["main/loss"]
        + e["half"]
        + e["dev/main/loss"]
        + e["norm"]
        + e["lr"]
        + e["dev/wide"]
        + len(" ".join(keys))
        + marks
        for e in log
    ]


def hash_of(item):
    return sum(map(ord, repr(item))) / 1000


@program
def reported_from_within():
    """Reporters by hand: observers, prefixes, scopes, a hook that reports, links that report each other's losses."""

    class Part(chainer.Chain):
        def __init__(self, size):
            super().__init__()
            with self.init_scope():
                self.l = L.Linear(size, 4)
                self.bn = L.BatchNormalization(axis=0, size=4)

        def forward(self, x):
            h = self.bn(self.l(x))
            chainer.report({"size": F.mean(h**2), "batch": len(x)}, self)
            return h

    class Whole(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.parts = chainer.ChainList(Part(5), Part(4))
                self.out = L.Linear(4, 2)

        def forward(self, x, t):
            for part in self.parts:
                x = F.leaky_relu(part(x))
            loss = F.softmax_cross_entropy(self.out(x), t)
            chainer.report({"loss": loss, "accuracy": F.accuracy(self.out(x), t)}, self)
            chainer.report({"free": 1.5})
            return loss

    model, reporter = Whole(), chainer.Reporter()
    reporter.add_observer("top", model)
    reporter.add_observers("top", model.namedlinks(skipself=True))
    optimizer = optimizers.Adam(0.02).setup(model)
    summary, losses = chainer.reporter.DictSummary(), []
    x, t = normal(6, 5), integers(2, 6)
    timer = chainer.function_hooks.TimerHook()
    for _ in range(STEPS):
        observation = {}
        with reporter.scope(observation), timer:
            optimizer.update(model, x, t)
        summary.add(observation)
        assert sorted(observation) == [
            "free",
            "top/accuracy",
            "top/loss",
            "top/parts/0/batch",
            "top/parts/0/size",
            "top/parts/1/batch",
            "top/parts/1/size",
        ]
        losses.append(
            observation["top/loss"].array
            + observation["top/parts/1/size"].array
            + summary.compute_mean()["top/accuracy"]
        )
    assert "LinearFunction" in timer.summary()
    one = chainer.reporter.Summary()
    for value in losses:
        one.add(value)
    mean, deviation = one.make_statistics()
    return [*losses[:8], mean, deviation]
