"""Applications: they build a `Problem` from data in a trade's own words and read a `Result` back."""
