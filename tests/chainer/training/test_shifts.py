"""Hyperparameters over the time; the numbers were seen on Chainer 7.8.1."""

import pytest

from autodiff.chainer.training import extensions

ROWS = [
    (extensions.ExponentialShift, ("lr", 0.5), {}, [1, 0.5, 0.25, 0.125, 0.0625]),
    (extensions.ExponentialShift, ("lr", 0.5), {"init": 4, "target": 0.7}, [4, 2, 1, 0.7, 0.7]),
    (extensions.ExponentialShift, ("lr", 2), {"target": 5}, [1, 2, 4, 5, 5]),
    (extensions.ExponentialShift, ("lr", 0.5), {"init": -4, "target": -0.7}, [-4, -2, -1, -0.7, -0.7]),
    (extensions.InverseShift, ("lr", 1, 2), {}, [1, 1 / 4, 1 / 9, 1 / 16, 1 / 25]),
    (extensions.InverseShift, ("lr", 1, 2), {"init": 3, "target": 0.5}, [3, 3 / 4, 0.5, 0.5, 0.5]),
    (extensions.LinearShift, ("lr", (2, 5), (1, 4)), {}, [2, 2, 3, 4, 5]),
    (extensions.LinearShift, ("lr", (5, 1), (0, 4)), {}, [5, 4, 3, 2, 1]),
    (extensions.MultistepShift, ("lr", 0.5, [2, 4], 8.0), {}, [8, 8, 4, 4, 2]),
    (extensions.MultistepShift, ("lr", 0.5, [], 8.0), {}, [8, 8, 8, 8, 8]),
    (extensions.PolynomialShift, ("lr", 2, 4), {}, [1, 9 / 16, 4 / 16, 1 / 16, 0]),
    (extensions.PolynomialShift, ("lr", 2, 4), {"target": 0.2}, [1, 9 / 16, 4 / 16, 0.2, 0.2]),
    (extensions.StepShift, ("lr", 0.5, 2), {}, [1, 1, 0.5, 0.5, 0.25]),
    (extensions.StepShift, ("lr", 2, 2), {"init": 3, "target": 7}, [3, 3, 6, 6, 7]),
    (extensions.WarmupShift, ("lr", 0.25, 3, 1.0), {}, [0.25, 0.5, 0.75, 1, 1]),
]


@pytest.mark.parametrize(("kind", "arguments", "keywords", "values"), ROWS)
def test_values(clock, kind, arguments, keywords, values):
    shift = kind(*arguments, **keywords)
    shift.initialize(clock)
    found = [clock.lr]
    for _ in values[1:]:
        shift(clock)
        found.append(clock.lr)
    assert found == pytest.approx(values)


@pytest.mark.parametrize(("kind", "arguments", "keywords", "values"), ROWS)
def test_goes_on_from_a_snapshot(clock, make_clock, through_file, kind, arguments, keywords, values):
    shift = kind(*arguments, **keywords)
    shift.initialize(clock)
    for _ in range(2):
        shift(clock)
    resumed, later = through_file(shift, kind(*arguments, **keywords)), make_clock()
    resumed.initialize(later)
    found = [later.lr]
    for _ in range(2):
        resumed(later)
        found.append(later.lr)
    assert found == pytest.approx(values[2:])


def test_of_a_given_optimizer(clock, make_clock):
    optimizer = make_clock()
    shift = extensions.ExponentialShift("lr", 0.5, optimizer=optimizer)
    shift.initialize(clock)
    shift(clock)
    assert (clock.lr, optimizer.lr) == (1.0, 0.5)


def test_warmup_leaves_the_attribute_alone_afterwards(clock):
    shift = extensions.WarmupShift("lr", 0.5, 1, 1.0)
    shift.initialize(clock)
    shift(clock)
    clock.lr = 0.125
    shift(clock)
    assert clock.lr == 0.125


def test_negative_rate():
    with pytest.raises(
        ValueError, match=r"^ExponentialShift does not support negative rate, got -1 \(test_\w+\.py:\d+\)$"
    ):
        extensions.ExponentialShift("lr", -1)


def test_negative_gamma():
    with pytest.raises(
        ValueError, match=r"^InverseShift does not support negative gamma, got -1 \(test_\w+\.py:\d+\)$"
    ):
        extensions.InverseShift("lr", -1, 1)


def test_keys_in_a_snapshot(make_trainer, tmp_path):
    from autodiff.chainer.serializers.npz import DictionarySerializer

    keys = {}
    for kind, arguments, keywords, _ in ROWS:
        serializer = DictionarySerializer()
        kind(*arguments, **keywords).serialize(serializer)
        keys[kind.__name__] = sorted(serializer.target)
    assert keys == {
        "ExponentialShift": ["_last_value", "_t"],
        "InverseShift": ["_last_value", "_t"],
        "LinearShift": ["_last_value", "_t"],
        "MultistepShift": ["_current_step", "_t"],
        "PolynomialShift": ["_last_value", "_t"],
        "StepShift": ["_last_value", "_t"],
        "WarmupShift": ["_t"],
    }
