"""GPUs: two of them, of which one is current in a thread."""

import threading

COUNT = 2
_thread = threading.local()
WAITING = {"for everything": lambda: None}
"""What waits for all streams; they stand above GPUs."""


def current():
    """The number of the GPU that new arrays come to."""
    return getattr(_thread, "device", 0)


class CUDARuntimeError(RuntimeError):
    """What CUDA complains of."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class CUDADriverError(RuntimeError):
    """What CUDA's driver complains of."""

    def __init__(self, status, text="CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"):
        super().__init__(text)
        self.status = status


class Device:
    """A GPU."""

    def __init__(self, device=None):
        self.id = current() if device is None else int(device)
        self._before = []

    def __int__(self):
        return self.id

    def __index__(self):
        return self.id

    def __eq__(self, other):
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return f"<CUDA Device {self.id}>"

    def use(self):
        if not 0 <= self.id < COUNT:
            raise CUDARuntimeError(101, "cudaErrorInvalidDevice: invalid device ordinal")
        _thread.device = self.id

    def __enter__(self):
        self._before.append(current())
        self.use()
        return self

    def __exit__(self, *_):
        _thread.device = self._before.pop()

    def synchronize(self):
        WAITING["for everything"]()

    @property
    def compute_capability(self):
        return "90"

    @property
    def attributes(self):
        return {"MultiProcessorCount": 132, "MaxThreadsPerBlock": 1024, "MaxSharedMemoryPerBlock": 49152}

    @property
    def mem_info(self):
        return 70 << 30, 80 << 30

    @property
    def pci_bus_id(self):
        return f"0000:{self.id:02d}:00.0"


PROPERTIES = {
    "name": b"Stand-in",
    "major": 9,
    "minor": 0,
    "multiProcessorCount": 132,
    "totalGlobalMem": 80 << 30,
    "sharedMemPerBlock": 49152,
    "sharedMemPerBlockOptin": 232448,
    "sharedMemPerMultiprocessor": 233472,
    "maxThreadsPerBlock": 1024,
    "maxThreadsPerMultiProcessor": 2048,
    "regsPerBlock": 65536,
    "regsPerMultiprocessor": 65536,
    "warpSize": 32,
    "maxGridSize": (2147483647, 65535, 65535),
    "maxThreadsDim": (1024, 1024, 64),
    "l2CacheSize": 50 << 20,
    "memoryClockRate": 2619000,
    "memoryBusWidth": 5120,
    "clockRate": 1980000,
}


def device_count():
    """How many GPUs there are."""
    return COUNT


def properties(device):
    """What a GPU is made of."""
    if not 0 <= device < COUNT:
        raise CUDARuntimeError(101, "cudaErrorInvalidDevice: invalid device ordinal")
    return dict(PROPERTIES)


def set_device(device):
    """Make a GPU the current one."""
    Device(device).use()
