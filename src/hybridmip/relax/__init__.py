"""Phase 1, the mixed relaxations: Line, Dual and Augm, each interchangeable.

Every relaxation gives scores (which binaries it would switch on), a relaxed point and a valid lower
bound; see `relax.protocol`.
"""
