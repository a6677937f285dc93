"""The pytest plugin of `autodiff.testing`: options, a mark, a summary, failures as files that run.

It stands beside the package, not in it: pytest loads it in every session of every project, and must load neither
autodiff nor hypothesis where nobody tests a gradient.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest

SESSION = "autodiff.testing.session"
PROPERTY = "autodiff gradient test"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of gradient tests."""
    group = parser.getgroup("autodiff", "gradient tests")
    group.addoption("--gradient-examples", type=int, metavar="N", help="arguments drawn for each gradient test")
    group.addoption("--gradient-seed", type=int, default=0, metavar="N", help="another number draws other arguments")


def pytest_configure(config: pytest.Config) -> None:
    """The mark that gradient tests carry."""
    config.addinivalue_line("markers", "gradient: tests of derivatives, by autodiff.testing.gradient_test")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give gradient tests their mark."""
    for item in items:
        if getattr(getattr(item, "obj", None), "gradient", False) is True:
            item.add_marker("gradient")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """Tell gradient tests what the command line asks for, and keep what they found out with the test's report."""
    before = session_of(item.config)
    try:
        return (yield)
    finally:
        after = before or session_of(item.config)
        if after is not None:
            item.user_properties.extend((PROPERTY, described(one)) for one in after.taken())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Any:
    """Show a broken law as one file that shows it again."""
    report = yield
    error = call.excinfo.value if call.excinfo is not None else None
    program = getattr(error, "program", None)
    if report.when == "call" and isinstance(program, str):
        report.sections.append((f"a file that shows it again (--gradient-seed {seed_of(item.config)})", program))
    return report


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what was tried and what was found out."""
    found = [
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == PROPERTY and getattr(report, "when", "") == "call"
    ]
    if not found:
        return
    terminalreporter.section("gradient tests")
    total = {name: sum(one[name] for one in found) for name in ("laws", "points", "kinked", "undecided")}
    terminalreporter.write_line(
        f"{len(found)} functions, {total['laws']} laws at {total['points']} points: {total['kinked']} at kinks, "
        f"{total['undecided']} undecided; seed {seed_of(config)}"
    )
    for one in found:
        if one["kinked"] or one["undecided"]:
            terminalreporter.write_line(f"  {one['text']}")


def session_of(config: pytest.Config) -> Any:
    """What gradient tests look at, once somebody has imported them; None before."""
    module = sys.modules.get(SESSION)
    if module is None:
        return None
    session = module.SESSION
    session.listening = True
    session.examples = config.getoption("--gradient-examples") or None
    session.seed = seed_of(config)
    return session


def seed_of(config: pytest.Config) -> int:
    """The seed of the command line."""
    return int(config.getoption("--gradient-seed"))


def described(summary: Any) -> dict[str, Any]:
    """A summary as plain numbers and text, which processes of pytest-xdist can send."""
    return {
        "laws": len(summary.decided),
        "points": summary.points,
        "kinked": summary.kinked,
        "undecided": summary.undecided.total(),
        "text": str(summary),
    }
