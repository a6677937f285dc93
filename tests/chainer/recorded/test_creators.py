"""Creators are of the classes that Chainer's are, and show what Chainer's show."""

import json

import pytest

from autodiff import chainer
from autodiff.chainer.functions.pooling.max_pooling_nd import MaxPoolingND
from tests.chainer.recorded.creators import CREATORS, creator_of, shown
from tests.chainer.recorded.record_creators import FILE

RECORD = json.loads(FILE.read_text())

OTHERWISE = {
    "get_item of axes": {"slices": [None, "slice(None, None, None)", 0]},
    "reshape": {"shape": [3, 2]},
    "sum": {"axis": [0, 1]},
    "transpose": {"axes": [1, 0]},
}
"""The same said in another way."""

NOT_SHOWN = {
    "as_strided": {"storage_offset", "strides"},
    "batch_normalization": {"decay", "running_mean", "running_var"},
    "local_response_normalization": {"scale", "unit_scale"},
    "roi_max_pooling_2d": {"argmax_data"},
    "roi_pooling_2d": {"argmax_data"},
    "rrelu": {"lower", "upper"},
    "zoneout": {"zoneout_ratio"},
}
"""What neither the function nor its node knows any more."""

SEVERAL_NODES = {"get_item of a list behind", "method mean"}
OTHER_LABELS = {"subtract a number": "_ - 2", "divide by a number": "_ / 2"}


def test_every_call_is_recorded():
    assert sorted(RECORD) == sorted(CREATORS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in CREATORS if name not in SEVERAL_NODES])
def test_a_creator_shows_what_chainers_shows(name):
    creator, _ = creator_of(name)
    recorded = RECORD[name]
    assert (type(creator).__name__, creator.label) == (recorded["class"], OTHER_LABELS.get(name, recorded["label"]))
    wanted = {key: value for key, value in recorded["attributes"].items() if key not in NOT_SHOWN.get(name, ())}
    assert {key: shown(getattr(creator, key)) for key in wanted} == {**wanted, **OTHERWISE.get(name, {})}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in CREATORS if name not in SEVERAL_NODES])
@pytest.mark.parametrize("backprop", [True, False])
def test_a_hook_sees_the_same_before_there_are_nodes(name, backprop):
    recorded = RECORD[name]
    wanted = [key for key in recorded["attributes"] if key not in NOT_SHOWN.get(name, ())]
    seen, functions = [], []

    class Reader(chainer.FunctionHook):
        name = "Reader"

        def forward_postprocess(self, function, in_data):
            if type(function).__name__ == recorded["class"]:
                seen.append({key: shown(getattr(function, key)) for key in wanted})
                functions.append(function)

    with Reader(), chainer.using_config("enable_backprop", backprop):
        creator_of(name)
    assert seen[-1] == {**{key: recorded["attributes"][key] for key in wanted}, **OTHERWISE.get(name, {})}
    assert all(function.seen_inputs is None for function in functions)


def test_the_inputs_of_a_function_that_has_not_run_are_not_known():
    function = MaxPoolingND(2, 2)
    with pytest.raises(AttributeError, match=r"^MaxPoolingND has not run yet, so its inputs are not known \("):
        _ = function.indexes


@pytest.mark.parametrize("name", NOT_SHOWN)
def test_what_is_not_shown_says_so(name):
    creator, _ = creator_of(name)
    for attribute in NOT_SHOWN[name]:
        with pytest.raises(AttributeError, match=rf"object has no attribute '{attribute}' "):
            getattr(creator, attribute)
