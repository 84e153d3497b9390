"""Every tolerance that decides what may be said, in one place, with what it means.

The solver works in units of its own (`model.units`): x, rows and costs are near 1 there, whatever the caller's units
were. What is measured against the caller's data is measured in shares of the sizes of the terms, so that it does not
depend on units either. Nothing small counts as zero where it is multiplied by something without a limit.
"""

from __future__ import annotations

#: An answer is called optimal when the relative gap to a proven bound is at most this.
OPTIMAL_GAP = 1e-6
#: A gap of zero is one of at most this: rounding.
ZERO_GAP = 1e-9
#: The gap is relative to |objective|, but never to less than this share of the sum of the sizes of its terms: below,
#: digits of the terms themselves are missing.
LEAST_OBJECTIVE = 1e-6
#: An objective below this share of its terms is zero, but for rounding; the gap is then relative to this share of them.
ZERO_OBJECTIVE = 1e-13
LEAST_ZERO = 1e-3
#: A row on x holds when it is missed by no more than this share of the sum of the sizes of its terms and limit.
FEASIBLE = 1e-9
#: In the solver's units: x of this size is nothing, and the size of a row is at least that of such x.
NOTHING = 1e-3
#: A row on b alone holds when it is missed by no more than this share: rounding of a sum, and no more.
FEASIBLE_BINARY = 1e-12
#: A bound above the objective by no more than this share of its terms is what rows may be missed by, at their price; by
#: more it is a contradiction.
CONTRADICTION = 1e-7
#: In the solver's units, in which costs are near 1: a difference of values of this size is none.
NEGLIGIBLE = 1e-9
#: In the solver's units: violations of rows of unit norm that the solvers of restricted problems let pass.
KERNEL_FEASIBLE = 1e-10
GENERAL_FEASIBLE = 1e-8
#: In the solver's units: a b is infeasible when its rows are missed by more than this, and a proof says so.
INFEASIBLE = 1e-7
#: Q counts as semidefinite down to this share of its diagonal, x by x; what is lacking is charged to every bound.
SEMIDEFINITE = 1e-9
#: Q counts as symmetric up to this share of sqrt(Q_ii Q_jj); its symmetric part is what is solved.
SYMMETRIC = 1e-9
#: Terms of one row, each as large as it can be, may differ by this factor; beyond, the caller is warned.
WIDEST_ROW = 2.0**40
#: HiGHS's word on a bound is good to this share of the bound, and of the largest cost.
TRUSTED = 1e-9
#: Where values lie on a grid, a bound is rounded up to it when it is above a value by more than this share of a step.
GRID = 1e-6
