"""Every piece of Python on a page of the documentation runs, and answers what stands there.

The snippets of a page are one program: later ones know what earlier ones defined. A comment above a block that readers do
not see says what is unusual of it: ``needs: cupy`` where a package is not installed everywhere.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import subprocess
import sys
from importlib.util import find_spec
from shutil import which

import pytest

from tests.docs.pages import HIDDEN, ROOT, Snippet, page_name, pages, snippets
from tests.standin.fixture import cupy  # noqa: F401 - stands in for a GPU

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
NOT_RUN = {"sh", "c", "text"}
"""Languages that are no Python: commands have a test of their own, the C program is run by the page that writes what it links."""
PAGES = [path for path in pages() if any(snippet.language == "python" for snippet in snippets(path))]


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_snippets_run(path, monkeypatch, tmp_path, request):
    monkeypatch.chdir(tmp_path)  # what a page writes goes with the test
    names = {"__name__": "__main__"}
    if any(snippet.note == "needs: cupy" for snippet in snippets(path)) and which("g++"):
        request.getfixturevalue("cupy")
    for snippet in snippets(path):
        if snippet.language == "python" and is_installed(snippet):
            where = f"{page_name(path)}:{snippet.line}"
            run_session(snippet, names, where) if snippet.is_session else run_block(snippet, names, where)


def is_installed(snippet: Snippet) -> bool:
    """Whether the packages, or programs, that a snippet says it needs are there."""
    needed = snippet.note.removeprefix("needs:").split(",") if snippet.note.startswith("needs:") else []
    return all(name in sys.modules or find_spec(name) is not None or which(name) for name in map(str.strip, needed))


def run_block(snippet: Snippet, names: dict, where: str) -> None:
    """Run statements; tracebacks show the page and its line."""
    code = compile("\n" * (snippet.line - 1) + snippet.code, where.partition(":")[0], "exec")
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, names)


def run_session(snippet: Snippet, names: dict, where: str) -> None:
    """Run what an interpreter was told, and compare what it answers."""
    test = doctest.DocTestParser().get_doctest(snippet.code, names, where, where, snippet.line - 1)
    test.globs = names
    said = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test, out=said.write, clear_globs=False)
    assert runner.failures == 0, said.getvalue()


def test_snippets_are_found_and_compared():
    """The test above would see a wrong answer."""
    with pytest.raises(AssertionError, match=r"(?s)Expected:\s+5\s+Got:\s+4"):
        run_session(Snippet("python", ">>> 2 + 2\n5\n", 1, ""), {}, "here")
    assert sum(len(snippets(path)) for path in PAGES) > 80


def test_nothing_escapes():
    """Every fence of every Markdown file is run, is no Python, or is a directive of the site."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    for path in (ROOT / name for name in listed.stdout.split()):
        opened = re.findall(r"^[ ]*(?:```|~~~)[ ]*(\S*)[^\n]*\n.*?^[ ]*(?:```|~~~)$", path.read_text(), re.M | re.S)
        languages = {language for language in opened if not language.startswith("{")}
        assert languages <= ({"python"} | NOT_RUN if path in pages() else NOT_RUN), path
        hidden = len(HIDDEN.findall(path.read_text()))
        assert opened.count("python") + hidden == sum(s.language == "python" for s in snippets(path)), path
