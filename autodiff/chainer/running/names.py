"""``import chainer`` gives the modules of autodiff.chainer themselves, under both names."""

from __future__ import annotations

from autodiff.running.same_modules import SameModules

HERE = "autodiff.chainer"

MOVED = {
    "functions.activation": ("functions.rnn", "lstm slstm tree_lstm"),
    "functions.connection": ("functions.rnn", "n_step_gru n_step_lstm n_step_rnn"),
    "links.connection": ("links.rnn", "gru lstm mgu n_step_gru n_step_lstm n_step_rnn peephole tree_lstm zoneoutlstm"),
}
"""Where Chainer 1 to 5 had modules, where they are since Chainer 6, and which."""

RENAMED = {
    "functions.basic_math": "functions.math.basic_math",
    "functions.caffe": "links.caffe",
    "functions.caffe.caffe_function": "links.caffe.caffe_function",
    "functions.pooling_2d": "running.v1.pooling_2d",
    "training.triggers.interval": "training.triggers.interval_trigger",
}
"""Modules with other names in Chainer 1 to 5. Those whose names functions have today are not among them."""

NAMES = SameModules(
    {"chainer": HERE, "chainerx": f"{HERE}.running.chainerx", "chainermn": "autodiff.chainermn"},
    {
        f"{HERE}.{old}.{module}": f"{HERE}.{new}.{module}"
        for old, (new, modules) in MOVED.items()
        for module in modules.split()
    }
    | {f"{HERE}.{old}": f"{HERE}.{new}" for old, new in RENAMED.items()},
)
"""Finds Chainer's modules here."""

SCIPY = SameModules({}, {"scipy.misc": f"{HERE}.running.scipy_misc"})
"""Finds what SciPy had."""


def install() -> None:
    """Let ``import chainer``, ``chainerx`` and ``chainermn`` find the modules here, in this process."""
    NAMES.install()
