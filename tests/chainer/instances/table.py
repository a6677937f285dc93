"""Objects before and after they are used, by groups: what their public attributes are.

They are made by two interpreters: one where Chainer 7.8.1 runs, which records, and ours.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import tempfile
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

from tests.chainer.recorded.names import namespace as chainer

F, L, O, D = chainer.functions, chainer.links, chainer.optimizers, chainer.distributions  # noqa: E741 - the customary letter
training, serializers, iterators, datasets = chainer.training, chainer.serializers, chainer.iterators, chainer.datasets
extensions, triggers = training.extensions, training.triggers
link_hooks, computational_graph = (
    import_module(f"{chainer.__name__}.{name}") for name in ("link_hooks", "computational_graph")
)
Pairs = Iterator[tuple[str, Any]]
GROUPS: dict[str, Callable[[], Pairs]] = {}
X = np.random.RandomState(0).standard_normal((4, 6)).astype("f")
IMAGES = np.random.RandomState(1).standard_normal((2, 3, 8, 8)).astype("f")
LABELS = np.array([0, 1, 2, 0], "i")


def group(function: Callable[[], Pairs]) -> Callable[[], Pairs]:
    """Enter a group in the table."""
    GROUPS[function.__name__] = function
    return function


def shown(value: Any, depth: int = 0) -> str:
    """A value in short: plain values, dtypes and shapes of arrays, names of classes."""
    if isinstance(value, (bool, str, int, type(None))):
        return repr(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, np.ndarray):
        return f"array {value.dtype} {value.shape}"
    if isinstance(value, (np.generic, np.dtype)):
        return f"{getattr(value, 'dtype', value)}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}({', '.join(shown(x, depth + 1) for x in value[:4]) if depth < 2 else ''})"
    if isinstance(value, dict):
        return f"dict({', '.join(sorted(map(str, value))[:8])})"
    if inspect.ismodule(value):
        return f"module {value.__name__}".replace("autodiff.", "")
    if isinstance(value, chainer.variable.VariableNode):
        return "VariableNode"
    return "callable" if callable(value) and not isinstance(value, chainer.Link) else type(value).__name__


def attributes(value: Any) -> dict[str, str]:
    """All public attributes of an object, in short."""
    found = {}
    for name in dir(value):
        if not name.startswith("_"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    found[name] = shown(getattr(value, name))
                except Exception as error:
                    found[name] = f"raises {type(error).__name__}"
    return found


def states(name: str) -> dict[str, dict[str, str]]:
    """The attributes of all objects of a group, each at the moment when it comes."""
    np.random.seed(0)  # noqa: NPY002
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return {label: attributes(value) for label, value in GROUPS[name]()}


@group
def variables() -> Pairs:
    x = chainer.Variable(X, name="x")
    h = F.relu(x)
    y = F.sum(h * h)
    y.backward(retain_grad=True)
    yield from (("leaf", x), ("middle", h), ("root", y), ("node", h.node), ("node of a leaf", x.node))
    yield "whole numbers", chainer.Variable(np.arange(3))
    yield "reshaped", F.reshape(x, (2, 12))
    yield "empty", chainer.Variable(None)
    yield "parameter", chainer.Parameter(0.5, (2,))
    yield "parameter without a shape", chainer.Parameter()
    z = F.sum(h)
    z.unchain_backward()
    yield "unchained", z


@group
def functions() -> Pairs:
    class Two(chainer.FunctionNode):
        def forward(self, inputs: Any) -> Any:
            self.retain_inputs((0,))
            self.retain_outputs((0,))
            return inputs[0] * 2, inputs[0] + 1

        def backward(self, indexes: Any, grads: Any) -> Any:
            return (grads[0] * 2,)

    class Old(chainer.Function):
        def forward(self, inputs: Any) -> Any:
            return (inputs[0] * 2,)

        def backward(self, inputs: Any, grads: Any) -> Any:
            return (grads[0] * 2,)

    x = chainer.Variable(X)
    yield "ReLU", F.relu(x).creator_node
    node, old = Two(), Old()
    yield from (("a node", node), ("an old function", old))
    y, other = node.apply((x,))
    yield "a node that was applied", node
    F.sum(y).backward()
    assert other.shape == X.shape
    yield "a node after backward", node
    y = old(x)
    yield from (("an old function that was called", old), ("its node", y.creator_node))
    F.sum(y).backward()
    yield "an old function after backward", old


ONES, SEQUENCES = np.ones((4, 3), "f"), [X[:3], X[:2]]
TREE = L.BinaryHierarchicalSoftmax.create_huffman_tree({0: 3, 1: 2, 2: 1})
LINKS: list[tuple[Callable[[], Any], tuple[Any, ...]]] = [
    (lambda: L.Linear(2), (X,)),
    (lambda: L.Linear(6, 2), (X,)),
    (lambda: L.Bias(1, (6,)), (X,)),
    (lambda: L.Bilinear(6, 6, 2), (X, X)),
    (lambda: L.Scale(1, (6,), True), (X,)),
    (lambda: L.Convolution2D(3, 2, 3, 2, 1), (IMAGES,)),
    (lambda: L.Deconvolution2D(3, 2, 3, 2, 1), (chainer.Variable(IMAGES),)),
    (lambda: L.ConvolutionND(2, 3, 2, 3), (IMAGES,)),
    (lambda: L.DeconvolutionND(2, 3, 2, 3), (IMAGES,)),
    (lambda: L.Convolution1D(3, 2, 3), (IMAGES[..., 0],)),
    (lambda: L.DilatedConvolution2D(3, 2, 3), (IMAGES,)),
    (lambda: L.DepthwiseConvolution2D(3, 2, 3), (IMAGES,)),
    (lambda: L.LocalConvolution2D(3, 2, 8, 3), (IMAGES,)),
    (lambda: L.DeformableConvolution2D(3, 2, 3), (IMAGES,)),
    (lambda: L.MLPConvolution2D(3, (2, 2), 3), (IMAGES,)),
    (lambda: L.Inception(3, 2, 2, 2, 2, 2, 2), (IMAGES,)),
    (lambda: L.InceptionBN(3, 2, 2, 2, 2, 2, "max", 2), (IMAGES,)),
    (lambda: L.EmbedID(4, 2), (LABELS,)),
    (lambda: L.Highway(6), (X,)),
    (lambda: L.Maxout(6, 2, 2), (X,)),
    (lambda: L.PReLU((6,)), (X,)),
    (lambda: L.Swish((6,)), (X,)),
    (lambda: L.BatchNormalization(6), (X,)),
    (lambda: L.BatchNormalization(axis=0), (X,)),
    (lambda: L.BatchRenormalization(6), (X,)),
    (lambda: L.LayerNormalization(6), (X,)),
    (lambda: L.GroupNormalization(3), (IMAGES,)),
    (lambda: L.DecorrelatedBatchNormalization(3, groups=1), (IMAGES,)),
    (lambda: L.LSTM(6, 3), (X,)),
    (lambda: L.StatelessLSTM(6, 3), (None, None, X)),
    (lambda: L.GRU(6, 3), (X,)),
    (lambda: L.StatelessGRU(6, 3), (ONES, X)),
    (lambda: L.StatefulMGU(6, 3), (X,)),
    (lambda: L.StatefulPeepholeLSTM(6, 3), (X,)),
    (lambda: L.StatefulZoneoutLSTM(6, 3), (X,)),
    (lambda: L.NStepLSTM(1, 6, 3, 0.0), (None, None, SEQUENCES)),
    (lambda: L.NStepBiGRU(1, 6, 3, 0.0), (None, SEQUENCES)),
    (lambda: L.NStepRNNReLU(1, 6, 3, 0.0), (None, SEQUENCES)),
    (lambda: L.ChildSumTreeLSTM(6, 3), (ONES, ONES, X)),
    (lambda: L.NaryTreeLSTM(6, 3, 1), (ONES, ONES, X)),
    (lambda: L.Classifier(L.Linear(6, 3)), (X, LABELS)),
    (lambda: L.NegativeSampling(6, [3, 2, 1, 1], 2), (X, LABELS)),
    (lambda: L.BinaryHierarchicalSoftmax(6, TREE), (X, LABELS)),
    (lambda: L.BlackOut(6, [3, 2, 1], 2), (X, LABELS)),
    (lambda: L.CRF1d(3), ([np.ones((2, 3), "f")], [np.array([0, 1], "i")])),
    (lambda: L.SimplifiedDropconnect(6, 3), (X,)),
    (lambda: chainer.Sequential(L.Linear(6, 3), F.relu), (X,)),
]


@group
def links() -> Pairs:
    for number, (make, inputs) in enumerate(LINKS):
        link = make()
        label = f"{type(link).__name__} {number}"
        yield label, link
        y = link(*inputs)
        while isinstance(y, (tuple, list)):
            y = y[0]
        F.sum(y).backward()
        yield f"{label} after use", link
    yield "Chain", chainer.Chain(a=L.Linear(6, 3))
    yield "ChainList", chainer.ChainList(L.Linear(6, 3))
    for name in ("SpectralNormalization", "WeightStandardization"):
        hook = getattr(link_hooks, name)()
        link = L.Convolution2D(3, 2, 3).add_hook(hook)
        link(IMAGES)
        yield from ((name, hook), (f"{name} of a link", link))


RULES = (
    "SGD", "MomentumSGD", "CorrectedMomentumSGD", "NesterovAG", "AdaDelta", "AdaGrad", "Adam", "AdamW", "AMSGrad", "AdaBound", "AMSBound",
    "RMSprop", "RMSpropGraves", "SMORMS3", "MSVAG",
)  # fmt: skip
HOOKS: dict[str, tuple[Any, ...]] = {
    "WeightDecay": (0.1,), "Lasso": (0.1,), "GradientClipping": (1,), "GradientHardClipping": (-1, 1), "GradientNoise": (0.1,), "GradientLARS": (),
}  # fmt: skip


@group
def optimizers() -> Pairs:
    for name in RULES:
        link, optimizer = L.Linear(6, 3), getattr(O, name)()
        yield name, optimizer
        optimizer.setup(link)
        for _ in range(2):
            optimizer.update(lambda link=link: F.sum(link(X) ** 2))
        optimizer.new_epoch()
        yield from ((f"{name} after use", optimizer), (f"hyperparameters of {name}", optimizer.hyperparam))
        yield f"rule of {name}", link.W.update_rule
    for name, arguments in HOOKS.items():
        hook, link = getattr(chainer.optimizer_hooks, name)(*arguments), L.Linear(6, 3)
        optimizer = O.SGD().setup(link)
        optimizer.add_hook(hook)
        optimizer.update(lambda link=link: F.sum(link(X) ** 2))
        yield name, hook


@group
def trainers() -> Pairs:
    model, data = L.Classifier(L.Linear(6, 3)), datasets.TupleDataset(X, LABELS)
    for kind in (iterators.SerialIterator, iterators.MultithreadIterator):
        iterator = kind(data, 3)
        yield kind.__name__, iterator
        for k in range(2):
            next(iterator)
            yield f"{kind.__name__} after {k + 1}", iterator
        iterator.reset()
        yield f"{kind.__name__} after reset", iterator
    iterator = iterators.SerialIterator(data, 2)
    updater = training.StandardUpdater(iterator, O.MomentumSGD().setup(model))
    trainer = training.Trainer(updater, (2, "epoch"), tempfile.mkdtemp())
    shift = extensions
    found = {
        "evaluator": extensions.Evaluator(iterators.SerialIterator(data, 2, repeat=False, shuffle=False), model),
        "log": extensions.LogReport(trigger=(1, "iteration")), "print": extensions.PrintReport(["epoch"], log_report="log", out=io.StringIO()),
        "bar": extensions.ProgressBar(out=io.StringIO()), "snapshot": extensions.snapshot(), "object": extensions.snapshot_object(model, "m"),
        "exponential": shift.ExponentialShift("lr", 0.5), "linear": shift.LinearShift("momentum", (0.9, 0.1), (0, 3)),
        "inverse": shift.InverseShift("lr", 0.1, 0.5), "polynomial": shift.PolynomialShift("lr", 0.5, 10), "step": shift.StepShift("lr", 0.5, 2),
        "multistep": shift.MultistepShift("lr", 0.5, [1, 2], 0.1), "warmup": shift.WarmupShift("lr", 0.1, 3, 0.5), "lr": extensions.observe_lr(),
        "value": extensions.observe_value("v", lambda trainer: 1.0), "average": extensions.MicroAverage("v", "lr", "r"),
        "finite": extensions.FailOnNonNumber(), "statistics": extensions.ParameterStatistics(model), "unchain": extensions.unchain_variables(),
    }  # fmt: skip
    yield from (("trainer", trainer), ("updater", updater))
    for name, extension in found.items():
        yield name, extension
        trainer.extend(extension, name=name)
    trainer.run()
    yield from (("trainer after run", trainer), ("updater after run", updater), ("iterator after run", iterator))
    yield from ((f"{name} after run", extension) for name, extension in found.items())
    for trigger in (
        triggers.IntervalTrigger(1, "epoch"), triggers.EarlyStoppingTrigger(), triggers.MinValueTrigger("main/loss"), triggers.MaxValueTrigger("main/loss"),
        triggers.ManualScheduleTrigger([1], "epoch"), triggers.OnceTrigger(), triggers.TimeTrigger(3),
    ):  # fmt: skip
        yield type(trigger).__name__, trigger
        trigger(trainer)
        yield f"{type(trigger).__name__} after use", trigger


P = np.abs(X) + 0.1
SHARES = P / P.sum(axis=1, keepdims=True)
PARAMETERS: dict[str, dict[str, Any]] = {
    "Normal": {"loc": X, "scale": P}, "Bernoulli": {"logit": X}, "Beta": {"a": P, "b": P}, "Categorical": {"p": SHARES},
    "Cauchy": {"loc": X, "scale": P}, "Chisquare": {"k": P}, "Dirichlet": {"alpha": P}, "Exponential": {"lam": P}, "Gamma": {"k": P, "theta": P},
    "Geometric": {"p": SHARES}, "Gumbel": {"loc": X, "scale": P}, "Laplace": {"loc": X, "scale": P}, "LogNormal": {"mu": X, "sigma": P},
    "MultivariateNormal": {"loc": X, "scale_tril": np.tile(np.eye(6, dtype="f"), (4, 1, 1))}, "OneHotCategorical": {"p": SHARES},
    "Pareto": {"scale": P, "alpha": P + 3}, "Poisson": {"lam": P}, "Uniform": {"low": X, "high": X + 1},
}  # fmt: skip


@group
def distributions() -> Pairs:
    for name, parameters in PARAMETERS.items():
        yield name, getattr(D, name)(**parameters)
    yield "Independent", D.Independent(D.Normal(X, P), 1)


@group
def others() -> Pairs:
    model, data = L.Linear(6, 2), datasets.TupleDataset(X, LABELS)
    summary, summaries = chainer.reporter.Summary(), chainer.reporter.DictSummary()
    summary.add(1.0)
    summaries.add({"a": 1.0})
    yield from (("Summary", summary), ("DictSummary", summaries), ("Reporter", chainer.Reporter()))
    for made in (
        data,
        datasets.DictDataset(a=X),
        datasets.SubDataset(data, 0, 2),
        datasets.ConcatenatedDataset(data, data),
    ):
        yield type(made).__name__, made
    yield "TransformDataset", datasets.TransformDataset(data, lambda example: example)
    for name in (
        "Normal",
        "Uniform",
        "LeCunNormal",
        "GlorotUniform",
        "HeNormal",
        "Orthogonal",
        "Identity",
        "Zero",
        "One",
        "NaN",
    ):
        yield name, getattr(chainer.initializers, name)()
    yield "Constant", chainer.initializers.Constant(1.0)
    yield from (
        ("config", chainer.config),
        ("global_config", chainer.global_config),
        ("device", chainer.get_device("@numpy")),
    )
    yield "graph", computational_graph.build_computational_graph([F.sum(model(X))])
    serializer = serializers.DictionarySerializer()
    serializer.save(model)
    yield from (("DictionarySerializer", serializer), ("NpzDeserializer", serializers.NpzDeserializer({"a": X})))
    hook = chainer.function_hooks.TimerHook()
    with hook:
        F.relu(X)
    yield "TimerHook", hook
