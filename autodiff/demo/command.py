"""The command: train twice, compare, measure, draw."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from autodiff.demo import digits, faces, figure, options, overhead
from autodiff.demo.extras import MissingPackagesError, module, require
from autodiff.demo.network import initial, predictions

SUMMARY = "train a small network on handwritten digits through both faces of the library, and draw the result"
BATCH = 64
LEAST_ACCURACY = 0.95
LARGEST_DIFFERENCE = 1e-6


def complete(parser: argparse.ArgumentParser) -> None:
    """Give the parser of this command its options, and what it runs."""
    options.add_to(parser)
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Run the demo: 0 if both faces learned and agree, 1 if not, 2 if packages are missing."""
    try:
        require()
    except MissingPackagesError as error:
        print(f"python -m autodiff demo: {error}", file=sys.stderr)
        return 2
    generator = np.random.default_rng(chosen.seed)
    data, start = digits.load(generator), initial(generator)
    functions = faces.train_functions(start, batches(data, chosen, "functions "))
    variables = faces.train_variables(start, batches(data, chosen, "Parameters"))
    accuracies = accuracy(functions, data), accuracy(variables, data)
    difference = faces.difference(functions, variables)
    print(f"test accuracy:      {accuracies[0]:.1%} with functions, {accuracies[1]:.1%} with Parameters")
    print(f"largest difference: {difference:.1e} between the parameters of both")
    for name, cost in zip(("tracers", "Variables"), overhead.measure()):
        print(f"cost per operation: {name:10}{cost.forward:.2f} us forward, {cost.total:.2f} us with backward")
    title = f"{accuracies[0]:.1%} and {accuracies[1]:.1%} of {len(data.test_labels)} test digits recognised"
    figure.draw(str(chosen.out), title, functions, variables, data)
    print(f"picture:            {chosen.out}")
    return verdict(min(accuracies), difference, chosen.steps)


def batches(data: digits.Digits, chosen: argparse.Namespace, face: str) -> Any:
    """The same batches every time, under a progress bar."""
    drawn = data.batches(chosen.steps, BATCH, np.random.default_rng((chosen.seed, 1)))
    return module("tqdm").tqdm(drawn, total=chosen.steps, desc=face, unit="step", file=sys.stderr)


def accuracy(trained: faces.Trained, data: digits.Digits) -> float:
    """The fraction of test digits that are recognised."""
    return float(np.mean(predictions(trained.parameters, data.test_images) == data.test_labels))


def verdict(accuracy: float, difference: float, steps: int) -> int:
    """0, or 1 after saying what falls short."""
    failures = []
    if not accuracy >= LEAST_ACCURACY:
        failures.append(f"test accuracy {accuracy:.1%} after {steps} steps, needed {LEAST_ACCURACY:.1%}")
    if not difference <= LARGEST_DIFFERENCE:
        failures.append(f"parameters differ by {difference:.1e}, allowed {LARGEST_DIFFERENCE:.1e}")
    for failure in failures:
        print(f"python -m autodiff demo: falls short: {failure}", file=sys.stderr)
    return int(bool(failures))
