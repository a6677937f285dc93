"""Scores of predictions, and functions that forget what they computed."""

from tests.chainer.recorded.arrays import fixed, literal, normal
from tests.chainer.recorded.differentiation import case, row
from tests.chainer.recorded.names import F

SCORES = normal(6, 3)
LABELS = fixed([0, 1, 2, 2, 1, 0])
IGNORED = fixed([0, -1, 2, 2, -1, 0])

CASES = [
    row(F.accuracy, SCORES, LABELS, dtypes="fde"),
    row(F.accuracy, SCORES, IGNORED, ignore_label=-1),
    row(F.accuracy, SCORES, fixed([-1] * 6), ignore_label=-1, note="all"),
    row(F.accuracy, normal(2, 3, 2, 2), fixed([[[0, 1], [2, 0]], [[1, 1], [0, 2]]]), note="images"),
    row(F.accuracy, normal(2, 3, 1), fixed([0, 1]), note="trailing one"),
    row(F.binary_accuracy, normal(2, 3), fixed([[1, 0, 1], [0, -1, 1]])),
    row(F.binary_accuracy, literal([0.0, 0.0, -1.0]), fixed([1, 0, 0]), note="at zero"),
    row(F.classification_summary, SCORES, LABELS),
    row(F.classification_summary, SCORES, IGNORED, label_num=3, beta=2.0),
    row(F.precision, SCORES, LABELS, label_num=3),
    row(F.recall, SCORES, LABELS),
    row(F.f1_score, SCORES, IGNORED, ignore_label=-1),
    row(F.r2_score, normal(4), normal(4)),
    case(
        "r2_score weights",
        lambda x, t: F.r2_score(x, t, sample_weight=None, multioutput="raw_values"),
        normal(4, 2),
        normal(4, 2),
    ),
    case("forget", lambda x, y: F.forget(lambda a, b: F.tanh(a * b) + a, x, y), normal(3), normal(3)),
    case("forget two outputs", lambda x: F.forget(lambda a: (F.exp(a), a * a), x), normal(3)),
]
