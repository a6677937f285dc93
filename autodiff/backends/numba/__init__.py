"""Programs as native code, compiled by Numba, which is an optional extra."""
