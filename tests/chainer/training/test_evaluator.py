"""Evaluation on a validation set."""

import io

import pytest

from autodiff.chainer.reporter import report
from autodiff.chainer.training import extensions
from autodiff.chainer.training.extensions.evaluator import IteratorProgressBar, _IteratorProgressBar
from autodiff.facade.settings.configuration import config


def test_means_over_the_minibatches(line, minibatches):
    line.w.array[:] = 1
    result = extensions.Evaluator(minibatches(repeat=False), line)()
    # the losses of the minibatches 0 1, 2 3 and 4 are 1/2, 13/2 and 16
    assert result == pytest.approx({"main/loss": 23 / 3, "main/size": 5 / 3})


def test_in_a_trainer(make_trainer, line, minibatches):
    trainer = make_trainer((1, "epoch"), model=line)
    trainer.extend(extensions.Evaluator(minibatches(repeat=False), line))
    trainer.extend(extensions.Evaluator(minibatches(repeat=False), line), name="test")
    trainer.extend(extensions.Evaluator(minibatches(repeat=False), line))
    trainer.run()
    names = ["main", "validation/main", "test/main", "validation_1/main"]
    assert list(trainer.observation) == [f"{name}/{key}" for name in names for key in ("loss", "size")]


def test_again_and_again(line, minibatches):
    evaluator = extensions.Evaluator(minibatches(repeat=False), line)
    assert evaluator() == evaluator()


def test_without_a_graph_and_without_training(line, minibatches):
    seen = set()

    def evaluate(x, t):
        seen.add((config.train, config.enable_backprop))
        report({"x": x.sum()}, line)

    assert extensions.Evaluator(minibatches(repeat=False), line, eval_func=evaluate)() == {"main/x": 10 / 3}
    assert seen == {(False, False)}
    assert (config.train, config.enable_backprop) == (True, True)


def test_hook(line, minibatches):
    seen = []
    evaluator = extensions.Evaluator(minibatches(repeat=False), line, eval_hook=seen.append)
    evaluator()
    assert seen == [evaluator]


def test_parts_by_name(line, minibatches):
    iterators, targets = {"main": minibatches(repeat=False)}, {"main": line}
    evaluator = extensions.Evaluator(iterators, targets, device=-1)
    assert evaluator.get_iterator("main") is iterators["main"]
    assert evaluator.get_target("main") is line
    assert (evaluator.get_all_iterators(), evaluator.get_all_targets()) == (iterators, targets)
    assert evaluator.device.name == "@numpy"
    evaluator.finalize()
    assert iterators["main"].finalized == 1


def test_an_iterator_that_repeats(line, minibatches):
    with pytest.warns(UserWarning, match="the iterator 'main' given to an Evaluator repeats"):
        extensions.Evaluator(minibatches(), line)


def test_an_iterator_without_reset(line):
    class Once:
        def __iter__(self):
            return iter([[(1.0, 2.0)]])

    with pytest.warns(DeprecationWarning, match=r"^Once has no reset\(\); an Evaluator copies such an iterator"):
        assert extensions.Evaluator(Once(), line)() == {"main/loss": 4.0, "main/size": 1.0}


def test_a_subclass_may_evaluate_its_own_way(make_trainer, line, minibatches):
    class Mine(extensions.Evaluator):
        def evaluate(self):
            return {"mine": self.get_target("main").w.array.item()}

    trainer = make_trainer((1, "epoch"), extensions=[Mine(minibatches(repeat=False), line)])
    trainer.run()
    assert trainer.observation["mine"] == 0.0


def test_the_bar(minibatches):
    out = io.StringIO()
    for _ in IteratorProgressBar(minibatches(repeat=False), 10, out).shown():
        pass
    lines = [line for line in out.getvalue().splitlines() if "iters/sec" not in line]
    assert lines == [
        "\033[Jvalidation [####......] 40.00%",
        "         2 / 5 iterations",
        "\033[3A\033[Jvalidation [########..] 80.00%",
        "         4 / 5 iterations",
        "\033[3A\033[Jvalidation [##########] 100.00%",
        "         5 / 5 iterations",
        "\033[3A\033[J",
    ]


def test_the_bar_in_evaluators_of_programs(minibatches, capsys):
    iterator = minibatches(repeat=False)
    bar = _IteratorProgressBar(iterator=iterator)
    for _ in iterator:
        bar.update()
    bar.close()
    assert "validation [##" in capsys.readouterr().out
