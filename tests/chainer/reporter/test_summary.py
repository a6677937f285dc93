import re

import numpy as np
import pytest

from autodiff.chainer.reporter import DictSummary, Summary
from autodiff.chainer.serializers import DictionarySerializer, NpzDeserializer
from autodiff.facade import Variable


def summary_of(*values):
    summary = Summary()
    for value in values:
        summary.add(value)
    return summary


def test_numbers():
    summary = summary_of(1, 2, 4.0)
    assert summary.compute_mean() == 7 / 3
    assert summary.make_statistics() == pytest.approx((7 / 3, 1.2472191289246466), rel=1e-14)


def test_weights():
    summary = Summary()
    summary.add(1, weight=3)
    summary.add(5, weight=2)
    assert summary.make_statistics() == pytest.approx((2.6, 1.9595917942265422), rel=1e-14)


def test_arrays():
    mean, deviation = summary_of(np.array([1, 2]), np.array([3, 4])).make_statistics()
    assert (mean.tolist(), deviation.tolist()) == ([2, 3], [1, 1])
    assert summary_of(np.ones(2, np.float32)).compute_mean().dtype == np.float32


@pytest.mark.parametrize("value", [np.float32(0.1), np.array(0.1, np.float32), np.float16(0.1)])
def test_many_single_numbers_are_added_in_double_precision(value):
    mean, deviation = summary_of(*[value] * 10000).make_statistics()
    assert abs(mean - float(value)) < 1e-12
    assert deviation < 1e-7  # never nan, although rounding can make the variance negative


def test_values_given_are_not_changed():
    array = np.ones(2)
    summary_of(array, array)
    assert array.tolist() == [1, 1]


def test_nothing_has_no_mean():
    with pytest.raises(ZeroDivisionError):
        Summary().compute_mean()


def test_a_dict_takes_what_is_one_number():
    summary = DictSummary()
    summary.add(
        {
            "int": 1,
            "bool": True,
            "single": np.float32(2),
            "array": np.array(3.0),
            "variable": Variable(np.array(4.0)),
            "weighted": (5.0, 2),
            "many": np.ones(1),
            "none": None,
        }
    )
    summary.add({"int": 3, "weighted": (8.0, 1)})
    assert summary.compute_mean() == {
        "int": 2.0,
        "bool": 1.0,
        "single": 2.0,
        "array": 3.0,
        "variable": 4.0,
        "weighted": 6.0,
    }
    assert summary.make_statistics()["int.std"] == 1.0


def test_texts_have_no_mean():
    with pytest.raises(TypeError, match=re.escape("'name' has no mean, it is 'text' (test_summary.py")):
        DictSummary().add({"name": "text"})


def test_dicts_are_serialized_with_chainers_keys():
    summary = DictSummary()
    summary.add({"a": 1.0, "b/c": 2.0})
    summary.add({"b/c": 5.0})
    serializer = DictionarySerializer()
    summary.serialize(serializer)
    assert {key: value.tolist() for key, value in serializer.target.items()} == {
        "_names": '["a", "b/c"]',
        "_summaries/0/_x": 1.0,
        "_summaries/0/_x2": 1.0,
        "_summaries/0/_n": 1,
        "_summaries/1/_x": 7.0,
        "_summaries/1/_x2": 29.0,
        "_summaries/1/_n": 2,
    }
    loaded = DictSummary()
    loaded.add({"other": 1.0})
    loaded.serialize(NpzDeserializer(serializer.target))
    assert loaded.make_statistics() == summary.make_statistics()


@pytest.mark.parametrize("strict", [True, False])
def test_without_stored_names_there_is_a_warning(strict):
    summary = DictSummary()
    summary.add({"a": 1.0})
    with pytest.warns(UserWarning, match="no names of statistics are stored for the summary; it is empty now"):
        summary.serialize(NpzDeserializer({}, strict=strict))
    assert summary.compute_mean() == {}


def test_without_stored_statistics_there_is_a_warning():
    summary = summary_of(1, 3)
    with pytest.warns(UserWarning, match="no statistics are stored for the summary; it stays as it is"):
        summary.serialize(NpzDeserializer({}))
    assert summary.compute_mean() == 2
