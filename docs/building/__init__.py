"""How pages of the site are made of what is there: docstrings, programs, figures."""
