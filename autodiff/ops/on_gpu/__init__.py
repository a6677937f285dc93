"""Evaluators on arrays of CuPy, for primitives whose own evaluator asks for what CuPy does not have.

Each is made of what CuPy has; CuPy's functions are reached through NumPy's protocols, so that nothing here imports it.
Nothing is copied to the host.
"""
