"""Makes the snapshots of this folder. Run it with Chainer 7.8.1 and h5py, in this folder: ``python make.py``."""

import pickle

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import serializers
from chainer.iterators import MultithreadIterator, SerialIterator


class Model(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(3, 2)
            self.bn = L.BatchNormalization(2)
            self.lazy = L.Linear(None, 1)
        self.add_persistent("rate", 0.5)
        self.add_persistent("nothing", None)
        self.add_persistent("text", "abc")


def filled(model):
    for number, (_, param) in enumerate(sorted(model.namedparams())):
        if param.is_initialized:
            param.array[...] = np.arange(param.size).reshape(param.shape) + number
    return model


model = filled(Model())
serializers.save_npz("model.npz", model)

del model.text  # HDF5 files of Chainer hold no texts
model._persistent.discard("text")
serializers.save_hdf5("model.h5", model)

optimizer = chainer.optimizers.Adam().setup(filled(L.Linear(3, 2)))
for param in optimizer.target.params():
    param.grad = np.ones_like(param.array)
optimizer.update()
serializers.save_npz("adam.npz", optimizer)

for kind in (SerialIterator, MultithreadIterator):
    np.random.seed(0)  # noqa: NPY002 - the random numbers that Chainer takes
    iterator = kind(list(range(7)), 3)
    for _ in range(3):
        iterator.next()
    serializers.save_npz(kind.__name__ + ".npz", iterator)
    iterator.finalize()

summary = chainer.reporter.DictSummary()
for loss in (1.0, 2.0, 6.0):
    summary.add({"main/loss": np.float32(loss)})
serializers.save_npz("summary.npz", summary)

model = L.Classifier(chainer.Sequential(filled(L.Linear(3, 2)), F.tanh, filled(L.Linear(2, 2))))
optimizer = chainer.optimizers.Adam(0.125).setup(model)
optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.25))
optimizer.update(model, np.eye(3, dtype=np.float32), np.array([0, 1, 1]))
pickled = {
    "variable": chainer.Variable(np.arange(3, dtype=np.float32), name="x", grad=np.ones(3, np.float32)),
    "constant": chainer.Variable(np.arange(3), requires_grad=False),
    "parameter": chainer.Parameter(np.ones(2, np.float32), name="p"),
    "lazy": L.Linear(None, 2, initialW=0.5),
    "cleared": chainer.Parameter(0.5),
    "optimizer": pickle.loads(pickle.dumps(optimizer)),
}
pickled["parameter"].cleargrad()
pickled["cleared"].cleargrad()
optimizer.update(model, np.eye(3, dtype=np.float32), np.array([0, 1, 1]))
pickled["updated"] = [param.array for _, param in sorted(model.namedparams())]
with open("objects.pickle", "wb") as file:
    pickle.dump(pickled, file)
