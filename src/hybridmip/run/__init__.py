"""A solve from its arguments to its result."""
