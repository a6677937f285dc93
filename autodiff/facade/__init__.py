"""The stateful face: Variables over the same tape."""
