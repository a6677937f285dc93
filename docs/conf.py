"""The documentation site: ``python -m sphinx docs docs/_build``.

Pages are Markdown. What can be derived is written anew by each build: the reference from docstrings, the gallery from
its programs, the benchmarks from the figures of a run. `docs/building` has what does that.
"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # the checkout comes before an installed copy

import autodiff  # noqa: E402
from docs.building import benchmarks, breaks, gallery, notebooks, reference  # noqa: E402

project = "autodiff"
author = copyright = "The autodiff authors"
version = release = autodiff.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
if not tags.has("without_sources"):  # noqa: F821 - Sphinx puts it here
    extensions.append("sphinx.ext.viewcode")  # which takes as long as all else
exclude_patterns = ["_build", "jupyter_execute", "**.ipynb_checkpoints", "building"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # notebooks are kept with what they print, and the tests run them

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say more, with shapes and ranges
autodoc_inherit_docstrings = False
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True  # an attribute may be a property, which has its own place

linkcheck_anchors = False  # many pages make theirs by a program
linkcheck_timeout = 20  # seconds

html_theme = "furo"
html_title = f"autodiff {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False


def setup(app):
    """Write the derived pages before anything is read; correct docstrings as they are read."""
    app.connect("autodoc-process-docstring", reference.keep_initials)
    app.connect("autodoc-process-docstring", reference.lead_to_example)
    app.connect("html-page-context", breaks.allow_breaks)
    for part in (reference, gallery, benchmarks, notebooks):
        app.connect("builder-inited", lambda app, part=part: part.write(HERE))
