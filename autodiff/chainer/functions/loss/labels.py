"""Labels of classes, and whether they are that."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.backends import gpu
from autodiff.chainer.functions.picking import are_classes
from autodiff.facade.compiled.recorder import assumed, required
from autodiff.facade.settings.configuration import config
from autodiff.trace.source import at_user_line
from autodiff.trace.tracer import Tracer


def every(counts: Any) -> bool:
    """Whether it is known that all labels count."""
    if type(counts) is np.ndarray:
        return bool(counts.all())
    return assumed(lambda: np.all(counts))


def check_labels(labels: Any, classes: int, ignore_label: int | None) -> None:
    """See that labels are classes. Where only their specs are known they are looked at later.

    Labels on a GPU are looked at in debug mode alone, since the program would wait for them.

    Raises:
        IndexError: if one is not.
    """
    if isinstance(labels, Tracer):
        required(lambda: are_classes(labels, classes))
    known = type(labels) is np.ndarray or (config.debug and gpu.is_gpu_array(labels))
    if not known or not labels.size or labels.dtype.kind not in "iu":
        return
    if labels.view(f"u{labels.dtype.itemsize}").max() >= classes:
        wrong = labels[(labels < 0) | (labels >= classes)][0]
        raise IndexError(
            f"the label {wrong} is none of the {classes} classes"
            f"{f' 0 to {classes - 1}' if classes else ''}{at_user_line()}"
            + ("" if ignore_label is None else f", and not ignore_label, which is {ignore_label}")
        )
