import inspect
from pathlib import Path

import pytest

import autodiff.chainer.functions as F
import autodiff.chainer.links as L
from autodiff.chainer.running.v1 import class_table, functions, links
from autodiff.chainer.running.v1.function_classes import NOT_NEEDED, OF_MAXIMA, RENAMED
from tests.chainer.running.process import ROOT, run

WITHOUT_EFFECT = {"use_cudnn", "deterministic"}
MODES = {"train", "test"}


@pytest.mark.parametrize("file", ["v1_functions.py", "v1_links.py"])  # v1_variable.py is run by the contract's tests
def test_chainer_1(file):
    """Runs the tests of a file in a process that is switched to Chainer 1."""
    path = Path(__file__).parent / file
    run("--compat", "v1", "-m", "pytest", "-q", "-p", "no:cacheprovider", path, cwd=ROOT)


def accepted(function):
    parameters = inspect.signature(function).parameters
    return set(parameters), any(each.kind is each.VAR_KEYWORD for each in parameters.values())


@pytest.mark.parametrize("name", functions.ARGUMENTS)
def test_functions_know_the_old_names(name):
    names, open_ended = accepted(getattr(F, name))
    unknown = set(functions.ARGUMENTS[name].split()) - names - WITHOUT_EFFECT - MODES - {"pooling_class"}
    assert open_ended or not unknown


@pytest.mark.parametrize("name", class_table.CLASSES)
def test_functions_know_the_names_of_their_classes(name):
    function, old = class_table.CLASSES[name]
    names, open_ended = accepted(getattr(F, function))
    renamed = {RENAMED.get(each, each) for each in old.split()}
    unknown = renamed - names - WITHOUT_EFFECT - set(NOT_NEEDED) - {"pooling_class"}
    unknown -= set(OF_MAXIMA) if name.startswith("Average") else set()
    assert open_ended or not unknown


@pytest.mark.parametrize("name", sorted({*links.CONSTRUCTORS, *links.CALLS, *links.IN_FUNCTIONS}))
def test_links_know_the_old_names(name):
    kind = getattr(L, name)
    replaced = {"wscale", "bias", "n_units", "n_inputs", "volatile", "finetune"}
    names, open_ended = accepted(kind)
    assert open_ended or not set(links.CONSTRUCTORS.get(name, "").split()) - names - WITHOUT_EFFECT - MODES - replaced
    names, open_ended = accepted(kind.forward)
    assert open_ended or not set(links.CALLS.get(name, "").split()) - names - MODES - replaced
