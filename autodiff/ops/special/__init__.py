"""Functions of SciPy on each element, and the formulas of their derivatives."""
