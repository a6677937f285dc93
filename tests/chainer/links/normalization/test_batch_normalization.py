"""The links BatchNormalization and BatchRenormalization: shapes, running values, finetuning, files."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import numpy as np
import pytest

import autodiff.chainer.links as L
from autodiff.chainer.functions.util.forget import forget
from autodiff.chainer.serializers import load_npz, save_npz
from autodiff.facade import InvalidType, Variable
from autodiff.facade.settings.configuration import mixed16, using_config

X = np.array([[0, 1, 2], [2, 1, 4], [4, 1, 0]], "f")
KINDS = [L.BatchNormalization, L.BatchRenormalization]


def fill_with_two(array: Any) -> None:
    array.fill(2)


@pytest.mark.parametrize("kind", KINDS)
def test_texts_and_saved_values(kind: Any):
    link = kind(3, decay=0.5, eps=0.1)
    assert str(link) == f"{kind.__name__}(size=3, decay=0.5, eps=0.1, dtype=float32, use_gamma=True, use_beta=True)"
    file = io.BytesIO()
    save_npz(file, link)
    assert sorted(np.load(io.BytesIO(file.getvalue()))) == ["N", "avg_mean", "avg_var", "beta", "gamma"]


@pytest.mark.parametrize("kind", KINDS)
def test_running_values_follow(kind: Any):
    link = kind(3)
    link(X)
    np.testing.assert_allclose(link.avg_mean, [0.2, 0.1, 0.2], rtol=1e-6)
    np.testing.assert_allclose(link.avg_var, [1.3, 0.9, 1.3], rtol=1e-5)
    with using_config("train", False):
        y = link(X).array
    np.testing.assert_allclose(y, (X - link.avg_mean) / np.sqrt(link.avg_var + 2e-5), rtol=1e-6)
    np.testing.assert_allclose(link.avg_mean, [0.2, 0.1, 0.2], rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_finetuning_averages_over_all_batches(kind: Any):
    link = kind(3)
    link(X + 100)
    link.start_finetuning()
    for shift in (0, 1, 2):
        link(X + shift, finetune=True)
    assert link.N == 3
    np.testing.assert_allclose(link.avg_mean, [3, 2, 3], rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_forward_for_backward_changes_nothing(kind: Any):
    link = kind(3)
    x = Variable(X)
    y = forget(link, x)
    before = link.avg_mean.copy()
    y[0, 0].backward()
    np.testing.assert_array_equal(link.avg_mean, before)
    with using_config("in_recomputing", True):
        link(X, finetune=True)
    assert link.N == 0


def test_the_size_is_learned_from_the_first_input():
    link = L.BatchNormalization(axis=(0, 2), initial_avg_mean=np.array([1, 2]), initial_gamma=3)
    assert str(link).startswith("BatchNormalization(size=None, ")
    assert link.avg_mean is None
    with using_config("train", False):
        y = link(np.ones((4, 2, 5), "f"))
    np.testing.assert_allclose(y.array[0, :, 0], [0, -3], rtol=1e-4)
    assert link.gamma.shape == link.beta.shape == link.avg_var.shape == (2,)


def test_axes_may_be_one_number():
    link = L.BatchNormalization(axis=0)
    assert link(np.ones((4, 2, 5), "f")).shape == (4, 2, 5)
    assert link.gamma.shape == (2, 5)


def test_files_give_sizes():
    file = io.BytesIO()
    trained = L.BatchNormalization(3)
    trained(X)
    save_npz(file, trained)
    link = L.BatchNormalization(axis=0)
    load_npz(io.BytesIO(file.getvalue()), link)
    np.testing.assert_array_equal(link.avg_mean, trained.avg_mean)
    assert link.gamma.shape == (3,)
    assert link(X).shape == (3, 3)


def test_without_scale_and_shift():
    link = L.BatchNormalization(3, use_gamma=False, use_beta=False)
    assert list(link.params()) == []
    assert str(link).endswith("use_gamma=False, use_beta=False)")
    assert link.gamma is link.beta is None
    np.testing.assert_allclose(link(X).array, L.BatchNormalization(3)(X).array)


@pytest.mark.parametrize(
    ("dtype", "wanted"), [(np.dtype("e"), "e"), (np.dtype("f"), "f"), (np.dtype("d"), "d"), (mixed16, "f")]
)
def test_dtypes(dtype: Any, wanted: str):
    with using_config("dtype", dtype):
        link = L.BatchNormalization(3)
        assert link.gamma.dtype == link.beta.dtype == link.avg_mean.dtype == link.avg_var.dtype == np.dtype(wanted)
        assert link(X).dtype == np.float32
    assert L.BatchNormalization(3, dtype="e").gamma.dtype == np.float16


def test_initial_values():
    link = L.BatchNormalization(
        2, initial_gamma=fill_with_two, initial_beta=np.array([1, 2]), initial_avg_mean=3, initial_avg_var=4
    )
    assert [link.gamma.array.tolist(), link.beta.array.tolist()] == [[2, 2], [1, 2]]
    assert [link.avg_mean.tolist(), link.avg_var.tolist()] == [[3, 3], [4, 4]]
    assert link.gamma.dtype == np.float32


def test_batch_renormalization_takes_initial_running_values():
    link = L.BatchRenormalization(2, initial_avg_mean=3, initial_avg_var=4)
    assert [link.avg_mean.tolist(), link.avg_var.tolist()] == [[3, 3], [4, 4]]


def test_copies_have_their_own_running_values():
    link = L.BatchNormalization(3, initial_gamma=fill_with_two)
    for other in (pickle.loads(pickle.dumps(link)), copy.deepcopy(link), link.copy("copy"), link.copy("init")):
        other(X)
        assert other.avg_mean[0] > 0
    assert link.avg_mean[0] == 0


def test_wrong_arguments():
    text = r"^size or axis is required \(test_batch_normalization.py:\d+\): the number of channels, or what to average$"
    with pytest.raises(RuntimeError, match=text):
        L.BatchNormalization()
    with pytest.raises(ValueError, match=r"^test= is gone; use chainer.using_config\('train', value\) \(.*:\d+\)"):
        L.BatchNormalization(3)(X, test=True)
    with pytest.raises(TypeError, match=r"^forward\(\) got unexpected keyword argument\(s\) 'train' \(.*:\d+\)$"):
        L.BatchNormalization(3)(X, train=True)
    with pytest.raises(InvalidType, match=r"in_types\[0\].shape\[1\] == in_types\[1\].shape\[0\]"):
        L.BatchNormalization(4)(X)
    with pytest.raises(RuntimeError, match=r"^axis must be in ascending order, got \(1, 0\) "):
        L.BatchNormalization(axis=(1, 0))(X)
