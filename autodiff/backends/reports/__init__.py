"""What programs say about themselves: how they are run, what that costs, why, and how long it takes."""
