"""Look at the built site as a reader would: ``python -m docs.building.look docs/_build``.

A headless Chromium opens every page as wide as a phone, and asks the search for a word. Pages that are wider than the
screen, and a search that finds nothing, are named, and end the command with exit code 1.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import which

PHONE = 390
"""Pixels, of CSS."""
WORD = "checkpoint"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SCRIPT = """<body><iframe id="page" style="width: {width}px; height: 844px"></iframe><pre id="found"></pre><script>
const frame = document.getElementById("page"), wide = [];
const opened = address => new Promise(done => {{ frame.onload = done; frame.src = address; }});
async function look() {{
  for (const address of {pages}) {{
    await opened(address);
    const shown = frame.contentDocument, content = shown.querySelector(".content");
    // Furo's content scrolls by itself where something in it is too wide; then the page is as wide as before.
    const width = shown.documentElement.scrollWidth + (content ? content.scrollWidth - content.clientWidth : 0);
    if (width > {width}) wide.push([address, width]);
  }}
  await opened("search.html?q={word}");
  let results = 0;
  for (let k = 0; k < 100 && !results; k++) {{
    await new Promise(done => setTimeout(done, 50));
    results = frame.contentDocument.querySelectorAll("#search-results li").length;
  }}
  document.getElementById("found").textContent = JSON.stringify({{wide, results}});
}}
look();
</script></body>"""


class Handler(SimpleHTTPRequestHandler):
    """The files of the site, and the page that opens them."""

    script = ""

    def do_GET(self) -> None:
        if self.path != "/look":
            super().do_GET()
            return
        text = self.script.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is said of what is asked for."""


@contextmanager
def served(site: Path, pages: list[str]) -> Iterator[str]:
    """The address of the page that opens all others."""
    text = SCRIPT.format(width=PHONE, pages=json.dumps(pages), word=WORD)
    handler = type("OfSite", (Handler,), {"script": text})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/look"
        finally:
            server.shutdown()
            thread.join()


def looked_at(browser: str, site: Path, pages: list[str]) -> dict[str, object]:
    """Which pages are wider than a phone, and how many results the search has."""
    with served(site, pages) as address:
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=600000", "--dump-dom"]
        done = subprocess.run([browser, *options, address], capture_output=True, text=True, timeout=600, check=True)
    said = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    if said is None or not said[1]:
        raise RuntimeError(f"{browser} did not come to the end of {len(pages)} pages: {done.stderr[-500:]}")
    found: dict[str, object] = json.loads(said[1])
    return found


def main(given: list[str]) -> int:
    """Say what was found. 1 where a page is too wide or the search finds nothing, 2 without a browser or a site."""
    site = Path(given[0]) if len(given) == 1 else Path("docs/_build")
    browser = next(filter(None, map(which, BROWSERS)), None)
    pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    if browser is None or not pages:
        print(f"{site} has no pages" if browser else f"none of {', '.join(BROWSERS)} is installed", file=sys.stderr)
        return 2
    found = looked_at(browser, site, pages)
    print(
        f"{len(pages)} pages, {PHONE} pixels wide; {found['results']} results for {WORD!r}; too wide: {found['wide']}"
    )
    return int(bool(found["wide"]) or not found["results"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
