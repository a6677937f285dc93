"""`python -m autodiff demo`: one loss in plain NumPy, trained through both faces of the library."""
