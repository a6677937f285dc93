"""Runs: each item in a process that may fail, crash or hang, and a file that the next run goes on with."""

import json
from dataclasses import dataclass, replace

import pytest

from autodiff.testing.gpu import session, stages
from autodiff.testing.gpu.journal import START, Journal, OtherDeviceError
from autodiff.testing.gpu.process import Answer
from autodiff.testing.gpu.session import MARGIN, Session
from autodiff.testing.gpu.stages import STAGES, Stage, chosen

DEVICE = {"gpu": "H100", "driver": "580.1", "autodiff": "1 (abc)"}


@dataclass(frozen=True)
class OfTests(Stage):
    """A stage whose module is no part of the package."""

    @property
    def module(self):
        return self.items


FATES = OfTests("fates", "tests.testing.gpu.items", "all fates", 1.0)
FATES_OF_A_MINUTE = replace(FATES, seconds=60)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The file of a run over all fates, and what was said."""
    file, said = tmp_path_factory.mktemp("run") / "deeper" / "gpu.json", []
    journal = Journal(file)
    journal.begin(DEVICE, 60.0)
    Session(journal, 60.0, standin=True, say=said.append).run([FATES])
    return file, said


def test_every_fate_is_one_line_and_the_others_run(run):
    file, said = run
    items = json.loads(file.read_text())["items"]["fates"]
    assert {name: item["outcome"] for name, item in items.items()} == {
        "first": "right", "failing": "failed", "crashing": "crashed", "hanging": "too long", "lacking": "left out", "last": "right",
    }  # fmt: skip
    assert items["first"]["said"] == {"standin": True}
    assert items["last"]["said"] == 1
    assert items["failing"]["text"] == "ValueError: seven is not six"
    assert "raise ValueError" in items["failing"]["trace"]
    assert items["crashing"]["text"] == "its process ended with status 9. a last word"
    assert items["hanging"]["text"] == "no answer within 1 s."
    assert items["lacking"]["text"] == "needs a second GPU"
    assert said[0].startswith("fates: 6 of 6 items to run (all fates), ")
    assert [line.split(" in ")[0] for line in said[1:]] == [
        f"fates: {name}: {item['outcome']}" for name, item in items.items()
    ]


def test_the_next_run_goes_on(run):
    file, _ = run
    journal = Journal(file)
    assert journal.open("fates", again=False) == []
    assert journal.open("fates", again=True) == ["failing", "crashing", "hanging"]
    assert journal.counts("fates") == {"right": 2, "wrong": 3, "left out": 1, "open": 0}


def test_side_by_side_and_again(run, tmp_path):
    file = tmp_path / "gpu.json"
    file.write_text(run[0].read_text())
    journal, said = Journal(file), []
    journal.begin(DEVICE, 60.0)
    Session(journal, 60.0, standin=True, jobs=2, only=["fail", "crash"], again=True, say=said.append).run([FATES])
    assert said[0].startswith("fates: 2 of 6 items to run")
    assert {name: item["run"] for name, item in journal.content["items"]["fates"].items()} == {
        "first": 0, "failing": 1, "crashing": 1, "hanging": 0, "lacking": 0, "last": 0,
    }  # fmt: skip


def test_what_the_end_of_a_run_cuts_off_stays_open(monkeypatch):
    class Slow:
        names = ("one",)

        def __init__(self, module, standin):
            asked.append(module)

        def ask(self, name, seconds):
            asked.append(seconds)
            return Answer("too long", "no answer")

        def stop(self):
            return ""

    asked, said, journal = [], [], Journal(None)
    monkeypatch.setattr(session, "Worker", Slow)
    journal.begin(DEVICE, 9.0)
    Session(journal, 9.0, say=said.append).run([FATES_OF_A_MINUTE])
    assert 0 < asked[1] <= 9.0 - MARGIN
    assert journal.content["items"] == {}
    assert said[-1] == "fates: one: cut off by the end of the run, stays open"
    Session(journal, 90.0).run([FATES_OF_A_MINUTE])
    assert asked[3] == 60
    assert journal.content["items"]["fates"]["one"]["outcome"] == "too long"


def test_a_stage_that_does_not_start_is_wrong():
    journal = Journal(None)
    journal.begin(DEVICE, 60.0)
    Session(journal, 60.0, standin=True).run([OfTests("broken", "tests.testing.gpu.nothing", "", 9)])
    assert journal.counts("broken")["wrong"] == 1
    text = journal.content["items"]["broken"][START]["text"]
    assert text.endswith("ModuleNotFoundError: No module named 'tests.testing.gpu.nothing'")
    journal.named("broken", ["one"])
    assert journal.counts("broken") == {"right": 0, "wrong": 0, "left out": 0, "open": 1}


def test_results_of_two_devices_do_not_mix(tmp_path):
    file = tmp_path / "gpu.json"
    Journal(file).begin(DEVICE, 1.0)
    Journal(file).begin({**DEVICE, "autodiff": "2 (def)"}, 1.0)
    with pytest.raises(OtherDeviceError) as caught:
        Journal(file).begin({**DEVICE, "gpu": "T4"}, 1.0)
    assert str(caught.value) == f"{file} was written elsewhere (gpu H100, here T4): give another file"


def test_the_file_is_whole_after_each_item(tmp_path):
    journal = Journal(tmp_path / "gpu.json")
    journal.begin(DEVICE, 1.0)
    journal.named("fates", ["one", "two"])
    for name in ("one", "two"):
        journal.enter("fates", name, Answer("right", said=3))
        assert json.loads((tmp_path / "gpu.json").read_text()) == journal.content
    assert [path.name for path in tmp_path.iterdir()] == ["gpu.json"]


def test_an_installed_package_runs_what_it_has(tmp_path, monkeypatch):
    monkeypatch.setattr(stages, "CHECKOUT", tmp_path)
    assert [stage.name for stage in STAGES if not stage.why_not()] == ["cupy", "contact", "races", "peaks"]
    text = "needs a checkout of autodiff: an installed package has no tests/backends/cupy"
    assert next(iter(chosen(["kernels"]))).why_not() == text
    journal, said = Journal(None), []
    Session(journal, 60.0, say=said.append).run(chosen(["kernels"]))
    assert said == [f"kernels: left out: {text}"]
