"""Linear algebra: products, equations and decompositions of stacks of matrices."""
