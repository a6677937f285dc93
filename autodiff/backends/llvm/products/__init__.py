"""Products of matrices, printed as LLVM instructions.

Those of small matrices know all sizes; those of large ones are made of panels.
"""
