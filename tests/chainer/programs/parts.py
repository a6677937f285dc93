"""Programs with functions, links, iterators and datasets of their own."""

from __future__ import annotations

import copy
import tempfile

import numpy as np

from tests.chainer.programs.machinery import network
from tests.chainer.programs.table import STEPS, integers, normal, program, updates
from tests.chainer.recorded.names import namespace as chainer

F, L, optimizers = chainer.functions, chainer.links, chainer.optimizers
training, datasets, iterators, serializers = chainer.training, chainer.datasets, chainer.iterators, chainer.serializers
extensions, triggers = training.extensions, training.triggers


@program
def nodes_of_ones_own():
    """Functions that retain, choose by devices, take several inputs, and differentiate twice; hooks that watch them."""
    type_check = chainer.utils.type_check

    class Gated(chainer.FunctionNode):
        def __init__(self, power=2):
            self.power = power

        @property
        def label(self):
            return f"Gated {self.power}"

        def check_type_forward(self, in_types):
            type_check.expect(
                in_types.size() == 2, in_types[0].dtype.kind == "f", in_types[0].shape == in_types[1].shape
            )
            type_check._argname(in_types, ("x", "g"))

        def forward_cpu(self, inputs):
            x, g = inputs
            self.retain_inputs((0, 1))
            self.retain_outputs((0,))
            y = 1 / (1 + np.exp(-g))
            return chainer.utils.force_array(y, x.dtype), (x**self.power * y).astype(x.dtype, copy=False)

        def backward(self, indexes, grad_outputs):
            (x, _), (y,) = self.get_retained_inputs(), self.get_retained_outputs()
            gy, gz = grad_outputs
            found = []
            if 0 in indexes:
                found.append(None if gz is None else gz * self.power * x ** (self.power - 1) * y)
            if 1 in indexes:
                up = (0 if gy is None else gy) + (0 if gz is None else gz * x**self.power)
                found.append(up * y * (1 - y))
            return tuple(found)

    class Old(chainer.Function):
        def check_type_forward(self, in_types):
            type_check.expect(in_types.size() == 1)

        def forward(self, inputs):
            xp = chainer.backend.get_array_module(*inputs)
            self.mask = inputs[0] > 0
            return xp.where(self.mask, inputs[0], 0.1 * inputs[0]), inputs[0].sum(axis=1)

        def backward(self, inputs, grads):
            g = 0 if grads[0] is None else np.where(self.mask, grads[0], np.float32(0.1) * grads[0])
            return (g + (0 if grads[1] is None else grads[1][:, None] * np.ones_like(inputs[0])),)

    class Watch(chainer.FunctionHook):
        name = "Watch"

        def __init__(self):
            self.calls = []

        def forward_postprocess(self, function, in_data):
            self.calls.append((function.label, len(in_data)))

        def backward_preprocess(self, function, in_data, out_grad):
            self.calls.append((function.label, sum(g is not None for g in out_grad), function.rank))

    model = chainer.Chain(a=L.Linear(4, 6), b=L.Linear(6, 2))
    x, watch = normal(5, 4), Watch()

    def loss():
        h, s = Old()(model.a(x))
        y, z = Gated(3).apply((h, h * 0.5))
        with watch:
            u, v = Gated().apply((h, z))
        (penalty,) = chainer.grad([v], [z], enable_double_backprop=True, set_grad=False)
        assert v.creator.label == "Gated 2"
        assert y.creator is z.creator
        return F.mean(model.b(y + v) ** 2) + F.mean(penalty**2) + 0.01 * F.mean(s**2) + 0.1 * F.sum(u) ** 2

    losses = updates(optimizers.MomentumSGD(0.02).setup(model), loss)
    return [a.array + 1e-3 * len(watch.calls) for a in losses]


@program
def sequences_with_a_truncated_past():
    """The example of language models, with parts of its own: an iterator, an updater, converters, a state that is kept."""

    class Sequences(chainer.dataset.Iterator):
        def __init__(self, data, batch_size, repeat=True):
            super().__init__()
            self.data, self.batch_size, self.repeat = data, batch_size, repeat
            self.epoch, self.iteration, self.is_new_epoch, self._previous = 0, 0, False, -1.0
            self.offsets = [k * len(data) // batch_size for k in range(batch_size)]

        def __next__(self):
            if not self.repeat and self.iteration * self.batch_size >= len(self.data):
                raise StopIteration
            now = self.words()
            self.iteration += 1
            after = self.words()
            epoch = self.iteration * self.batch_size // len(self.data)
            self.is_new_epoch = self.epoch < epoch
            if self.is_new_epoch:
                self.epoch = epoch
            return list(zip(now, after))

        def words(self):
            return [self.data[(offset + self.iteration) % len(self.data)] for offset in self.offsets]

        @property
        def epoch_detail(self):
            return self.iteration * self.batch_size / len(self.data)

        def serialize(self, serializer):
            self.iteration = serializer("iteration", self.iteration)
            self.epoch = serializer("epoch", self.epoch)

    class Updater(training.updaters.StandardUpdater):
        def __init__(self, iterator, optimizer, length):
            super().__init__(iterator, optimizer, converter=converted, device=-1)
            self.length = length

        def update_core(self):
            loss = 0
            for _ in range(self.length):
                x, t = self.converter(next(self.get_iterator("main")), self.device)
                loss += self.get_optimizer("main").target(chainer.Variable(x), chainer.Variable(t))
            self.get_optimizer("main").target.cleargrads()
            loss.backward()
            loss.unchain_backward()
            self.get_optimizer("main").update()
            losses.append(loss.array / self.length)

    @chainer.dataset.converter()
    def converted(batch, device):
        return chainer.dataset.concat_examples(batch, device)

    class RNN(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.embed, self.l1, self.l2 = L.EmbedID(8, 5), L.LSTM(5, 5), L.Linear(5, 8)
            for param in self.params():
                param.array[...] = np.random.uniform(-0.1, 0.1, param.shape)  # noqa: NPY002

        def reset_state(self):
            self.l1.reset_state()

        def forward(self, x):
            return self.l2(F.dropout(self.l1(F.dropout(self.embed(x))), ratio=0.25))

    losses, words = [], integers(8, 40)
    model = L.Classifier(RNN())
    model.compute_accuracy = False
    optimizer = optimizers.SGD(lr=1.0).setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(5))
    trainer = training.Trainer(Updater(Sequences(words, 4), optimizer, 3), (STEPS, "iteration"), tempfile.mkdtemp())
    copied = model.copy()
    rnn = copied.predictor
    trainer.extend(
        extensions.Evaluator(Sequences(words[:12], 1, repeat=False), copied, eval_hook=lambda _: rnn.reset_state()),
        trigger=(2, "iteration"),
    )
    trainer.extend(
        extensions.LogReport(
            postprocess=lambda r: r.update(p=np.exp(r["validation/main/loss"])), trigger=(2, "iteration")
        )
    )
    trainer.run()
    return [
        a + entry["p"]
        for a, entry in zip(losses, [e for e in trainer.get_extension("LogReport").log for _ in range(2)])
    ]


@program
def links_of_ones_own():
    """Weights shared in two places, parameters without shapes, persistent counts, hooks of links, copies of every kind."""

    class Center(chainer.Link):
        def __init__(self, decay=0.9):
            super().__init__()
            self.decay = decay
            with self.init_scope():
                self.gain = chainer.Parameter(chainer.initializers.One())
            self.add_persistent("average", np.zeros(6, "f"))
            self.register_persistent("decay")

        def forward(self, x):
            if not self.gain.is_initialized:
                self.gain.initialize((x.shape[1],))
            if chainer.config.train:
                self.average *= self.decay
                self.average += (1 - self.decay) * x.array.mean(axis=0)
            return F.scale(x - self.average, self.gain)

    class Halve(chainer.LinkHook):
        name = "Halve"

        def __init__(self):
            self.count = 0

        def forward_preprocess(self, args):
            self.count += 1
            assert args.forward_name == "forward"
            assert len(args.args) == 1

        def forward_postprocess(self, args):
            self.count += args.out.shape[-1]

    class Tied(chainer.Chain):
        def __init__(self):
            super().__init__()
            self.factor = 2.0
            with self.init_scope():
                self.enc = L.Linear(None, 6, initialW=chainer.initializers.LeCunNormal(0.5))
                self.center = Center()
                self.same = self.enc
                self.bias = chainer.Parameter(np.zeros(8, "f"))
            self.add_param("temperature", (), initializer=chainer.initializers.Constant(1.5))

        def forward(self, x):
            h = F.tanh(self.center(self.enc(x)) / F.broadcast_to(self.temperature, (len(x), 6)))
            return F.linear(h, self.enc.W.T if hasattr(self.enc.W, "T") else F.transpose(self.enc.W), self.bias)

    model, hook = Tied(), Halve()
    model.center.add_hook(hook)
    x = normal(7, 8)
    assert model.center.gain.array is None
    model(x)
    other, third = model.copy("copy"), copy.deepcopy(model)
    third.copyparams(other)
    assert [name for name, _ in model.namedparams()].count("/enc/W") == 1
    optimizer = optimizers.AdamW(0.02, weight_decay_rate=0.1)
    optimizer.setup(model)
    file = tempfile.mkdtemp() + "/model.npz"
    losses = updates(optimizer, lambda: F.mean_squared_error(model(x), x))
    serializers.save_npz(file, model)
    serializers.load_npz(file, other)
    names = sorted(np.load(file).files)
    with chainer.using_config("train", False):
        after = F.mean_squared_error(other(x), x)
    return [*losses[:7], after, model.count_params() + hook.count + len("".join(names)), other.center.average.sum()]


@program
def tables_and_transforms():
    """Examples by transformations, dictionaries, tabular slices, joins, concatenations, crossvalidation and caches."""

    class Pairs(chainer.dataset.DatasetMixin):
        def __len__(self):
            return 12

        def get_example(self, index):
            return {"x": base[index], "t": kinds[index], "w": np.float32(1 + index % 3)}

    class Table(chainer.dataset.TabularDataset):
        keys, mode = ("a", "b", "c"), tuple

        def __len__(self):
            return 12

        def get_examples(self, indices, key_indices):
            columns = (base, base[:, ::-1], kinds)
            rows = slice(None) if indices is None else indices
            keys = range(3) if key_indices is None else key_indices
            return tuple(columns[k][rows] for k in keys)

    base, kinds = normal(12, 5), integers(3, 12)
    model = network(5, 6, 3)
    optimizer = optimizers.Adam(0.02).setup(model)
    flipped = datasets.TransformDataset(Pairs(), lambda e: dict(e, x=e["x"][::-1].copy()))
    both = datasets.ConcatenatedDataset(Pairs(), flipped)
    folds = datasets.get_cross_validation_datasets_random(both, 4, seed=1)
    table = Table()
    view = table.slice[2:10, ("a", "c")].concat(table.slice[[0, 3, 5], ("a", "c")])
    more = (
        table.transform(("s", "c"), lambda a, b, c: (a + b, c))
        .join(table.transform_batch("d", lambda a, b, c: a - b))
        .slice[:, ("d", "c")]
    )
    losses = []
    for k in range(STEPS):
        train, _ = folds[k % 4]
        batch = next(iterators.SerialIterator(train, 6, shuffle=False))
        d = chainer.dataset.concat_examples(batch, padding=None)
        y = model(d["x"])
        loss = F.mean(F.softmax_cross_entropy(y, d["t"], reduce="no") * d["w"])
        a, c = view.slice[k : k + 2].concat(view.asdict().astuple().slice[[9]]).fetch()
        loss += F.softmax_cross_entropy(model(np.asarray(a)), np.asarray(c))
        s, c = chainer.dataset.concat_examples([more[i] for i in range(k, k + 2)])
        loss += F.softmax_cross_entropy(model(s), c)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(loss)
    return losses


@program
def classifiers_of_every_call():
    """Classifiers with names of labels, several inputs, losses of their own; dictionaries and tuples from datasets."""

    class Two(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.a, self.b = L.Linear(4, 6), L.Linear(None, 3)

        def forward(self, image, extra):
            return self.b(F.hstack([F.sigmoid(self.a(image)), extra]))

    model = L.Classifier(Two(), lossfun=lambda y, t: F.softmax_cross_entropy(y, t, normalize=False), label_key="answer")
    data = [{"image": normal(4), "extra": normal(2), "answer": np.int32(k % 3)} for k in range(12)]
    optimizer = optimizers.SGD(0.1).setup(model)
    updater = training.StandardUpdater(iterators.SerialIterator(data, 4), optimizer)
    trainer = training.Trainer(updater, (6, "iteration"), out=tempfile.mkdtemp())
    trainer.extend(
        training.extensions.Evaluator(iterators.SerialIterator(data, 5, False, False), model), trigger=(1, "iteration")
    )
    trainer.extend(training.extensions.LogReport(trigger=(1, "iteration")))
    trainer.run()
    losses = [e["main/loss"] + e["validation/main/accuracy"] for e in trainer.get_extension("LogReport").log]
    other = L.Classifier(Two(), F.mean_squared_error, None, label_key=0)
    other.compute_accuracy = False
    optimizer = optimizers.RMSprop(0.01).setup(other)
    pairs = datasets.TransformDataset(data, lambda e: (np.eye(3, dtype="f")[e["answer"]], e["image"], e["extra"]))
    iterator = iterators.SerialIterator(pairs, 6, order_sampler=lambda order, position: np.arange(12)[::-1])
    for _ in range(4):
        optimizer.update(other, *chainer.dataset.concat_examples(next(iterator)))
        losses.append(other.loss + F.sum(other.y) * 0.1)
    return losses
