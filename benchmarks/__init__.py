"""HybridMIP against real peers, in one run: `make bench`, or `python -m benchmarks --help`."""
