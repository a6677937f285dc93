"""SciPy's modules by their names, for plain and traced values alike.

``from autodiff.scipy import stats, linalg`` in the place of ``from scipy import stats, linalg`` is all that a program
needs. With plain values each function is SciPy's own. With traced ones it is differentiated, or refused by name.
"""
