"""When triggers fire; the numbers were seen on Chainer 7.8.1."""

import re

import pytest

from autodiff.chainer.training import get_trigger
from autodiff.chainer.training.triggers import (
    BestValueTrigger,
    EarlyStoppingTrigger,
    IntervalTrigger,
    ManualScheduleTrigger,
    MaxValueTrigger,
    MinValueTrigger,
    OnceTrigger,
    TimeTrigger,
)


@pytest.mark.parametrize(
    ("period", "unit", "fired"),
    [
        (1, "epoch", [3, 6, 9, 12]),
        (0.5, "epoch", [2, 3, 5, 6, 8, 9, 11, 12]),
        (3, "iteration", [3, 6, 9, 12]),
        (2.5, "iteration", [3, 5, 8, 10]),
    ],
)
def test_interval(clock, period, unit, fired):
    assert clock.times(IntervalTrigger(period, unit), 12) == fired


def test_an_epoch_that_is_no_multiple_of_iterations(make_clock):
    assert make_clock(2.7).times(IntervalTrigger(1, "epoch"), 12) == [3, 6, 9, 11]


def test_interval_that_is_asked_every_third_iteration_only(make_clock):
    clock = make_clock(7)
    trigger = IntervalTrigger(1, "epoch")
    assert clock.times(lambda now: now.iteration % 3 == 1 and trigger(now), 24) == [7, 16, 22]


def test_interval_goes_on_from_a_snapshot(clock, through_file):
    trigger = IntervalTrigger(2, "epoch")
    clock.times(trigger, 5)
    resumed = through_file(trigger, IntervalTrigger(2, "epoch"))
    assert clock.times(resumed, 7) == [6, 12]


def test_interval_from_a_snapshot_without_its_state(clock):
    clock.times(lambda now: False, 4)
    trigger = IntervalTrigger(1, "epoch")
    with pytest.warns(UserWarning, match="the snapshot does not hold when IntervalTrigger was asked last"):
        trigger.serialize(nothing)
    assert clock.times(trigger, 5) == [6, 9]  # not in iteration 5, though the trigger begins with iteration 0


def nothing(key, value):
    """A snapshot of an old version."""
    raise KeyError(key)


def test_schedule_from_a_snapshot_without_its_state(clock):
    clock.times(lambda now: False, 4)
    trigger = ManualScheduleTrigger([2, 7], "iteration")
    trigger.finished = True
    with pytest.warns(UserWarning, match="the snapshot does not hold when ManualScheduleTrigger was asked last"):
        trigger.serialize(nothing)
    assert (clock.times(trigger, 2), trigger.finished) == ([], False)
    assert (clock.times(trigger, 2), trigger.finished) == ([7], True)


def test_once_from_a_snapshot_without_its_state(clock):
    trigger = OnceTrigger()
    with pytest.warns(UserWarning, match="the snapshot does not hold whether OnceTrigger has fired"):
        trigger.serialize(nothing)
    assert clock.times(trigger, 3) == []


def test_an_updater_that_counts_no_epochs(clock):
    class Now:
        class updater:
            iteration = 3

    trigger = IntervalTrigger(3, "iteration")
    assert trigger(Now)


def test_interval_as_text_and_length():
    trigger = IntervalTrigger(20, "epoch")
    assert str(trigger) == "IntervalTrigger(20, 'epoch')"
    assert trigger.get_training_length() == (20, "epoch")


@pytest.mark.parametrize("make", [IntervalTrigger, ManualScheduleTrigger])
def test_unknown_unit(make):
    text = r"^Trigger unit must be either 'epoch' or 'iteration', got 'minute' \(test_triggers.py:\d+\)$"
    with pytest.raises(ValueError, match=text):
        make(1, "minute")


def test_period_that_is_not_positive():
    with pytest.raises(ValueError, match=r"^the period of a trigger must be positive, got 0 \(test_\w+\.py:\d+\)$"):
        IntervalTrigger(0, "epoch")


@pytest.mark.parametrize(
    ("points", "unit", "fired"),
    [
        ([1, 2.5], "epoch", [3, 8]),
        (4, "iteration", [4]),
        ([2, 3, 9], "iteration", [2, 3, 9]),
        ((2, 5), "iteration", [2, 5]),
    ],
)
def test_manual_schedule(clock, through_file, points, unit, fired):
    trigger = ManualScheduleTrigger(points, unit)
    assert clock.times(trigger, 9) == fired
    assert trigger.finished
    assert through_file(trigger, ManualScheduleTrigger(points, unit)).finished


def test_once(clock, through_file):
    trigger = OnceTrigger()
    assert not trigger.finished
    assert clock.times(trigger, 5) == [1]
    assert trigger.finished
    assert clock.times(through_file(trigger, OnceTrigger()), 5) == []
    assert clock.times(through_file(trigger, OnceTrigger(call_on_resume=True)), 5) == [11]


def test_time(clock, through_file):
    trigger = TimeTrigger(1.5)
    assert clock.times(trigger, 7) == [3, 5, 7]
    assert clock.times(through_file(trigger, TimeTrigger(1.5)), 5) == [9, 11]


VALUES = [5, 4, 3, 3.5, 3.6, 3.7, 2, 2, 2, 2, 2, 2, 1, 1, 1]


@pytest.mark.parametrize(
    ("make", "fired"),
    [
        (MinValueTrigger, [2, 4, 8, 14]),
        (MaxValueTrigger, [2]),
        (lambda key, trigger: BestValueTrigger(key, lambda best, new: new < best - 1, trigger), [2, 4, 8]),
    ],
)
def test_best_value_of_means_over_two_iterations(clock, make, fired):
    assert clock.times(make("loss", trigger=(2, "iteration")), 15, loss=VALUES) == fired


def test_best_value_goes_on_from_a_snapshot(clock, through_file):
    trigger = MaxValueTrigger("accuracy")
    assert clock.times(trigger, 4, accuracy=[0, 0, 6, 9]) == [3]
    resumed = through_file(trigger, MaxValueTrigger("accuracy"))
    assert clock.times(resumed, 2, accuracy=[0, 0]) == [6]  # (9 + 0 + 0) / 3 > (0 + 0 + 6) / 3


def test_best_value_that_is_not_reported(clock):
    with pytest.warns(
        UserWarning, match="^'loss' was not reported since the trigger was checked last, so it does not fire"
    ):
        assert clock.times(MinValueTrigger("loss"), 3) == []


@pytest.mark.parametrize(
    ("keywords", "fired"),
    [
        ({}, [6, 10, 11, 12]),
        ({"patients": 5}, [12]),
        ({"mode": "max"}, [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
        ({"patience": 1, "check_trigger": (2, "iteration")}, [6, 10, 12]),
        ({"max_trigger": (3, "iteration")}, [3, 6, 9, 12, 15]),
    ],
)
def test_early_stopping(clock, keywords, fired):
    trigger = EarlyStoppingTrigger(**{"check_trigger": (1, "iteration"), "monitor": "loss"} | keywords)
    assert clock.times(trigger, 15, loss=VALUES) == fired


@pytest.mark.parametrize(
    ("mode", "monitor", "best"),
    [
        ("auto", "main/loss", float("inf")),
        ("auto", "validation/main/accuracy", float("-inf")),
        ("auto", "acc", float("inf")),
        ("max", "loss", float("-inf")),
        ("min", "accuracy", float("inf")),
    ],
)
def test_early_stopping_knows_which_is_better(mode, monitor, best):
    assert EarlyStoppingTrigger(mode=mode, monitor=monitor).best == best


def test_early_stopping_says_what_happens(clock, capsys):
    trigger = EarlyStoppingTrigger((1, "iteration"), "loss", 2, verbose=True)
    clock.times(trigger, 3, loss=[1, 2, 3])
    assert capsys.readouterr().out == "early stopping: operator is less\nEpoch 1: early stopping\n"


def test_early_stopping_without_the_value(clock):
    with pytest.warns(UserWarning, match=r"^'loss' was not reported since"):
        assert clock.times(EarlyStoppingTrigger(monitor="loss"), 3) == []


def test_early_stopping_with_both_spellings():
    with pytest.raises(TypeError, match=r"^both patience= and patients= are given"):
        EarlyStoppingTrigger(patience=1, patients=2)


def test_early_stopping_knows_the_longest_training():
    assert EarlyStoppingTrigger(max_trigger=(7, "epoch")).get_training_length() == (7, "epoch")


def test_get_trigger():
    assert get_trigger((3, "epoch")).get_training_length() == (3, "epoch")
    assert get_trigger([3, "epoch"]).get_training_length() == (3, "epoch")
    assert get_trigger(len) is len
    assert not get_trigger(None)("any trainer")


@pytest.mark.parametrize("wrong", [3, (1, "epoch", "more"), ()])
def test_what_is_no_trigger(wrong):
    text = f"a trigger must be a function of the trainer or a pair such as (1, 'epoch'), got {wrong!r}"
    with pytest.raises(TypeError, match=rf"^{re.escape(text)} \(test_triggers.py:\d+\)$"):
        get_trigger(wrong)
