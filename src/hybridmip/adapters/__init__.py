"""HybridMIP as a solver of other modelling tools."""
