"""Phase 3: exact methods. Small sets of b are enumerated; feasibility itself is decided by a MILP."""
