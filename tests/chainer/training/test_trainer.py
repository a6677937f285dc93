"""The loop: order, names, errors, snapshots."""

import os

import pytest

from autodiff.chainer.optimizers.sgd import SGD
from autodiff.chainer.reporter import report
from autodiff.chainer.serializers import save_npz
from autodiff.chainer.training import Extension, StandardUpdater, Trainer, make_extension, triggers


class Witness(Extension):
    """Writes down what happens to it."""

    def __init__(self, name, seen, fail_at=None):
        self.name, self.seen, self.fail_at = name, seen, fail_at

    def initialize(self, trainer):
        self.seen.append(f"{self.name} initialize")

    def __call__(self, trainer):
        self.seen.append(f"{self.name} {trainer.updater.iteration}")
        if trainer.updater.iteration == self.fail_at:
            raise ValueError("boom")

    def on_error(self, trainer, exc, tb):
        self.seen.append(f"{self.name} on_error {exc}")
        assert tb is exc.__traceback__

    def finalize(self):
        self.seen.append(f"{self.name} finalize")


def test_order_of_calls(make_trainer):
    seen = []
    trainer = make_trainer((2, "iteration"))
    trainer.extend(Witness("a", seen))
    trainer.extend(Witness("b", seen), priority=200, call_before_training=True)
    trainer.extend(Witness("c", seen), trigger=(2, "iteration"))
    trainer.run()
    assert seen == [
        "b initialize", "a initialize", "c initialize", "b 0", "b 1", "a 1", "b 2", "a 2", "c 2",
        "b finalize", "a finalize", "c finalize",
    ]  # fmt: skip
    assert trainer.updater.get_iterator("main").finalized == 1


def test_an_exception_in_the_loop(make_trainer, capsys):
    seen = []
    trainer = make_trainer()
    trainer.extend(Witness("a", seen, fail_at=1))
    trainer.extend(Witness("b", seen))
    with pytest.raises(ValueError, match=r"^boom$"):
        trainer.run()
    assert seen[2:] == ["a 1", "a on_error boom", "b on_error boom", "a finalize", "b finalize"]
    error = capsys.readouterr().err.splitlines()
    assert error[:2] == ["Exception in main training loop: boom", "Traceback (most recent call last):"]
    assert error[-1] == "Will finalize trainer extensions and updater before reraising the exception."


def test_an_exception_in_the_loop_without_a_message(make_trainer, capsys):
    trainer = make_trainer()
    trainer.extend(Witness("a", [], fail_at=1))
    with pytest.raises(ValueError, match=r"^boom$"):
        trainer.run(show_loop_exception_msg=False)
    assert capsys.readouterr().err == ""


def test_an_exception_in_on_error_does_not_hide_the_first(make_trainer, capsys):
    class Bad(Witness):
        def on_error(self, trainer, exc, tb):
            raise KeyError("second")

    seen = []
    trainer = make_trainer()
    trainer.extend(Bad("a", seen, fail_at=1))
    trainer.extend(Witness("b", seen))
    with pytest.raises(ValueError, match=r"^boom$"):
        trainer.run()
    assert "Exception in error handler: 'second'" in capsys.readouterr().err
    assert "b on_error boom" in seen


def test_an_exception_in_finalize_lets_others_finalize(make_trainer):
    class Bad(Witness):
        def finalize(self):
            raise KeyError("late")

    seen = []
    trainer = make_trainer((1, "iteration"))
    trainer.extend(Bad("a", seen))
    trainer.extend(Witness("b", seen))
    with pytest.raises(KeyError, match="late"):
        trainer.run()
    assert seen[-1] == "b finalize"
    assert trainer.updater.get_iterator("main").finalized == 1


def test_an_interrupt_finalizes_and_is_no_error(make_trainer, capsys):
    def interrupt(trainer):
        raise KeyboardInterrupt

    seen = []
    trainer = make_trainer()
    trainer.extend(interrupt)
    trainer.extend(Witness("a", seen))
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    assert seen == ["a initialize", "a finalize"]
    assert capsys.readouterr().err == ""


def test_runs_once(make_trainer):
    trainer = make_trainer((1, "iteration"))
    trainer.run()
    text = r"^cannot run training loop multiple times \(test_trainer.py:\d+\); make a new Trainer to go on$"
    with pytest.raises(RuntimeError, match=text):
        trainer.run()


def test_elapsed_time(make_trainer):
    trainer = make_trainer((1, "iteration"))
    text = r"^training has not been started yet \(test_trainer.py:\d+\); elapsed_time counts from run\(\)$"
    with pytest.raises(RuntimeError, match=text):
        _ = trainer.elapsed_time
    trainer.run()
    assert 0 < trainer.elapsed_time == trainer.elapsed_time


def test_a_trainer_that_is_marked_as_done_can_be_saved_without_a_run(make_trainer, tmp_path):
    trainer = make_trainer((1, "iteration"))
    trainer._done = True  # as tests of snapshots do
    assert trainer.elapsed_time == 0
    save_npz(tmp_path / "trainer.npz", trainer)


def test_before_training(make_trainer):
    trainer = make_trainer((1, "iteration"))
    assert trainer.is_before_training
    trainer.run()
    assert not trainer.is_before_training


def test_makes_its_folder(make_trainer, tmp_path):
    make_trainer((1, "iteration"), out=tmp_path / "a" / "b").run()
    assert os.path.isdir(tmp_path / "a" / "b")


def test_names(make_trainer):
    @make_extension(default_name="given")
    def function(trainer):
        pass

    class Named(Extension):
        default_name = "default"

    class Unnamed(Extension):
        pass

    trainer = make_trainer(extensions=[Named(), Unnamed(), function])
    trainer.extend(Named())
    trainer.extend(Named())
    trainer.extend(lambda trainer: None)
    trainer.extend(Unnamed(), name="mine")
    trainer.extend([].append)
    names = ["default", "Unnamed", "given", "default_1", "default_2", "<lambda>", "mine", "append"]
    assert list(trainer._extensions) == names
    assert trainer.get_extension("default_1").name == "default_1"
    assert trainer.get_extension("mine").name == "mine"


def test_a_bound_method_is_an_extension(make_trainer):
    class Object:
        seen = 0

        def step(self, trainer):
            self.seen += 1

    trainer, owner = make_trainer((3, "iteration")), Object()
    trainer.extend(owner.step)
    trainer.run()
    assert owner.seen == 3


def test_forbidden_names(make_trainer):
    trainer = make_trainer()
    text = r'^the name "training" is prohibited as an extension name \(test_trainer.py:\d+\); give name= another one$'
    with pytest.raises(ValueError, match=text):
        trainer.extend(print, name="training")
    text = r"^name is not given for the extension 3 \(test_trainer.py:\d+\); pass name= to extend\(\)$"
    with pytest.raises(TypeError, match=text):
        trainer.extend(3)


def test_removed_keywords(make_trainer):
    text = (
        r"^Trainer.extend\(invoke_before_training=...\) has been removed since Chainer v2.0.0 \(test_trainer.py:\d+\); "
        r"use initializer=, or define initialize\(trainer\)$"
    )
    with pytest.raises(ValueError, match=text):
        make_trainer().extend(print, invoke_before_training=True)
    text = r"^make_extension\(\) got an unexpected keyword argument 'triger' \(test_trainer.py:\d+\)$"
    with pytest.raises(TypeError, match=text):
        make_extension(triger=(1, "epoch"))


def test_no_such_extension(make_trainer):
    trainer = make_trainer(extensions=[Witness("a", [])])
    with pytest.raises(ValueError, match=r"^extension LogReport not found \(test_\w+\.py:\d+\); the trainer has: a$"):
        trainer.get_extension("LogReport")


def test_observations_of_one_iteration(make_trainer):
    seen = []
    trainer = make_trainer((2, "iteration"))
    trainer.extend(lambda trainer: report({"x": trainer.updater.iteration}), name="writer", priority=300)
    trainer.extend(lambda trainer: seen.append(dict(trainer.observation)), name="reader")
    trainer.run()
    assert [sorted(each) for each in seen] == [["main/loss", "main/size", "x"]] * 2
    assert [each["x"] for each in seen] == [1, 2]


def test_before_training_may_report(make_trainer):
    trainer = make_trainer((1, "iteration"))
    seen = []
    trainer.extend(lambda trainer: report({"x": 1}), name="writer", call_before_training=True, trigger=(5, "epoch"))
    trainer.extend(lambda trainer: seen.append("x" in trainer.observation), name="reader", call_before_training=True)
    trainer.run()
    assert seen == [True, False]


def test_a_trainer_that_never_stops_by_itself(make_trainer):
    assert not make_trainer(None).stop_trigger("any trainer")


def test_resumed_training_is_not_before_training(make_trainer, through_file):
    def make(iterations):
        trainer = make_trainer((iterations, "iteration"))
        trainer.extend(
            lambda trainer: seen.append(trainer.updater.iteration), "f", (9, "epoch"), call_before_training=True
        )
        return trainer

    seen = []
    first = make(1)
    first.run()
    through_file(first, make(2)).run()
    assert seen == [0]


def test_what_was_observed_before_run_is_forgotten(make_trainer):
    trainer = make_trainer((1, "iteration"))
    seen = []
    trainer.observation = before = {"x": 1}
    trainer.extend(lambda trainer: seen.append(dict(trainer.observation)), name="f", call_before_training=True)
    trainer.run()
    assert seen[0] == {}
    assert before == {"x": 1}


def test_an_exception_before_training_is_not_one_of_the_loop(make_trainer, capsys):
    seen = []
    trainer = make_trainer()
    trainer.extend(Witness("a", seen, fail_at=0), call_before_training=True)
    with pytest.raises(ValueError, match=r"^boom$"):
        trainer.run()
    assert seen == ["a initialize", "a 0"]
    assert trainer.updater.get_iterator("main").finalized == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("call_on_resume", "wanted"), [(False, ["a finalize"]), (True, ["a initialize", "a 2", "a finalize"])]
)
def test_an_extension_that_is_finished_is_not_initialized(call_on_resume, wanted, make_trainer, through_file):
    def make(iterations, seen):
        trainer = make_trainer((iterations, "iteration"))
        trainer.extend(Witness("a", seen), trigger=triggers.OnceTrigger(call_on_resume))
        return trainer

    first, seen = make(1, []), []
    first.run()
    through_file(first, make(2, seen)).run()
    assert seen == wanted


def test_stops_at_once(make_trainer):
    trainer = make_trainer(lambda trainer: True)
    trainer.run()
    assert trainer.updater.iteration == 0


def test_an_abstract_extension():
    with pytest.raises(NotImplementedError) as caught:
        Extension()(None)
    assert str(caught.value) == "the extension Extension must define __call__(self, trainer)"


def test_attributes_of_a_decorated_function():
    @make_extension()
    def function(trainer):
        pass

    assert (function.trigger, function.priority, function.default_name) == ((1, "iteration"), 100, "function")
    assert function.initialize is function.finalize is function.on_error is None


def test_a_decorated_function_in_the_loop(make_trainer):
    seen = []

    @make_extension(
        trigger=(1, "iteration"),
        initializer=lambda trainer: seen.append("initialize"),
        finalizer=lambda: seen.append("finalize"),
        on_error=lambda trainer, exc, tb: seen.append(f"on_error {exc}"),
    )
    def function(trainer):
        raise ValueError("boom")

    trainer = make_trainer(extensions=[function])
    with pytest.raises(ValueError, match="boom"):
        trainer.run(show_loop_exception_msg=False)
    assert seen == ["initialize", "on_error boom", "finalize"]


def test_an_optimizer_without_a_model(tmp_path, minibatches):
    updater = StandardUpdater(minibatches(), SGD())
    text = r"^the optimizer 'main' has no model \(test_trainer.py:\d+\); call optimizer.setup\(model\) first$"
    with pytest.raises(RuntimeError, match=text):
        Trainer(updater, out=str(tmp_path))
