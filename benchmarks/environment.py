"""Where and how the figures were made; a figure without this says nothing."""

from __future__ import annotations

import gc
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.threads import settings


def environment() -> dict[str, Any]:
    """Python, processor, thread and garbage collector settings of this interpreter."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
        "cores": os.cpu_count(),
        "thread_settings": settings(),
        "garbage_collector": {
            "enabled": gc.isenabled(),
            "thresholds": list(gc.get_threshold()),
            "policy": "modules and inputs frozen out of it, a full collection before every sample",
        },
    }


def processor() -> str:
    """The model as the system names it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def load_average() -> list[float] | None:
    """Over 1, 5 and 15 minutes; None where the system keeps none."""
    return list(os.getloadavg()) if hasattr(os, "getloadavg") else None
