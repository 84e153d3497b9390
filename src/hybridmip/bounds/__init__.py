"""Lower bounds that hold whatever their inputs are, and their proofs."""
