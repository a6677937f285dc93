"""``python -m autodiff.testing.gpu``, and the page that is made of its results."""

import json

import pytest

from autodiff.backends import gpu
from autodiff.testing.gpu.__main__ import NO_DEVICE, OPEN, REFUSED, RIGHT, WRONG, main, status
from autodiff.testing.gpu.journal import Journal
from autodiff.testing.gpu.page import BEGIN, END, PageError, enter_into, written
from autodiff.testing.gpu.process import Answer

DEVICE = {"gpu": "NVIDIA H200", "driver": "580.1", "CuPy": "14.2.0", "autodiff": "1 (abc)"}
ROW = {
    "program": "perceptron",
    "size": "small",
    "ratio": 0.8,
    "precision": "TF32",
    "bytes": 2_000_000,
    "operations": 4_000_000_000,
    "measurements": [
        {"peer": "autodiff", "median": 2e-6},
        {"peer": "torch", "median": 2.5e-3},
        {"peer": "jax", "failure": "none"},
    ],
}


@pytest.mark.skipif(gpu.found()[0] is not None, reason="there is a GPU")
def test_without_a_gpu_it_says_so(capsys):
    assert main([]) == NO_DEVICE
    reason = gpu.found()[1]
    assert capsys.readouterr().err == (
        f"nothing ran: CuPy has no GPU here: {reason}. With --stand-in everything runs on the CPU, as a trial.\n"
    )


def test_on_the_stand_in(tmp_path, capsys):
    file = tmp_path / "gpu.json"
    options = ["--stand-in", "--stage", "cupy", "--json", str(file), "--jobs", "1", "--seconds", "100"]
    assert main([*options, "--only", "dtypes", "--only", "cuBLAS in"]) == OPEN
    found = json.loads(file.read_text())
    assert {name: item["outcome"] for name, item in found["items"]["cupy"].items()} == {
        "dtypes": "right",
        "cuBLAS in capture": "left out",
    }
    assert capsys.readouterr().out == "cupy       1 right, 1 left out, 12 open\n"
    found["runs"][0]["device"]["gpu"] = "NVIDIA H200"
    file.write_text(json.dumps(found))
    assert main(options) == REFUSED
    assert "was written elsewhere (gpu NVIDIA H200, here none: the stand-in for CuPy)" in capsys.readouterr().err


def filled():
    journal = Journal(None)
    journal.begin(DEVICE, 60.0)
    journal.content["runs"][0]["date"] = "2026-12-01T10:00:00+00:00"
    journal.named("contact", ["one", "two"])
    journal.enter("contact", "one", Answer("failed", "ValueError: a_b\nis off"))
    journal.named("peaks", ["copy", "TF32"])
    journal.enter("peaks", "copy", Answer("right", said={"bytes per second": 4e12}))
    journal.enter("peaks", "TF32", Answer("right", said={"operations per second": 4e15}))
    journal.named("figures", ["small"])
    journal.enter("figures", "small", Answer("right", said=ROW))
    journal.left_out("kernels", "needs a checkout")
    return journal


def test_the_page(tmp_path):
    page = tmp_path / "gpu.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    enter_into(page, filled())
    text = page.read_text()
    assert text.startswith(
        f"before\n{BEGIN}\n\nOn NVIDIA H200, 2026-12-01: driver 580.1; CuPy 14.2.0; autodiff 1 (abc).\n"
    )
    assert text.endswith(f"{END}\nafter\n")
    for line in (
        "| `contact` | one program a kind of kernel, graph and call | 0 | 1 | 0 | 1 |",
        "| `kernels` | the tests of kernels, on the device |  |  | needs a checkout |  |",
        "- `contact`, one: failed: ValueError: a\\_b is off",
        "Measured peaks: copy 4,000 GB/s, TF32 4e+03 TFLOP/s.",
        "| row | autodiff | torch | jax | ratio | of copy | of products |",
        "| perceptron small | 2.0 us | 2.50 ms | - | 0.80 | 0.25 | 0.50 |",
    ):
        assert line in text.splitlines()
    enter_into(page, filled())
    assert page.read_text() == text


def test_a_page_without_a_place(tmp_path):
    page = tmp_path / "gpu.md"
    page.write_text("nothing\n")
    with pytest.raises(PageError, match="needs the lines <!-- measured: begin --> and <!-- measured: end -->"):
        enter_into(page, filled())


def test_nothing_measured():
    assert "Nothing has been measured yet." in list(written(Journal(None)))


def test_the_status():
    journal = Journal(None)
    assert status(journal, ["contact"]) == OPEN
    journal.named("contact", ["one"])
    assert status(journal, ["contact"]) == OPEN
    journal.enter("contact", "one", Answer("right"))
    assert status(journal, ["contact"]) == RIGHT
    journal.enter("contact", "one", Answer("too long"))
    assert status(journal, ["contact"]) == WRONG
    assert status(filled(), ["kernels"]) == RIGHT
