"""A proof that a kernel stays within its memory, before it is compiled.

A kernel is followed from its first statement to its last. Whole numbers, on which places in memory depend, are
polynomials of symbols: the variables of loops, the part of the rows that a call is handed, numbers that are read. Of
each symbol it is known between which polynomials of older ones it lies (:mod:`facts`), from limits of loops and from
conditions. So every place is between two numbers, which are compared with the bytes of the array; parts of the rows
that run side by side are shown not to meet.

What cannot be proved is a fault: such a kernel is never run.

Two things are taken for granted. A number that is read from memory of the kernel's own is one that the kernel has
written there: that it was written before is not proved. And results of which threads have tiles, those of stacks and
of large products (`met`), are proved to hold every place, but not that no two parts share one.
"""
