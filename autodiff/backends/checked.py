"""Whether kernels look, while they run, at each place in memory before they touch it.

``AUTODIFF_CHECK_KERNELS=1`` in the environment compares every load and store of a compiled CPU kernel with the extent
of the buffer that it belongs to, as the call has handed it over. Long kernels take one to five times as long then,
small ones some twenty times: this is for those who write kernels, and for whoever hunts a fault.
"""

from __future__ import annotations

import os

CHECKED = os.environ.get("AUTODIFF_CHECK_KERNELS") == "1"
"""Whether this process checks."""
