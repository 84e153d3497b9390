"""Generated problems of every kind and in all units, against an oracle that shares no code with the solver.

    python -m tests.soak --problems 100000 --jobs 2 --out soak.md

Every failure is shrunk and stored in `tests/soak/found`, where the tests run it for ever.
"""
