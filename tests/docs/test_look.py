"""What looks at the site in a browser sees pages that are too wide, and a search that finds nothing."""

from __future__ import annotations

from shutil import which

import pytest

from docs.building.look import BROWSERS, main

PAGE = '<!doctype html><meta name="viewport" content="width=device-width"><body style="margin: 0">{}</body>'
FOUND = '<div id="search-results"><ul><li>one</li></ul></div>'


@pytest.mark.skipif(not any(map(which, BROWSERS)), reason="no headless Chromium is installed")
@pytest.mark.parametrize(
    ("text", "results", "code", "said"),
    [
        ("narrow", FOUND, 0, "2 pages, 390 pixels wide; 1 results for 'checkpoint'; too wide: []\n"),
        (
            '<div style="width: 500px">wide</div>',
            "nothing",
            1,
            "2 pages, 390 pixels wide; 0 results for 'checkpoint'; too wide: [['index.html', 500]]\n",
        ),
        (
            '<div class="content" style="overflow-x: auto"><div style="width: 500px">wide, and it scrolls</div></div>',
            FOUND,
            1,
            "2 pages, 390 pixels wide; 1 results for 'checkpoint'; too wide: [['index.html', 500]]\n",
        ),
    ],
)
def test_it_says_what_it_sees(tmp_path, capsys, text, results, code, said):
    (tmp_path / "index.html").write_text(PAGE.format(text))
    (tmp_path / "search.html").write_text(PAGE.format(results))
    assert main([str(tmp_path)]) == code
    assert capsys.readouterr().out == said


def test_without_a_site_or_a_browser_it_says_so(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("docs.building.look.which", lambda name: name)
    assert main([str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"{tmp_path} has no pages\n"
    monkeypatch.setattr("docs.building.look.which", lambda name: None)
    assert main([str(tmp_path)]) == 2
    assert capsys.readouterr().err == "none of chromium, chromium-browser, google-chrome is installed\n"
