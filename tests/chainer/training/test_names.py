"""Everything is where Chainer's users import it from."""

import importlib

import pytest

EXTENSIONS = {
    "_snapshot": ["snapshot", "snapshot_object"],
    "computational_graph": ["DumpGraph"],
    "evaluator": ["Evaluator"],
    "exponential_shift": ["ExponentialShift"],
    "fail_on_nonnumber": ["FailOnNonNumber"],
    "inverse_shift": ["InverseShift"],
    "linear_shift": ["LinearShift"],
    "log_report": ["LogReport"],
    "micro_average": ["MicroAverage"],
    "multistep_shift": ["MultistepShift"],
    "parameter_statistics": ["ParameterStatistics"],
    "plot_report": ["PlotReport"],
    "polynomial_shift": ["PolynomialShift"],
    "print_report": ["PrintReport"],
    "progress_bar": ["ProgressBar"],
    "step_shift": ["StepShift"],
    "value_observation": ["observe_lr", "observe_value"],
    "variable_statistics_plot": ["VariableStatisticsPlot"],
    "variable_unchain": ["unchain_variables"],
    "warmup_shift": ["WarmupShift"],
}
TRIGGERS = {
    "early_stopping_trigger": ["EarlyStoppingTrigger"],
    "interval_trigger": ["IntervalTrigger"],
    "manual_schedule_trigger": ["ManualScheduleTrigger"],
    "minmax_value_trigger": ["BestValueTrigger", "MaxValueTrigger", "MinValueTrigger"],
    "once_trigger": ["OnceTrigger"],
    "time_trigger": ["TimeTrigger"],
}
UPDATERS = {
    "multiprocess_parallel_updater": ["MultiprocessParallelUpdater"],
    "parallel_updater": ["ParallelUpdater"],
    "standard_updater": ["StandardUpdater"],
}


@pytest.mark.parametrize(
    ("package", "modules"), [("extensions", EXTENSIONS), ("triggers", TRIGGERS), ("updaters", UPDATERS)]
)
def test_modules_of_packages(package, modules):
    whole = importlib.import_module(f"autodiff.chainer.training.{package}")
    for name, members in modules.items():
        module = importlib.import_module(f"autodiff.chainer.training.{package}.{name}")
        for member in members:
            assert getattr(whole, member) is getattr(module, member)
            assert member in whole.__all__


def test_the_package():
    from autodiff.chainer import training
    from autodiff.chainer.training import extension, trainer, trigger, updater, util

    assert training.Trainer is trainer.Trainer
    assert training.Extension is extension.Extension
    assert training.make_extension is extension.make_extension
    assert training.get_trigger is trigger.get_trigger is util.get_trigger
    assert training.IntervalTrigger is trigger.IntervalTrigger is training.triggers.IntervalTrigger
    assert training.StandardUpdater is updater.StandardUpdater is training.updaters.StandardUpdater
    assert training.ParallelUpdater is updater.ParallelUpdater
    assert training.Updater is updater.Updater
    assert training.extensions.dump_graph is training.extensions.DumpGraph
    assert (training.PRIORITY_WRITER, training.PRIORITY_EDITOR, training.PRIORITY_READER) == (300, 200, 100)
