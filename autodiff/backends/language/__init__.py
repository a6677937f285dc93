"""The language of kernels: what is between a tape and machine code.

A kernel is a function of whole numbers, addresses and elements: loops over ranges, conditions, loads, stores, and
functions of single elements. It is written as Python that Numba understands, too, so people read it, and Numba or plain
Python can run it. `reading` makes of that text a typed tree, once; whatever looks at a kernel looks at the tree:

- `types`: what values are, and of what type results are; `functions`: the functions of elements, and what they take;
- `tree`: the nodes, which never change and print as the text;
- `reading`: from text to tree, or a refusal that says what is no part of the language;
- `conversion`: numbers of other types, and expressions in place of names;
- `names`: which names statements read and assign, and which are read after a loop;
- `polynomials`: whole numbers as sums of products, where places in memory are compared.

Proofs (`backends/verifier`), instructions (`backends/llvm/statements`) and vectors (`backends/llvm/vectors`) follow it.
"""
