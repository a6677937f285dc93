"""Programs as object code that needs neither Python nor this library.

A tape becomes steps (:mod:`steps`): kernels with the places of their arrays, and copies. What kernels leave in parts is
put together by small ones (:mod:`stages`, :mod:`parts`). A function in LLVM's language runs the steps (:mod:`driver`),
is linked with the kernels, and becomes an object (:mod:`code`) with a header (:mod:`header`).
"""
