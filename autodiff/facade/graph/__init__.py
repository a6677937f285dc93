"""The graph behind Variables: how it is recorded, kept, walked through and cut."""
