"""`python -m autodiff.testing.gpu`: whether everything is right on the GPU of this machine, and how fast.

Nothing is imported here, since every item runs in a process of its own.
"""
