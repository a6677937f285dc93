"""What all iterators do; batches and states are those of Chainer 7.8.1 (see make_batches.py)."""

import copy
import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from autodiff.chainer.iterators import (
    DaliIterator,
    MultiprocessIterator,
    MultithreadIterator,
    OrderSampler,
    SerialIterator,
    ShuffleOrderSampler,
)
from autodiff.chainer.serializers import DictionarySerializer, NpzDeserializer

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")

CASES = json.loads((Path(__file__).parent / "batches_of_chainer.json").read_text())


def serial(*args, **kwargs):
    return SerialIterator(*args, **kwargs)


def threads(*args, **kwargs):
    return MultithreadIterator(*args, n_threads=2, **kwargs)


def processes(*args, **kwargs):
    return MultiprocessIterator(*args, n_processes=1, **kwargs)


everyone = pytest.mark.parametrize("make", [serial, threads, processes])


def seed(number):
    np.random.seed(number)  # noqa: NPY002 - the random numbers that iterators take


def state(iterator):
    detail = iterator.epoch_detail, iterator.previous_epoch_detail
    return [iterator.epoch, iterator.is_new_epoch, *detail, iterator.current_position]


def check(make, size, batch_size, shuffle, repeat, rows):
    seed(100 * size + batch_size)
    with make(list(range(size)), batch_size, repeat=repeat, shuffle=shuffle) as iterator:
        for row in rows:
            if row is None:
                with pytest.raises(StopIteration):
                    iterator.next()
            else:
                assert [iterator.next(), *state(iterator)] == row


@pytest.mark.parametrize("make", [serial, threads])
@pytest.mark.parametrize(("size", "batch_size", "shuffle", "repeat", "rows"), CASES)
def test_batches_are_chainers(make, size, batch_size, shuffle, repeat, rows):
    check(make, size, batch_size, shuffle, repeat, rows)


@pytest.mark.parametrize(("size", "batch_size", "shuffle", "repeat", "rows"), CASES[30:60:7])
def test_batches_of_processes_are_chainers(size, batch_size, shuffle, repeat, rows):
    check(processes, size, batch_size, shuffle, repeat, rows)


@everyone
def test_the_beginning(make):
    with make(range(7), 3, shuffle=False) as iterator:
        assert state(iterator) == [0, False, 0.0, None, 0]
        assert (iterator.batch_size, iterator.repeat, iterator.dataset) == (3, True, range(7))


@everyone
def test_the_end_stays_until_reset(make):
    with make(range(4), 3, repeat=False, shuffle=False) as iterator:
        assert list(iterator) == [[0, 1, 2], [3]]
        assert list(iterator) == []
        assert state(iterator) == [1, True, 1.0, 1.0, 0]
        iterator.reset()
        assert state(iterator) == [0, False, 0.0, None, 0]
        assert list(iterator) == [[0, 1, 2], [3]]


@everyone
def test_batches_go_on_after_reset_and_finalize(make):
    seed(0)
    with make(range(7), 3) as iterator:
        assert [iterator.next() for _ in range(3)] == [[6, 2, 1], [3, 0, 5], [4, 1, 0]]
        iterator.finalize()
        assert [iterator.next() for _ in range(2)] == [[6, 3, 4], [2, 5, 6]]
        iterator.reset()
        assert sorted(iterator.next() + iterator.next() + iterator.next()[:1]) == list(range(7))


@everyone
def test_a_state_is_saved_and_loaded(make):
    seed(1)
    with make(range(7), 3) as first, make(range(7), 3) as second:
        for _ in range(3):
            first.next()
        serializer = DictionarySerializer()
        first.serialize(serializer)
        second.next()
        second.serialize(NpzDeserializer(serializer.target))
        assert state(second) == state(first)
        assert second.next() == first.next()


KEYS = ["current_position", "epoch", "is_new_epoch"]


@pytest.mark.parametrize(
    ("make", "shuffled", "plain"),
    [(serial, ["order"], []), (threads, ["_order"], ["_order"]), (processes, ["order"], [])],
)
def test_keys_are_chainers(make, shuffled, plain):
    for shuffle, order in ((True, shuffled), (False, plain)):
        serializer = DictionarySerializer()
        make(range(3), 2, shuffle=shuffle).serialize(serializer)
        assert list(serializer.target) == [*KEYS, *order, "previous_epoch_detail"]
        assert serializer.target["previous_epoch_detail"] == -1.0


@everyone
def test_snapshots_without_previous_epoch_detail(make):
    old = {"current_position": 2, "epoch": 1, "is_new_epoch": True, "order": np.arange(7)}
    old = {key: np.asarray(value) for key, value in old.items()}
    with make(range(7), 3) as iterator:
        iterator.serialize(NpzDeserializer(old))
        assert state(iterator) == [1, True, 1 + 2 / 7, 0.8571428571428572, 2]
        assert iterator.next() == [2, 3, 4]


def test_a_state_of_another_dataset_is_an_error():
    serializer = DictionarySerializer()
    serial(range(7), 3).serialize(serializer)
    with pytest.raises(ValueError, match=re.escape("order has shape (7,) in the file and (8,) in the object")):
        serial(range(8), 3).serialize(NpzDeserializer(serializer.target))


@everyone
def test_copies_go_their_own_way(make):
    with make(range(7), 3, shuffle=False) as iterator:
        iterator.next()
        with copy.copy(iterator) as copied:
            assert copied.next() == [3, 4, 5]
            assert iterator.next() == [3, 4, 5]
            assert copied.next() == [6, 0, 1]


@everyone
def test_order_samplers(make):
    calls = []

    def reverse(order, position):
        calls.append((order.tolist(), position))
        return order[::-1].copy()

    with make(range(5), 3, order_sampler=reverse) as iterator:
        assert [iterator.next() for _ in range(3)] == [[4, 3, 2], [1, 0, 0], [1, 2, 3]]
    assert calls[:2] == [([0, 1, 2, 3, 4], 0), ([4, 3, 2, 1, 0], 3)]


def test_an_order_of_another_length_is_an_error():
    iterator = serial(range(5), 3, order_sampler=lambda order, position: np.arange(3 if position else 5))
    iterator.next()
    with pytest.raises(ValueError, match="the order sampler returned 3 numbers after an order of 5"):
        iterator.next()


def test_shuffling_follows_a_random_state():
    sampler = ShuffleOrderSampler(np.random.RandomState(0))
    assert sampler(np.arange(6), 0).tolist() == [5, 2, 1, 3, 0, 4]
    seed(0)
    assert copy.deepcopy(ShuffleOrderSampler())(np.arange(6), 0).tolist() == [5, 2, 1, 3, 0, 4]
    assert pickle.loads(pickle.dumps(sampler))(np.arange(6), 0).tolist() == sampler(np.arange(6), 0).tolist()
    with pytest.raises(NotImplementedError, match=r"OrderSampler must define __call__\(current_order"):
        OrderSampler()(np.arange(3), 0)


@everyone
def test_wrong_arguments(make):
    with pytest.raises(ValueError, match="shuffle=True and an order_sampler were given"):
        make(range(5), 3, shuffle=True, order_sampler=ShuffleOrderSampler())
    with pytest.raises(ValueError, match="batch_size must be at least 1, got 0"):
        make(range(5), 0)


@everyone
def test_a_dataset_without_examples(make):
    assert list(make([], 3, repeat=False)) == []
    with pytest.raises(ValueError, match="a dataset without examples cannot be repeated"):
        make([], 3).next()


def test_dali_is_not_there():
    with pytest.raises(NotImplementedError, match=r"chainer\.iterators\.DaliIterator is not implemented"):
        DaliIterator(None)


def test_threads_get_the_next_batch_ahead_of_time():
    asked = []

    class Dataset(list):
        def __getitem__(self, index):
            asked.append(index)
            return index

    with threads(Dataset(range(9)), 3, shuffle=False) as iterator:
        assert iterator.next() == [0, 1, 2]
        iterator.finalize()  # waits for what was asked for
        assert set(asked) <= set(range(6))


def test_errors_of_the_dataset_come_out_of_threads():
    with threads({0: "a", 2: "c", 3: "d"}, 1, shuffle=False) as iterator:
        assert iterator.next() == ["a"]
        with pytest.raises(KeyError, match="1"):
            iterator.next()
        assert iterator.next() == ["c"]
