"""Rewriting: equations replaced by simpler, cheaper or more exact ones."""
