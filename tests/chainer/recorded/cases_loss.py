"""Losses with their reductions, labels to ignore and weights of classes."""

import numpy as np

from tests.chainer.recorded.arrays import constant, fixed, literal, normal, positive, uniform
from tests.chainer.recorded.differentiation import case, row
from tests.chainer.recorded.names import F

SCORES = normal(4, 3)
LABELS = fixed([1, 0, 2, 1])
IGNORED = fixed([1, -1, 2, -1])
IMAGE_LABELS = fixed([[[0, 1], [2, -1]], [[1, 1], [-1, 0]]])
BINARY = fixed([[1, 0, 1], [0, -1, 1]])
PAIR = (normal(3, 2), normal(3, 2))
BOTH = ("mean", "no")
WEIGHTS = [0.5, 2.0, 1.5]


def weighted(name, **keywords):
    """softmax_cross_entropy with weights of the classes in the scores' dtype."""

    def loss(x, t):
        return F.softmax_cross_entropy(x, t, class_weight=np.array(WEIGHTS, x.dtype), **keywords)

    return case(f"softmax_cross_entropy class_weight {name}", loss, SCORES, IGNORED)


def negative_sampling(name, x, t, weight, samples, **keywords):
    """Negative sampling whose sampler returns fixed samples."""

    def loss(x, w):
        return F.negative_sampling(
            x, np.array(t, "i"), w, lambda shape: np.array(samples, "i"), len(samples[0]) - 1, **keywords
        )

    return case(f"negative_sampling {name}", loss, x, weight)


def crf(name, ys, *inputs, **keywords):
    return case(
        f"crf1d {name}", lambda cost, *xs: F.crf1d(cost, xs, [np.array(y, "i") for y in ys], **keywords), *inputs
    )


def temporal(name, x, t, lengths=None, **keywords):
    """Connectionist temporal classification of scores of shape (time, batch, labels)."""

    def loss(x):
        xs, extra = F.separate(x), dict(keywords)
        if lengths is not None:
            extra.update(input_length=np.array(lengths[0], "i"), label_length=np.array(lengths[1], "i"))
        return F.connectionist_temporal_classification(list(xs), np.array(t, "i"), 0, **extra)

    return case(f"connectionist_temporal_classification {name}", loss, x, tolerance=4)


DRAWN = [[0, 2, 1], [1, 1, 3], [3, 0, 3]]
CASES = [
    row(F.softmax_cross_entropy, SCORES, LABELS, dtypes="fde"),
    *(row(F.softmax_cross_entropy, SCORES, LABELS, enable_double_backprop=True, reduce=reduce) for reduce in BOTH),
    *(row(F.softmax_cross_entropy, SCORES, IGNORED, normalize=flag) for flag in (True, False)),
    *(row(F.softmax_cross_entropy, SCORES, IGNORED, reduce="no", enable_double_backprop=flag) for flag in (True, False)),
    row(F.softmax_cross_entropy, SCORES, IGNORED, enable_double_backprop=True, normalize=False),
    row(F.softmax_cross_entropy, SCORES, LABELS, ignore_label=1),
    row(F.softmax_cross_entropy, SCORES, LABELS, cache_score=False),
    row(F.softmax_cross_entropy, SCORES, fixed([-1, -1, -1, -1]), note="all ignored"),
    row(F.softmax_cross_entropy, normal(2, 3, 2, 2), IMAGE_LABELS, note="images"),
    row(F.softmax_cross_entropy, normal(2, 3, 2, 2), IMAGE_LABELS, note="images", normalize=False),
    row(F.softmax_cross_entropy, normal(2, 3, 2, 2), IMAGE_LABELS, note="images", enable_double_backprop=True),
    row(F.softmax_cross_entropy, literal([[1000.0, 0.0, -1000.0]]), fixed([1]), note="wide"),
    weighted("default"),
    weighted("double", enable_double_backprop=True),
    weighted("no", reduce="no"),
    weighted("sum", normalize=False),
    *(case(f"softmax_cross_entropy soft targets {reduce} {loss}", lambda x, t, reduce=reduce, loss=loss: F.softmax_cross_entropy(x, F.softmax(t).array, reduce=reduce, soft_target_loss=loss), SCORES, normal(4, 3)) for reduce in BOTH for loss in ("cross-entropy", "kl-divergence")),
    row(F.sigmoid_cross_entropy, normal(2, 3), BINARY, dtypes="fde"),
    row(F.sigmoid_cross_entropy, normal(2, 3), BINARY, normalize=False),
    row(F.sigmoid_cross_entropy, normal(2, 3), BINARY, reduce="no"),
    row(F.sigmoid_cross_entropy, literal([[1000.0, -1000.0, 0.0]]), fixed([[1, 1, 0]]), note="wide"),
    row(F.mean_squared_error, *PAIR, dtypes="fde"),
    row(F.mean_absolute_error, *PAIR, dtypes="fde"),
    row(F.squared_error, *PAIR),
    row(F.absolute_error, *PAIR),
    *(row(F.huber_loss, *PAIR, delta=0.75, reduce=reduce) for reduce in ("sum_along_second_axis", "no")),
    row(F.huber_loss, normal(2, 3, 2), normal(2, 3, 2), delta=1.0, dtypes="fde"),
    *(row(F.bernoulli_nll, uniform(0, 1, 2, 3), normal(2, 3), reduce=reduce) for reduce in ("sum", "mean", "no")),
    *(row(F.gaussian_kl_divergence, *PAIR, reduce=reduce) for reduce in ("sum", "mean", "no")),
    *(row(F.gaussian_nll, *PAIR, normal(3, 2), reduce=reduce) for reduce in ("sum", "mean", "no")),
    *(row(F.contrastive, *PAIR, fixed([1, 0, 0]), margin=2.5, reduce=reduce) for reduce in BOTH),
    *(row(F.triplet, *PAIR, normal(3, 2), margin=0.3, reduce=reduce) for reduce in BOTH),
    *(row(F.hinge, SCORES, LABELS, norm=norm, reduce=reduce) for norm in ("L1", "L2") for reduce in BOTH),
    *(row(F.cross_covariance, *PAIR, reduce=reduce) for reduce in ("half_squared_sum", "no")),
    *(row(F.decov, normal(3, 4), reduce=reduce) for reduce in ("half_squared_sum", "no")),
    negative_sampling("sum", normal(3, 2), [1, 0, 2], normal(4, 2), DRAWN),
    negative_sampling("no", normal(3, 2), [1, 0, 2], normal(4, 2), DRAWN, reduce="no"),
    negative_sampling("ignored", normal(3, 2), [1, -1, 2], normal(4, 2), DRAWN),
    negative_sampling("return_samples", normal(3, 2), [1, 0, 2], normal(4, 2), DRAWN, return_samples=True),
    *(case(f"black_out {reduce}", lambda x, w, reduce=reduce: F.black_out(x, np.array([1, 0, 2], "i"), w, np.array(DRAWN, "i"), reduce), normal(3, 2), normal(4, 2)) for reduce in BOTH),
    crf("one length", [[0, 1], [2, 0], [1, 1]], normal(3, 3), normal(2, 3), normal(2, 3), normal(2, 3)),
    crf("lengths", [[0, 1], [2, 0], [1]], normal(3, 3), normal(2, 3), normal(2, 3), normal(1, 3)),
    crf("no", [[0, 1], [2, 0], [1]], normal(3, 3), normal(2, 3), normal(2, 3), normal(1, 3), reduce="no"),
    case("argmax_crf1d", lambda cost, *xs: F.argmax_crf1d(cost, xs), normal(3, 3), normal(2, 3), normal(2, 3), normal(1, 3)),
    temporal("mean", normal(4, 2, 3), [[1, 2], [2, 1]]),
    temporal("no", normal(4, 2, 3), [[1, 2], [2, 2]], reduce="no"),
    temporal("lengths", normal(4, 2, 3), [[1, 2], [2, 0]], ([4, 3], [2, 1])),
    *(row(F.r2_score, normal(4, 2), normal(4, 2), multioutput=how) for how in ("uniform_average", "raw_values")),
    case("discriminative_margin_based_clustering_loss", lambda x: F.discriminative_margin_based_clustering_loss(x, np.array([[[0, 0, 1, 1]] * 2 + [[2, 2, 3, 3]] * 2], "i"), 0.2, 1.5, 2), normal(1, 2, 4, 4)),
    case("mean_squared_error arrays", lambda x, t: F.mean_squared_error(x, t), normal(3), constant([1.0, 0.0, -1.0])),
    case("softmax_cross_entropy int64", lambda x, t: F.softmax_cross_entropy(x, t), SCORES, fixed([1, 0, 2, 1], "q")),
    row(F.softmax_cross_entropy, positive(2, 3), fixed([0, 2]), note="positive"),
]  # fmt: skip
