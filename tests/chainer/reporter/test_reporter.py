import re
import threading

import numpy as np
import pytest

from autodiff.chainer.reporter import Reporter, get_current_reporter, report, report_scope
from autodiff.facade import Variable
from autodiff.facade.settings.configuration import using_config


def test_without_a_reporter_nothing_happens():
    report({"loss": 1})
    report({"loss": 1}, object())
    for use in (get_current_reporter, lambda: report_scope({})):
        with pytest.raises(IndexError, match="no reporter is entered in this thread"):
            use()


def test_observers_prefix_their_values():
    reporter, link, child = Reporter(), object(), object()
    reporter.add_observer("main", link)
    reporter.add_observers("main", [("/l1", child)])
    with reporter:
        assert get_current_reporter() is reporter
        report({"loss": 1})
        report({"loss": 2, "accuracy": 3}, link)
        report({"loss": 4}, child)
    assert reporter.observation == {"loss": 1, "main/loss": 2, "main/accuracy": 3, "main/l1/loss": 4}


def test_the_last_name_of_an_observer_counts():
    reporter, link = Reporter(), object()
    reporter.add_observers("a", [("/b", link), ("/c", link)])
    reporter.report({"loss": 1}, link)
    assert reporter.observation == {"a/c/loss": 1}


def test_an_unknown_observer_is_an_error():
    text = "the reporter has no name for this dict (test_reporter.py"
    with Reporter(), pytest.raises(KeyError, match=re.escape(text)):
        report({"loss": 1}, {})


def test_reporters_nest():
    outer, inner = Reporter(), Reporter()
    with outer:
        with inner:
            report({"a": 1})
            with outer:
                report({"b": 2})
        report({"c": 3})
    assert (outer.observation, inner.observation) == ({"b": 2, "c": 3}, {"a": 1})


def test_scopes_fill_another_dict():
    reporter, first, second = Reporter(), {}, {}
    with reporter:
        report({"a": 1})
        with report_scope(first):
            report({"b": 2})
        with reporter.scope(second):
            report({"c": 3})
        report({"d": 4})
    assert (reporter.observation, first, second) == ({"a": 1, "d": 4}, {"b": 2}, {"c": 3})


def test_a_scope_ends_with_an_error_too():
    reporter = Reporter()
    with pytest.raises(KeyError), reporter.scope({}):
        raise KeyError
    report({"a": 1})
    assert reporter.observation == {}


def test_threads_have_their_own_reporters():
    reporter, seen = Reporter(), []

    def other():
        report({"a": 1})
        with Reporter() as own:
            report({"b": 2})
            seen.append(own.observation)

    with reporter:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert (reporter.observation, seen) == ({}, [{"b": 2}])


def test_variables_are_cut_off_their_graph():
    x = Variable(np.ones(2, np.float32), name="x", grad=np.ones(2, np.float32))
    y = 2 * x
    with Reporter() as reporter:
        report({"x": x, "y": y, "array": x.array})
    observed = reporter.observation
    assert observed["y"].creator is None
    assert y.creator is not None
    assert observed["y"].array is y.array
    assert (observed["x"].name, observed["x"].grad.tolist()) == ("x", [1, 1])
    assert observed["array"] is x.array


def test_variables_keep_their_graph_if_the_configuration_says_so():
    y = 2 * Variable(np.ones(2))
    with Reporter() as reporter, using_config("keep_graph_on_report", True):
        report({"y": y})
    assert reporter.observation["y"] is y
