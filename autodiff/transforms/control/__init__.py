"""Loops and branches: ``cond``, ``switch``, ``scan``, ``while_loop``, ``fori_loop``, ``associative_scan``, ``map``."""
