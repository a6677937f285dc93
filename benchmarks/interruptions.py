"""How often the system has taken the processor away from us: 4 ms each time, more than a whole sample."""

from __future__ import annotations

try:
    import resource
except ImportError:  # not on Windows

    def interruptions() -> int:
        """Nothing is known here."""
        return 0

else:

    def interruptions() -> int:
        """Involuntary context switches of this process since it began."""
        return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
