"""The demo as a user meets it: what it prints, what it writes, how it refuses."""

import re
import subprocess
import sys

import numpy as np
import pytest

from autodiff.__main__ import main
from autodiff.demo import command
from autodiff.demo.digits import load


@pytest.fixture(autouse=True)
def no_thread_stays(monkeypatch):
    """tqdm starts a thread that watches progress bars, and keeps it."""
    monkeypatch.setattr("tqdm.tqdm.monitor_interval", 0)


PNG = b"\x89PNG\r\n\x1a\n"


def test_trains_prints_and_draws(tmp_path, capsys):
    picture = tmp_path / "digits.png"
    assert main(["demo", "--steps", "300", "--out", str(picture)]) == 0
    printed, progress = capsys.readouterr()
    functions, parameters = map(float, re.findall(r"([\d.]+)% with", printed))
    assert min(functions, parameters) >= 95
    assert float(re.search(r"largest difference: +(\S+) between", printed)[1]) <= 1e-6
    costs = re.findall(r"(tracers|Variables) +([\d.]+) us forward, ([\d.]+) us with backward", printed)
    assert [name for name, *_ in costs] == ["tracers", "Variables"]
    assert all(0 < float(forward) < float(total) for _, forward, total in costs)
    assert f"picture:            {picture}" in printed
    assert "functions " in progress
    assert "300/300" in progress
    assert picture.read_bytes().startswith(PNG)
    assert picture.stat().st_size > 20_000


def test_too_few_steps_fall_short(tmp_path, capsys):
    picture = tmp_path / "digits.png"
    assert main(["demo", "--steps", "2", "--seed", "3", "--out", str(picture)]) == 1
    assert re.search(
        r"^python -m autodiff demo: falls short: test accuracy [\d.]+% after 2 steps, needed 95.0%$",
        capsys.readouterr().err,
        re.MULTILINE,
    )
    assert picture.exists()


def test_faces_that_disagree_fall_short(capsys):
    assert command.verdict(0.97, 2e-3, 600) == 1
    assert capsys.readouterr().err == (
        "python -m autodiff demo: falls short: parameters differ by 2.0e-03, allowed 1.0e-06\n"
    )


def test_nan_falls_short(capsys):
    assert command.verdict(float("nan"), float("nan"), 600) == 1
    assert capsys.readouterr().err.count("falls short") == 2


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        (["sklearn"], "scikit-learn"),
        (["matplotlib"], "matplotlib"),
        (["sklearn", "matplotlib", "tqdm"], "scikit-learn, matplotlib, tqdm"),
    ],
)
def test_missing_packages_are_named(missing, named, monkeypatch, tmp_path, capsys):
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["demo", "--out", str(tmp_path / "digits.png")]) == 2
    assert capsys.readouterr().err == (
        f"python -m autodiff demo: the demo needs {named}: pip install 'autodiff[demo]'\n"
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--steps", "-3"], "argument --steps: needed a whole number from 1, got -3"),
        (["--steps", "0"], "argument --steps: needed a whole number from 1, got 0"),
        (["--steps", "many"], "argument --steps: needed a whole number from 1, got many"),
        (["--seed", "-1"], "argument --seed: needed a whole number from 0, got -1"),
        (["--out", "digits.jpg"], "argument --out: needed a path that ends in .png, got digits.jpg"),
        (["--out", "no/digits.png"], "argument --out: cannot write no/digits.png: No such file or directory"),
        (["--out", "folder.png"], "argument --out: cannot write folder.png: Is a directory"),
    ],
)
def test_bad_options_are_refused_before_training(options, text, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "require", lambda: pytest.fail("went on with a bad option"))
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(SystemExit) as refusal:
        main(["demo", *options])
    assert refusal.value.code == 2
    assert capsys.readouterr().err.endswith(f"python -m autodiff demo: error: {text}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]


def test_checking_the_path_leaves_an_old_picture_alone(tmp_path, monkeypatch):
    picture = tmp_path / "digits.png"
    picture.write_bytes(b"old")
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert main(["demo", "--out", str(picture)]) == 2
    assert picture.read_bytes() == b"old"


def test_no_command_prints_the_usage(capsys):
    assert main([]) == 0
    assert capsys.readouterr().out.startswith("usage: python -m autodiff [-h] COMMAND ...")


def test_help_needs_no_extra_package():
    check = (
        "import sys, autodiff.__main__; "
        "print([name for name in ('sklearn', 'matplotlib', 'tqdm', 'hypothesis') if name in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", check], text=True) == "[]\n"


def test_a_seed_decides_the_digits_and_the_batches():
    first, second = (load(np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(first.test_images, second.test_images)
    assert len(first.test_labels) == 360
    assert len(first.labels) == 1797 - 360
    drawn = [list(first.batches(2, 5, np.random.default_rng(8))) for _ in range(2)]
    for (images, labels), (again, same) in zip(*drawn):
        assert images.shape == (5, 64)
        assert np.array_equal(images, again)
        assert np.array_equal(labels, same)
