"""The ufuncs of scipy.special, for traced values. It is loaded when the first of them is called with one."""

from __future__ import annotations

import scipy.special as sp

from autodiff.numpy.dispatch import UFUNCS, register_ufuncs
from autodiff.ops import special

register_ufuncs()
UFUNCS[sp.exprel] = lambda x: special.exprel(x, order=0)
