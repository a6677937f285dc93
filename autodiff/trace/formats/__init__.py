"""A frozen tape as text, as Graphviz, as Python source, and as a file."""
