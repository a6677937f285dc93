"""The log, the table, the bar; texts were seen on Chainer 7.8.1."""

import io
import json
import os

import numpy as np
import pytest

from autodiff.chainer import iterators
from autodiff.chainer.reporter import report
from autodiff.chainer.training import extensions, triggers
from autodiff.chainer.training.extensions.util import ProgressBar as Bar


def read_log(trainer, name="log"):
    with open(os.path.join(trainer.out, name)) as file:
        return json.load(file)


def test_the_log(make_trainer):
    trainer = make_trainer(extensions=[extensions.LogReport()])
    trainer.run()
    log = read_log(trainer)
    assert log == trainer.get_extension("LogReport").log
    assert [list(entry) for entry in log] == [["main/loss", "main/size", "epoch", "iteration", "elapsed_time"]] * 2
    assert [(entry["epoch"], entry["iteration"]) for entry in log] == [(1, 3), (2, 6)]
    assert log[0]["main/size"] == pytest.approx(5 / 3)


def test_the_text_of_the_log(make_trainer):
    def fixed_time(entry):
        entry["elapsed_time"] = 0.5

    trainer = make_trainer(
        (1, "epoch"), extensions=[extensions.LogReport(keys=["main/size", "none"], postprocess=fixed_time)]
    )
    trainer.run()
    with open(os.path.join(trainer.out, "log")) as file:
        assert file.read() == (
            '[\n    {\n        "main/size": 1.6666666666666667,\n        "epoch": 1,\n        "iteration": 3,\n'
            '        "elapsed_time": 0.5\n    }\n]'
        )


def test_one_log_for_each_entry(make_trainer):
    trainer = make_trainer(
        extensions=[extensions.LogReport(["main/loss"], (2, "iteration"), filename="log_{iteration}")]
    )
    trainer.run()
    assert sorted(os.listdir(trainer.out)) == ["log_2", "log_4", "log_6"]
    assert len(read_log(trainer, "log_4")) == 2


def test_no_file(make_trainer):
    trainer = make_trainer(extensions=[extensions.LogReport(log_name=None)])
    trainer.run()
    assert os.listdir(trainer.out) == []


def test_an_old_spelling_of_the_file_name(make_trainer):
    trainer = make_trainer(extensions=[extensions.LogReport(log_name="old")])
    trainer.run()
    assert os.listdir(trainer.out) == ["old"]


def test_reports_triggers_and_iterators_can_be_extended_by_chainers_inner_names(make_trainer):
    class LastLine(extensions.LogReport):
        def __call__(self, trainer):
            self._summary.add({key: trainer.observation[key] for key in self._keys})
            if self._trigger(trainer):
                self.line = self._summary.compute_mean()
                self._init_summary()

    class Improvement(triggers.MinValueTrigger):
        def __call__(self, trainer):
            self._summary.add({self._key: trainer.observation[self._key]})
            if not self._interval_trigger(trainer):
                return False
            value = float(self._summary.compute_mean()[self._key])
            self._init_summary()
            better = self._best_value is None or self._compare(self._best_value - 0.1, value)
            self._best_value = value if better else self._best_value
            return better

    class Endless(iterators.SerialIterator):
        def reset(self):
            assert (self._repeat, self._shuffle) == (self.repeat, False)
            super().reset()

    trainer = make_trainer((2, "epoch"), extensions=[LastLine(["main/size"])])
    fired = []
    trainer.extend(lambda trainer: fired.append(trainer.updater.epoch), name="best", trigger=Improvement("main/loss"))
    trainer.run()
    assert trainer.get_extension("LastLine").line["main/size"] == pytest.approx(5 / 3)
    assert fired == [1, 2]
    assert next(Endless([1, 2], 2, shuffle=False)) == [1, 2]


def test_the_log_goes_on_from_a_snapshot(make_trainer, through_file):
    trainer = make_trainer((4, "iteration"), extensions=[extensions.LogReport()])
    trainer.run()
    resumed = through_file(trainer, make_trainer((2, "epoch"), extensions=[extensions.LogReport()]))
    resumed.run()
    whole = make_trainer((2, "epoch"), extensions=[extensions.LogReport()])
    whole.run()
    for found, wanted in zip(resumed.get_extension("LogReport").log, whole.get_extension("LogReport").log, strict=True):
        assert found.pop("elapsed_time") > 0
        assert wanted.pop("elapsed_time") > 0
        assert found == pytest.approx(wanted)


def test_keys_of_the_log_in_a_snapshot(make_trainer, through_file, tmp_path):
    trainer = make_trainer((1, "iteration"), extensions=[extensions.LogReport(["main/size"])])
    trainer.run()
    through_file(trainer.get_extension("LogReport"), extensions.LogReport())
    with np.load(tmp_path / "state") as saved:
        assert sorted(saved) == [
            "_log", "_summary/_names", "_summary/_summaries/0/_n", "_summary/_summaries/0/_x", "_summary/_summaries/0/_x2",
            "_trigger/previous_epoch_detail", "_trigger/previous_iteration",
        ]  # fmt: skip


def test_the_table(make_trainer):
    out = io.StringIO()
    trainer = make_trainer()
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(["epoch", "iteration", "main/a_long_name", "main/size"], out=out))
    trainer.run()
    assert out.getvalue() == (
        "epoch       iteration   main/a_long_name  main/size \n"
        "\033[J1           3                             1.66667     \n"
        "\033[J2           6                             1.66667     \n"
    )


def test_the_table_with_a_log_of_its_own(make_trainer, through_file):
    out = io.StringIO()
    table = extensions.PrintReport(["iteration"], extensions.LogReport(trigger=(2, "iteration")), out)
    trainer = make_trainer((5, "iteration"), extensions=[table])
    trainer.run()
    assert out.getvalue() == "iteration \n\033[J2           \n\033[J4           \n"
    other = extensions.PrintReport(["iteration"], extensions.LogReport())
    assert [entry["iteration"] for entry in through_file(table, other)._log_report.log] == [2, 4]


def test_the_table_shows_texts(make_trainer):
    def best(entry):
        entry["best"] = "yes"

    out = io.StringIO()
    trainer = make_trainer((1, "epoch"), extensions=[extensions.LogReport(postprocess=best)])
    trainer.extend(extensions.PrintReport(["epoch", "best"], out=out))
    trainer.run()
    assert out.getvalue().splitlines()[1] == "\033[J1           yes         "


def test_the_table_without_a_log(make_trainer):
    trainer = make_trainer(extensions=[extensions.PrintReport(["epoch"], "Log", io.StringIO())])
    with pytest.raises(
        ValueError, match=r"^extension Log not found \(test_\w+\.py:\d+\); the trainer has: PrintReport$"
    ):
        trainer.run(show_loop_exception_msg=False)


def lines_without_speed(text):
    return [line for line in text.splitlines() if "iters/sec" not in line]


def test_the_bar(make_trainer):
    out = io.StringIO()
    trainer = make_trainer(extensions=[extensions.ProgressBar(update_interval=4, bar_length=10, out=out)])
    trainer.run()
    assert lines_without_speed(out.getvalue()) == [
        "\033[J     total [#######...] 70.00%",
        "this epoch [###.......] 40.00%",  # 0.3999...
        "         4 iter, 1 epoch / 2 epochs",
        "\033[4A\033[J",
    ]
    assert "       inf iters/sec. Estimated time to finish: 0:00:00.\n" in out.getvalue()


def test_the_bar_counts_iterations(make_trainer):
    out = io.StringIO()
    bar = extensions.ProgressBar((8, "iteration"), update_interval=2, bar_length=4, out=out)
    make_trainer((2, "iteration"), extensions=[bar]).run()
    assert lines_without_speed(out.getvalue())[0::2] == [
        "\033[J     total [#...] 25.00%",
        "         2 iter, 0 epoch / 8 iterations",
    ]


def test_the_bar_without_an_end(make_trainer):
    def stop(trainer):
        return trainer.updater.iteration == 2

    trainer = make_trainer(stop, extensions=[extensions.ProgressBar(update_interval=1, out=io.StringIO())])
    with pytest.raises(
        AttributeError, match=r"ProgressBar cannot tell how long training is: the stop trigger <function"
    ):
        trainer.run(show_loop_exception_msg=False)


def test_speed_over_the_last_calls(monkeypatch):
    now = iter([100.0, 102.0, 104.0])
    monkeypatch.setattr("time.time", lambda: next(now))
    bar = Bar(out=io.StringIO())
    assert [bar.update_speed(3 * step, step / 2) for step in range(3)] == [
        (float("inf"), float("inf")),
        (1.5, 0.25),
        (1.5, 0.25),
    ]


def test_a_bar_of_several_lines():
    class Growing(Bar):
        lines = 0

        def get_lines(self):
            self.lines += 1
            return ["line\n"] * self.lines

    out = io.StringIO()
    bar = Growing(out=out)
    bar.update()
    bar.update()
    bar.close()
    assert out.getvalue() == "\033[Jline\n\033[1A\033[Jline\nline\n\033[2A\033[J"


def test_observed_values(make_trainer):
    trainer = make_trainer((1, "iteration"))
    trainer.extend(extensions.observe_lr(), trigger=(1, "iteration"))
    trainer.extend(extensions.observe_lr(observation_key="rate"), trigger=(1, "iteration"))
    trainer.extend(
        extensions.observe_value("count", lambda trainer: trainer.updater.iteration), trigger=(1, "iteration")
    )
    trainer.run()
    assert list(trainer._extensions) == ["_observe_value", "_observe_value_1", "_observe_value_2"]
    assert {key: trainer.observation[key] for key in ("lr", "rate", "count")} == {"lr": 0.01, "rate": 0.01, "count": 1}


def test_micro_average(make_trainer, through_file):
    def run(trainer, *iterations):
        seen = []
        trainer.extend(
            lambda trainer: report({"hits": 1.5 * trainer.updater.iteration, "all": 2}), "counts", priority=300
        )
        trainer.extend(extensions.MicroAverage("hits", "all", "share", (2, "iteration")))
        trainer.extend(lambda trainer: seen.append(trainer.observation.get("share")), "seen")
        return trainer, seen

    trainer, seen = run(make_trainer((5, "iteration")))
    trainer.run()
    assert seen == [None, (1.5 + 3) / 4, None, (4.5 + 6) / 4, None]
    other = through_file(trainer.get_extension("MicroAverage"), extensions.MicroAverage("hits", "all", "share"))
    assert (other._numerator, other._denominator) == (7.5, 2)


def test_share_of_what_is_not_reported(make_trainer):
    seen = []
    trainer = make_trainer((4, "iteration"))
    trainer.extend(extensions.MicroAverage("hits", "all", "share", (1, "iteration")))
    trainer.extend(lambda trainer: seen.append(trainer.observation.get("share")), "seen")
    trainer.run()
    assert seen == [None] * 4


def test_training_that_diverges(make_trainer, line):
    trainer = make_trainer(model=line, extensions=[extensions.FailOnNonNumber()])
    line.w.array[0] = np.inf
    with pytest.raises(RuntimeError) as caught, np.errstate(invalid="ignore"):
        trainer.run(show_loop_exception_msg=False)
    assert str(caught.value) == (
        "Kill the process since parameters in optimizer 'main' diverge. R.I.P. (/w is not finite in iteration 1)"
    )


def test_training_that_does_not_diverge(make_trainer):
    make_trainer(extensions=[extensions.FailOnNonNumber()]).run()
