"""Links to test with."""

import numpy as np

from autodiff.chainer.link import Chain, Link
from autodiff.facade import Parameter


class Linear(Link):
    """x W' + b, with W filled by 0.5."""

    def __init__(self, in_size, out_size=None):
        super().__init__()
        if out_size is None:
            in_size, out_size = None, in_size
        self.in_size, self.out_size = in_size, out_size
        with self.init_scope():
            self.W = Parameter(0.5)
            self.b = Parameter(0, (out_size,))
        if in_size is not None:
            self._initialize_params(in_size)

    @property
    def printable_specs(self):
        yield from (("in_size", self.in_size), ("out_size", self.out_size))

    def _initialize_params(self, in_size):
        self.W.initialize((self.out_size, in_size))

    def forward(self, x):
        if self.W.array is None:
            self._initialize_params(x.shape[1])
        return x @ self.W.T + self.b


class Plain(Link):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.W = Parameter(np.arange(3, dtype=np.float32))
            self.late = Parameter(2.0)
        self.add_persistent("mean", np.ones(2))
        self.add_persistent("count", 4)

    def forward(self, x):
        return x + 1


class Model(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l2 = Linear(3, 2)
            self.l1 = Linear(4)
            self.z = Parameter(1.0, (2,))
            self.number = 5


class Recorder:
    """A serializer that notes what it is given."""

    def __init__(self, path="", notes=None):
        self.path, self.notes = path, [] if notes is None else notes

    def __getitem__(self, key):
        return Recorder(f"{self.path}{key}/", self.notes)

    def __call__(self, key, value):
        self.notes.append((self.path + key, value))
        return value


class Loader:
    """A serializer that gives back what it was made of."""

    def __init__(self, values, path=""):
        self.values, self.path = values, path

    def __getitem__(self, key):
        return Loader(self.values, f"{self.path}{key}/")

    def __call__(self, key, value):
        loaded = self.values[self.path + key]
        if isinstance(value, np.ndarray):
            value[...] = loaded
            return value
        return loaded
