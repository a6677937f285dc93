"""Machine code: kept on disk, loaded, bound to a function of Python, shared by threads.

A launch is native, too: `launcher` and `pool` are written in a language of whole numbers (`words`), and compiled once.
"""
