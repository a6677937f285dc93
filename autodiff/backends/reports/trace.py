"""Chrome's format of traces, which Perfetto reads too."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from autodiff.backends.reports.entry import Event


def written(events: Iterable[Event], dropped: int) -> str:
    """The text of a trace, which begins at zero.

    Args:
        events: in any order.
        dropped: how many more there were.
    """
    events = sorted(events, key=lambda event: (event.start, -event.end))
    first = events[0].start if events else 0
    threads = {number: k for k, number in enumerate(dict.fromkeys(event.thread for event in events))}
    process = os.getpid()
    named = [
        {"name": "thread_name", "ph": "M", "pid": process, "tid": k, "args": {"name": f"thread {number}"}}
        for number, k in threads.items()
    ]
    timed = [event_of(event, first, process, threads[event.thread]) for event in events]
    content = {"traceEvents": [*named, *timed], "displayTimeUnit": "ns", "otherData": {"dropped events": dropped}}
    return json.dumps(content)


def event_of(event: Event, first: int, process: int, thread: int) -> dict[str, Any]:
    """A complete event, in microseconds."""
    entry = event.entry
    about = {
        "program": entry.program,
        "lines": entry.source,
        "operations": entry.count.operations,
        "functions": entry.count.functions,
        "bytes read": entry.count.read,
        "bytes written": entry.count.written,
    }
    return {
        "name": entry.name,
        "cat": entry.kind,
        "ph": "X",
        "ts": (event.start - first) / 1000,
        "dur": (event.end - event.start) / 1000,
        "pid": process,
        "tid": thread,
        "args": {name: value for name, value in about.items() if value},
    }
