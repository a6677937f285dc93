"""All programs, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.compiled_programs.arm import Arm
from benchmarks.compiled_programs.bodies import Bodies
from benchmarks.compiled_programs.bundle_adjustment import BundleAdjustment
from benchmarks.compiled_programs.call import Call
from benchmarks.compiled_programs.convolutional import Convolutional
from benchmarks.compiled_programs.cross_entropy import CrossEntropy
from benchmarks.compiled_programs.differential_equation import DifferentialEquation
from benchmarks.compiled_programs.elementwise import Elementwise
from benchmarks.compiled_programs.gaussian_mixture import GaussianMixture
from benchmarks.compiled_programs.gaussian_process import GaussianProcess
from benchmarks.compiled_programs.hand_tracking import HandTracking
from benchmarks.compiled_programs.language_model import LanguageModel
from benchmarks.compiled_programs.lstm_scan import LstmScan
from benchmarks.compiled_programs.perceptron import Perceptron
from benchmarks.compiled_programs.scalar import ScalarGradient
from benchmarks.compiled_programs.second_order import BoundProduct, DenseHessian, LogisticHessian, RosenbrockProduct
from benchmarks.compiled_programs.square_roots import ConvergedSquareRoots, CountedSquareRoots
from benchmarks.compiled_programs.tanh_chain import TanhChain
from benchmarks.compiled_programs.transformer import Transformer

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Program

# Those whose time is measured, in the order of the table.
PROGRAMS: dict[str, Program] = {
    program.name: program
    for program in (
        Elementwise(),
        CrossEntropy(),
        Perceptron(),
        LanguageModel(),
        Convolutional(),
        Transformer(),
        GaussianMixture(),
        BundleAdjustment(),
        LstmScan(),
        HandTracking(),
        DifferentialEquation(),
        CountedSquareRoots(),
        ConvergedSquareRoots(),
        RosenbrockProduct(),
        LogisticHessian(),
        BoundProduct(),
        DenseHessian(),
        Call(),
        ScalarGradient(),
        Arm(),
        Bodies(),
        GaussianProcess(),
    )
}

CHAIN = TanhChain()  # the one whose memory is measured
ALL: dict[str, Program] = {**PROGRAMS, CHAIN.name: CHAIN}
