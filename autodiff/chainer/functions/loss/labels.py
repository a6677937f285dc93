"""Labels of classes, and whether they are that."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.source import at_user_line


def every(counts: Any) -> bool:
    """Whether it is known that all labels count."""
    return type(counts) is np.ndarray and bool(counts.all())


def check_labels(labels: Any, classes: int, ignore_label: int | None) -> None:
    """See that labels, which are known and on the CPU, are classes.

    Raises:
        IndexError: if one is not.
    """
    if type(labels) is not np.ndarray or not labels.size or labels.dtype.kind not in "iu":
        return
    if labels.view(f"u{labels.dtype.itemsize}").max() >= classes:
        wrong = labels[(labels < 0) | (labels >= classes)][0]
        raise IndexError(
            f"the label {wrong} is none of the {classes} classes"
            f"{f' 0 to {classes - 1}' if classes else ''}{at_user_line()}"
            + ("" if ignore_label is None else f", and not ignore_label, which is {ignore_label}")
        )
