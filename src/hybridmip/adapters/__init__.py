"""HybridMIP as a solver of other modelling tools: they hand over their models and read the answers."""
