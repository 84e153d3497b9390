"""Phase 2: the genetic algorithm on the pool, then neighborhood search around its best."""
