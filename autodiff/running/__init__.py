"""Running programs that were written for other libraries: as ``__main__``, with modules of ours under their names."""
