"""What trainers call between updates."""

from autodiff.chainer.training.extensions import snapshot_writers
from autodiff.chainer.training.extensions._snapshot import snapshot, snapshot_object
from autodiff.chainer.training.extensions.computational_graph import DumpGraph
from autodiff.chainer.training.extensions.evaluator import Evaluator
from autodiff.chainer.training.extensions.exponential_shift import ExponentialShift
from autodiff.chainer.training.extensions.fail_on_nonnumber import FailOnNonNumber
from autodiff.chainer.training.extensions.inverse_shift import InverseShift
from autodiff.chainer.training.extensions.linear_shift import LinearShift
from autodiff.chainer.training.extensions.log_report import LogReport
from autodiff.chainer.training.extensions.micro_average import MicroAverage
from autodiff.chainer.training.extensions.multistep_shift import MultistepShift
from autodiff.chainer.training.extensions.parameter_statistics import ParameterStatistics
from autodiff.chainer.training.extensions.plot_report import PlotReport
from autodiff.chainer.training.extensions.polynomial_shift import PolynomialShift
from autodiff.chainer.training.extensions.print_report import PrintReport
from autodiff.chainer.training.extensions.progress_bar import ProgressBar
from autodiff.chainer.training.extensions.step_shift import StepShift
from autodiff.chainer.training.extensions.value_observation import observe_lr, observe_value
from autodiff.chainer.training.extensions.variable_statistics_plot import VariableStatisticsPlot
from autodiff.chainer.training.extensions.variable_unchain import unchain_variables
from autodiff.chainer.training.extensions.warmup_shift import WarmupShift

dump_graph = DumpGraph

__all__ = [
    "DumpGraph",
    "Evaluator",
    "ExponentialShift",
    "FailOnNonNumber",
    "InverseShift",
    "LinearShift",
    "LogReport",
    "MicroAverage",
    "MultistepShift",
    "ParameterStatistics",
    "PlotReport",
    "PolynomialShift",
    "PrintReport",
    "ProgressBar",
    "StepShift",
    "VariableStatisticsPlot",
    "WarmupShift",
    "dump_graph",
    "observe_lr",
    "observe_value",
    "snapshot",
    "snapshot_object",
    "snapshot_writers",
    "unchain_variables",
]
