"""How programs run on a device: compiled, launched, captured, and the memory they work in."""
