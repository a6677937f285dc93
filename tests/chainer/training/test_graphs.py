"""Graphs of reported Variables: drawn once, and cut."""

import os

import pytest

from autodiff.chainer.training import extensions
from autodiff.facade.settings.configuration import config, using_config


def test_drawn_once(make_trainer):
    kept = []
    trainer = make_trainer((3, "iteration"), extensions=[extensions.DumpGraph("main/loss")])
    trainer.extend(lambda trainer: kept.append(trainer.observation["main/loss"].creator is not None), name="seen")
    trainer.run()
    assert kept == [True, False, False]
    assert not config.keep_graph_on_report
    with open(os.path.join(trainer.out, "cg.dot")) as file:
        text = file.read()
    assert text.startswith("digraph graphname{rankdir=TB;")
    assert 'label="w: (1), float32",shape="octagon"' in text


def test_other_names_and_styles(make_trainer):
    trainer = make_trainer(
        (1, "iteration"),
        extensions=[extensions.dump_graph("main/loss", out_name="g.dot", variable_style={"shape": "box"})],
    )
    trainer.run()
    with open(os.path.join(trainer.out, "g.dot")) as file:
        assert 'label="w: (1), float32",shape="box"]' in file.read()


def test_a_value_that_is_not_reported(make_trainer):
    trainer = make_trainer(extensions=[extensions.DumpGraph("main/none")])
    with pytest.raises(
        KeyError, match="DumpGraph looks for 'main/none', but what was reported is: main/loss, main/size"
    ):
        trainer.run(show_loop_exception_msg=False)
    assert not config.keep_graph_on_report


def test_a_value_that_is_no_variable(make_trainer):
    trainer = make_trainer(extensions=[extensions.DumpGraph("main/size")])
    with pytest.raises(TypeError, match=r"^DumpGraph needs a Variable, but 'main/size' was reported as int$"):
        trainer.run(show_loop_exception_msg=False)


def test_training_that_fails_before_the_drawing(make_trainer):
    def fail(x, t):
        raise ValueError("boom")

    trainer = make_trainer(loss_func=fail, extensions=[extensions.DumpGraph("main/loss")])
    with pytest.raises(ValueError, match="boom"):
        trainer.run(show_loop_exception_msg=False)
    assert not config.keep_graph_on_report


def test_not_drawn_again_after_a_snapshot(make_trainer, through_file):
    trainer = make_trainer((1, "iteration"), extensions=[extensions.DumpGraph("main/loss")])
    trainer.run()
    resumed = through_file(trainer, make_trainer((2, "iteration"), extensions=[extensions.DumpGraph("main/loss")]))
    os.remove(os.path.join(trainer.out, "cg.dot"))
    resumed.run()
    assert os.listdir(resumed.out) == []


def test_graphs_are_cut(make_trainer):
    kept = []
    trainer = make_trainer((2, "iteration"), extensions=[extensions.unchain_variables()])
    for priority in (1, -1):
        trainer.extend(
            lambda trainer: kept.append(trainer.observation["main/loss"].creator is not None),
            name="seen",
            priority=priority,
        )
    with using_config("keep_graph_on_report", True):
        trainer.run()
    assert kept == [True, False, True, False]


def test_nothing_to_cut():
    extension = extensions.unchain_variables()
    extension.initialize(None)
    assert not extension.trigger(None)
    with using_config("keep_graph_on_report", True):
        assert extension.trigger(None)
    assert extension.trigger(None)  # what the last iteration reported may still have a graph
    assert not extension.trigger(None)
