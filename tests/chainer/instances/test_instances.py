"""Objects have all public attributes that Chainer 7.8.1's have at the same moment, with the same values in short."""

import json

import pytest

from tests.chainer.instances.record import FILE
from tests.chainer.instances.table import GROUPS, states

RECORDED = json.loads(FILE.read_text())
MISSING = {
    "forward_ideep": "iDeep is never available",
    "d": "state of one call of batch renormalization",
    "r": "state of one call of batch renormalization",
    "beta_power": "MSVAG counts its steps by t, which is saved",
    "invoke_before_training": "removed from Chainer 2 on, and read by nothing",
    "already_warning": "a method of the trigger's own",
    "xp": "hooks that measure time are not asked for a module",
}
VARYING = ("elapsed_time", "call_history", "out", "edges", "nodes")  # times, folders, and orders of sets
OTHERS = {  # by object and attribute: what is here
    ("parameter without a shape", "dtype"): "float32",  # what it will have
    ("ReLU", "is_elementwise"): "False",
    ("ReLU", "output_data"): "raises RuntimeError",  # gradients keep what they need, which is not the output
    ("a node", "input_layouts"): "tuple()",
    ("a node", "output_layouts"): "tuple()",
    ("rule of Adam", "bounds"): "tuple(0.0001996, 50.1)",  # they may be switched on later
    ("rule of AdamW", "bounds"): "tuple(0.0001996, 50.1)",
    ("rule of AMSGrad", "bounds"): "tuple(0.0001996, 50.1)",
}


def test_all_objects_are_recorded():
    assert list(RECORDED) == list(GROUPS)
    assert sum(len(attributes) for found in RECORDED.values() for attributes in found.values()) >= 7000


@pytest.mark.parametrize("group", GROUPS)
def test_objects_have_the_attributes_of_chainer(group):
    found = states(group)
    assert list(found) == list(RECORDED[group])
    for label, recorded in RECORDED[group].items():
        missing = {name for name in recorded if name not in found[label]}
        assert not missing - MISSING.keys(), label
        for name in recorded.keys() - missing - set(VARYING):
            expected = OTHERS.get((label, name), recorded[name])
            assert found[label][name] == expected, f"{label}: {name}"
