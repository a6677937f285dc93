"""One program for each function of SciPy that is differentiated: `python -m tests.scipy.programs` checks them all."""
