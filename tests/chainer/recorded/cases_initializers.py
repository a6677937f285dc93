"""Initializers: the same numbers from NumPy's generator at the same state."""

import numpy as np

from tests.chainer.recorded.case import ScriptCase
from tests.chainer.recorded.names import I, chainer

SHAPES = ((3, 2), (2, 3, 2, 2), (4, 4))
EVERY = (
    I.Normal, I.LeCunNormal, I.GlorotNormal, I.HeNormal, I.Uniform, I.LeCunUniform, I.GlorotUniform, I.HeUniform, I.Orthogonal,
)  # fmt: skip


def filled(name, make, *shapes, dtypes="fde"):
    """Arrays that the initializer fills, one after the other."""
    return Script(name, make, shapes, dtypes)


class Script(ScriptCase):
    def __init__(self, name, make, shapes, dtypes):
        super().__init__(name, self.fill, (), dtypes, tolerance=1 if "Orthogonal" in name else 0)
        self.make, self.shapes = make, shapes

    def facts(self, dtype):
        initializer, facts = self.make(), {}
        for shape in self.shapes:
            array = np.empty(shape, dtype)
            initializer(array)
            facts[str(shape)] = array
        return facts

    def fill(self):
        raise NotImplementedError


def generated(name, make, shape):
    return ScriptCase(name, lambda: {"array": I.generate_array(make(), shape, np)})


def through_config(dtype):
    with chainer.using_config("dtype", dtype):
        return {
            "array": I.generate_array(I.Normal(), (2, 2), np),
            "given": I.generate_array(I.One(dtype="d"), (2,), np),
        }


def parameters(dtype):
    """The dtype of parameters that are made of numbers, at once or later."""
    later = chainer.Parameter(0.5)
    with chainer.using_config("dtype", dtype):
        later.initialize((2,))
        return {"now": chainer.Parameter(1, (2,)), "later": later, "nan": chainer.Parameter(None, (2,))}


CASES = [
    *(filled(kind.path[-1], kind, *SHAPES) for kind in EVERY),
    *(filled(f"{kind.path[-1]} scale", lambda kind=kind: kind(2.5), *SHAPES) for kind in EVERY),
    filled("HeNormal fan_out", lambda: I.HeNormal(fan_option="fan_out"), *SHAPES),
    filled("Orthogonal embedding", lambda: I.Orthogonal(mode="embedding"), (4, 2)),
    filled("Orthogonal projection", lambda: I.Orthogonal(mode="projection"), (2, 4)),
    filled("Orthogonal basis", lambda: I.Orthogonal(mode="basis"), (3, 3)),
    filled("Constant", lambda: I.Constant(0.75), (2, 3)),
    filled("Constant array", lambda: I.Constant(np.arange(3.0)), (2, 3)),
    filled("Zero", I.Zero, (2,)),
    filled("One", I.One, (2,)),
    filled("NaN", I.NaN, (2,)),
    filled("Identity", lambda: I.Identity(2.0), (3, 3)),
    filled("UpsamplingDeconvFilter", I.UpsamplingDeconvFilter, (2, 2, 4, 4)),
    filled("DownsamplingConvFilter", I.DownsamplingConvFilter, (2, 2, 4, 4)),
    generated("generate_array", lambda: I.Uniform(0.5), (2, 3)),
    generated("generate_array dtype", lambda: I.Uniform(0.5, dtype="d"), (2, 3)),
    ScriptCase("config float16", lambda: through_config(np.float16)),
    ScriptCase("parameters float16", lambda: parameters(np.float16)),
    ScriptCase("parameters float64", lambda: parameters(np.float64)),
    ScriptCase("config float64", lambda: through_config(np.float64)),
]
