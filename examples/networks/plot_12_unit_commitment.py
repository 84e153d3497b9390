"""
Unit commitment from an MPS file
================================

Which of six power stations run in which of 24 hours, read from a file that any solver reads.

You will see how to solve a model from a file, how to get back to the names in it, and what the
word *trusted* means. The file (:download:`unit_commitment.mps`; put it beside the script) is
text. It was written by a short script in the repository.
"""

# %%
# Read it
# -------
# Every unit has a least and a most power while it is on, a cost for each hour on, for each
# megawatt hour and for each start; once started it stays on for some hours. Together the units
# meet the demand, with 10 % in reserve.
#
# The rows ``power <= most * on`` and ``power >= least * on`` are recognised: each power is
# *switched* by a binary. That is the form in which this solver thinks.

import hybridmip as hm

model = hm.read_model("unit_commitment.mps")
print(model.problem)

# %%
# Solve it
# --------

result = hm.solve(model.problem, time_limit=60)
print(f"{result.status}: {model.objective(result.objective):,.0f} for the day")
print(f"the bound is {result.rests_on}")

# %%
# *Trusted* says what the bound rests on: for a linear model like this one the tree is that of
# HiGHS, and its word is taken. What can be checked is checked: the answer itself, row by row,
# with the data of the file. Bounds that need nobody's word are called *proven*; see the last
# example of this gallery.

print(f"largest violation of any row: {result.violation:.0e}")

# %%
# Back to the file's names
# ------------------------
# ``model.values`` gives every column of the file by its name.

values = model.values(result.x, result.b)
units = ["nuclear", "coal1", "coal2", "gas1", "gas2", "peak"]
power = {unit: [values[f"power_{unit}_{hour}"] for hour in range(1, 25)] for unit in units}
for unit in units:
    starts = [hour for hour in range(1, 25) if values[f"start_{unit}_{hour}"] > 0.5]
    hours = sum(made > 0 for made in power[unit])
    print(f"{unit:8} {sum(power[unit]):7,.0f} MWh, on {hours:2} hours, starts {starts}")

# %%
# The large units run through. The second coal unit comes on in the morning and stays, and what
# is left of the evening peak is for the small ones, which cost more by the megawatt hour and
# less to start.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(4.8, 3.7), layout="constrained")
colours = ["#0072B2", "#56B4E9", "#009E73", "#E69F00", "#F0E442", "#D55E00"]
axes.stackplot(range(1, 25), power.values(), labels=units, colors=colours, step="mid")
axes.set_xlim(1, 24)
axes.set_xticks([1, 6, 12, 18, 24])
axes.set_xlabel("hour")
axes.set_ylabel("power, MW")
handles, labels = axes.get_legend_handles_labels()
axes.legend(handles[::-1], labels[::-1], fontsize=8, loc="lower right")
axes.set_title("Six units meet a day's demand; two run through", fontsize=10)
plt.show()

# %%
# What to change: the file is text, so raise a demand in its ``RHS`` section and solve again.
# ``.lp``, ``.nl``, QPLIB and gzipped files are read the same way. On the command line::
#
#     hybridmip solve unit_commitment.mps --time-limit 60 --out unit_commitment.sol
