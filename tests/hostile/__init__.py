"""Files of strangers: saved tapes and snapshots, changed at random, must load as they are or be refused.

``python -m tests.hostile --tapes 60000 --snapshots 40000`` runs many; the tests run few.
"""
