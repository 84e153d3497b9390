"""What others have written and compiled code: HiGHS, Clarabel, BLAS, Numba."""
