"""`fit`: what it computes, when it ends, and that it goes on where it was interrupted."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff import optimize, tree
from autodiff.optimize import EarlyStopping, fit

X = np.linspace(-1, 1, 12)
BATCHES = [(X[k : k + 4], 2 * X[k : k + 4] + 1) for k in (0, 4, 8)]
START = {"w": 0.0, "b": 0.0}
OPTIMIZER = optimize.adam(0.05)


def loss(params: Any, x: Any, y: Any) -> Any:
    return np.mean((params["w"] * x + params["b"] - y) ** 2)


def step(state: Any, batch: Any) -> Any:
    params, memory = state
    value, gradient = autodiff.value_and_grad(loss)(params, *batch)
    updates, memory = OPTIMIZER.update(gradient, memory, params)
    return (optimize.apply_updates(params, updates), memory), value


def begin() -> Any:
    return START, OPTIMIZER.init(START)


def by_hand(epochs: int) -> Any:
    state, values = begin(), []
    for _ in range(epochs):
        found = []
        for batch in BATCHES:
            state, value = step(state, batch)
            found.append(value)
        values.append(np.mean(found))
    return state, values


def test_it_is_the_loop() -> None:
    wanted, values = by_hand(5)
    for batches in (BATCHES, lambda epoch: iter(BATCHES)):
        found, history = fit(step, begin(), batches, epochs=5, progress=False)
        assert tree.leaves(found) == tree.leaves(wanted)
        np.testing.assert_allclose(history["loss"], values)
    compiled, history = fit(autodiff.jit(step, backend="numpy"), begin(), BATCHES, epochs=5, progress=False)
    np.testing.assert_allclose(tree.leaves(compiled), tree.leaves(wanted))
    assert fit(step, begin(), iter(BATCHES), progress=False).history.keys() == {"loss"}


def test_metrics_by_their_names() -> None:
    def named(state: Any, batch: Any) -> Any:
        state, value = step(state, batch)
        return state, {"loss": value, "one": 1}

    numbers: list[int] = []
    _, history = fit(
        named, begin(), BATCHES, epochs=3, progress=False,
        validate=lambda state: numbers.append(0) or {"validation": len(numbers), "accuracy": 0.5},
    )  # fmt: skip
    assert history["one"] == [1.0] * 3
    assert history["validation"] == [1.0, 2.0, 3.0]
    assert history["accuracy"] == [0.5] * 3


def test_it_ends_early_and_returns_the_best() -> None:
    values = iter([5.0, 3.0, float("nan"), 3.5, 4.0, 1.0])

    def counting(state: Any, batch: Any) -> Any:
        return state + 1, 0.0

    stopping = EarlyStopping("validation", patience=3)
    state, history = fit(
        counting, 0, [None], epochs=20, validate=lambda _: next(values), early_stopping=stopping, progress=False
    )
    assert state == 2
    assert len(history["validation"]) == 5
    values = iter([5.0, 3.0, 3.5, 4.0])
    last = EarlyStopping("validation", patience=2, restore_best=False)
    assert (
        fit(counting, 0, [None], epochs=9, validate=lambda _: next(values), early_stopping=last, progress=False).state
        == 4
    )
    assert EarlyStopping(min_delta=0.5, patience=2).waited([3.0, 2.9, 2.4, 2.3]) == 1
    with pytest.raises(
        KeyError, match=r"early stopping looks at 'accuracy' \(test_fit.py:\d+\), but the history has loss"
    ):
        fit(counting, 0, [None], epochs=3, early_stopping=EarlyStopping("accuracy"), progress=False)


@pytest.mark.parametrize("name", ["run.npz", "run.safetensors"])
def test_it_goes_on_from_a_checkpoint(name: str, tmp_path: Path) -> None:
    if name.endswith("safetensors"):
        pytest.importorskip("safetensors")
    wanted, values = by_hand(6)
    file = tmp_path / name
    seen = 0

    def interrupted(state: Any, batch: Any) -> Any:
        nonlocal seen
        seen += 1
        if seen == 11:  # in the fourth epoch
            raise KeyboardInterrupt
        return step(state, batch)

    with pytest.raises(KeyboardInterrupt):
        fit(interrupted, begin(), BATCHES, epochs=6, checkpoint=file, progress=False)
    found, history = fit(step, begin(), BATCHES, epochs=6, checkpoint=file, progress=False)
    np.testing.assert_allclose(tree.leaves(found), tree.leaves(wanted), rtol=1e-15)
    np.testing.assert_allclose(history["loss"], values, rtol=1e-15)
    again, history = fit(step, begin(), BATCHES, epochs=6, checkpoint=file, progress=False)
    assert tree.leaves(again) == tree.leaves(found)
    assert len(history["loss"]) == 6
    with pytest.raises(ValueError, match=r"run\.\w+ has no .* it has"):
        fit(step, ({"other": 0.0}, ()), BATCHES, epochs=7, checkpoint=file, progress=False)


def test_the_best_state_is_part_of_the_checkpoint(tmp_path: Path) -> None:
    def counting(state: Any, batch: Any) -> Any:
        return state + 1, 0.0

    stopping = EarlyStopping("validation", patience=4)
    values = iter([5.0, 1.0, 2.0])
    options: Any = {"early_stopping": stopping, "checkpoint": tmp_path / "run.npz", "progress": False}
    assert fit(counting, 0, [None], epochs=3, validate=lambda _: next(values), **options).state == 2
    values = iter([3.0, 4.0, 5.0, 6.0])
    state, history = fit(counting, 0, [None], epochs=9, validate=lambda _: next(values), **options)
    assert state == 2
    assert history["validation"] == [5.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_the_bar(capsys: Any, monkeypatch: Any) -> None:
    pytest.importorskip("tqdm")
    fit(step, begin(), BATCHES, epochs=2, progress=True)
    shown = capsys.readouterr().err
    assert "epoch 1/2" in shown
    assert "epoch 2/2: 100%" in shown
    assert "loss=" in shown
    monkeypatch.setitem(sys.modules, "tqdm", None)
    fit(step, begin(), BATCHES)
    assert capsys.readouterr().err == ""
    with pytest.raises(ModuleNotFoundError, match="a progress bar needs tqdm; install it, or give progress=False"):
        fit(step, begin(), BATCHES, progress=True)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match=r"fit: there are no batches \(test_fit.py:\d+\)"):
        fit(step, begin(), [], progress=False)
    with pytest.raises(
        TypeError,
        match=r"^fit: batches, <lambda>\(\), is called with the epoch's number \(test_fit.py:\d+\); write it as a "
        r"function of one argument, or give the batches themselves as a list$",
    ):
        fit(step, begin(), lambda: iter(BATCHES))
    with pytest.raises(
        ValueError, match=r"fit: batches are a list_iterator \(test_fit.py:\d+\), which ends with the first"
    ):
        fit(step, begin(), iter(BATCHES), epochs=2, progress=False)
    with pytest.raises(TypeError, match=r"fit: step must return \(state, metrics\), got int \(test_fit.py:\d+\)"):
        fit(lambda state, batch: 1, begin(), BATCHES, progress=False)  # type: ignore[arg-type,return-value]


def test_steps_that_return_something_else_are_refused() -> None:
    with pytest.raises(
        ValueError,
        match=r"^fit: the state was \(\*, \*\), and step returned {'loss': \*} for it \(test_fit.py:\d+\); return",
    ):
        optimize.fit(lambda state, batch: ({"loss": 1.0}, state), (0.0, 1.0), [1], progress=False)
    with pytest.raises(
        TypeError,
        match=r"^fit: the metric accuracy is float64\[3\] \(test_fit.py:\d+\); a metric is one number: take its mean$",
    ):
        optimize.fit(lambda state, batch: (state, {"accuracy": np.ones(3)}), 0.0, [1], progress=False)
    assert optimize.fit(lambda state, batch: (state, np.ones(1)), 0.0, [1], progress=False).history == {"loss": [1.0]}


def test_a_learning_rate_that_is_a_text_is_refused() -> None:
    with pytest.raises(
        TypeError, match=r"^a learning rate is a number or a schedule, not str \(test_fit.py:\d+\); convert it$"
    ):
        optimize.adam("0.1")  # type: ignore[arg-type]


def test_metrics_that_only_some_batches_have() -> None:
    def now_and_then(state: Any, batch: Any) -> Any:
        return state, {"loss": 1.0} | ({"rare": 6.0} if batch[0][0] == X[0] else {})

    _, history = fit(now_and_then, begin(), BATCHES, progress=False)
    assert history == {"loss": [1.0], "rare": [6.0]}


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"epochs": 2.0}, TypeError, "epochs is a whole number that is not negative, got float"),
        ({"epochs": -1}, TypeError, "epochs is a whole number that is not negative, got -1"),
        ({"early_stopping": "loss"}, TypeError, r"give optimize.EarlyStopping\('loss', patience=5\)"),
        ({"checkpoint": "run"}, ValueError, "run ends neither in .npz nor in .safetensors"),
        ({"checkpoint": "nowhere/run.npz"}, FileNotFoundError, "fit: there is no folder nowhere"),
        ({"checkpoint": 3}, TypeError, "fit: the file is int"),
    ],
)
def test_options_are_looked_at_before_anything_is_trained(options: Any, kind: Any, text: str) -> None:
    def untouched(state: Any, batch: Any) -> Any:
        raise AssertionError("a step was taken")

    with pytest.raises(kind, match=text):
        fit(untouched, begin(), BATCHES, progress=False, **options)


@pytest.mark.parametrize("patience", [0, -1, 2.5, "a"])
def test_patience_is_a_number_of_epochs(patience: Any) -> None:
    with pytest.raises(ValueError, match="patience is a number of epochs from 1 on"):
        EarlyStopping("loss", patience=patience)
