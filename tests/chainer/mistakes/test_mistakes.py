"""Mistakes raise errors of the classes that Chainer 7.8.1's have, with texts that say at least as much."""

import json
import re

import pytest

from tests.chainer.mistakes.record import FILE, raised
from tests.chainer.mistakes.table import MISTAKES

RAISED = json.loads(FILE.read_text())

# What differs: the class here, and why. Chainer's stands in the record.
ACCIDENTS = {  # Chainer fails somewhere inside of itself
    "linear_of_a_list": "TypeError",
    "concat_of_an_array": "InvalidType",
    "cross_entropy_of_float_labels": "InvalidType",
    "cross_entropy_of_columns": "InvalidType",
    "cross_entropy_of_other_counts": "InvalidType",
    "cross_entropy_of_weights_in_a_list": "TypeError",
    "assigned_item": "TypeError",
    "backward_that_gives_an_array": "TypeError",
    "link_of_a_list_that_is_a_number": "TypeError",
    "initializer_of_a_text": "TypeError",
    "optimizer_without_setup": "RuntimeError",
    "update_of_what_is_no_loss": "TypeError",
    "update_of_many_losses": "DifferentiationError",
    "update_with_wrong_labels": "InvalidType",
    "adam_of_a_vanishing_eps": "ValueError",
    "gradients_of_other_shapes": "ValueError",
}
ASSERTIONS = {  # Chainer asserts, without a word
    "reshape_with_two_unknowns": "ValueError",
    "recurrent_layers_of_an_array": "TypeError",
    "recurrent_state_of_a_number": "TypeError",
    "ctc_of_a_blank": "ValueError",
}
DECIDED = {
    "file_of_another_kind": "ValueError",  # nothing is unpickled, so that no error of pickle can be
    "evaluator_of_an_empty_iterator": "",  # no batch is no observation; Chainer divides by the size of the dataset
}
OTHERS = ACCIDENTS | ASSERTIONS | DECIDED
NUMBERS = re.compile(r"\d+")


def test_every_mistake_is_recorded():
    assert sorted(RAISED) == sorted(MISTAKES)
    assert len(MISTAKES) >= 200
    assert not [name for name in OTHERS if RAISED[name][0] == OTHERS[name]]


@pytest.mark.parametrize("name", MISTAKES)
@pytest.mark.filterwarnings("ignore")
def test_errors_have_the_classes_of_chainer(name):
    expected, text = RAISED[name]
    found, own = raised(MISTAKES[name])
    assert found == OTHERS.get(name, expected)
    assert own.strip() or not found or not text.strip()
    if found == expected == "InvalidType" and "Actual:" in text:
        actual = text.partition("Actual:")[2]
        assert set(NUMBERS.findall(actual)) <= set(NUMBERS.findall(own)), own
    if found == expected == "InvalidType":
        operation = re.search(r"performed in: (.*) \(Forward\)", text)
        assert operation is None or operation[1] in own
