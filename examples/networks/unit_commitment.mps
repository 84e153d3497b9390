NAME unit_commitment
ROWS
 N cost
 E demand_1
 G reserve_1
 E demand_2
 G reserve_2
 E demand_3
 G reserve_3
 E demand_4
 G reserve_4
 E demand_5
 G reserve_5
 E demand_6
 G reserve_6
 E demand_7
 G reserve_7
 E demand_8
 G reserve_8
 E demand_9
 G reserve_9
 E demand_10
 G reserve_10
 E demand_11
 G reserve_11
 E demand_12
 G reserve_12
 E demand_13
 G reserve_13
 E demand_14
 G reserve_14
 E demand_15
 G reserve_15
 E demand_16
 G reserve_16
 E demand_17
 G reserve_17
 E demand_18
 G reserve_18
 E demand_19
 G reserve_19
 E demand_20
 G reserve_20
 E demand_21
 G reserve_21
 E demand_22
 G reserve_22
 E demand_23
 G reserve_23
 E demand_24
 G reserve_24
 L most_nuclear_1
 G least_nuclear_1
 L stays_nuclear_1
 L most_nuclear_2
 G least_nuclear_2
 L stays_nuclear_2
 L starts_nuclear_2
 L up_nuclear_2
 L most_nuclear_3
 G least_nuclear_3
 L stays_nuclear_3
 L starts_nuclear_3
 L up_nuclear_3
 L most_nuclear_4
 G least_nuclear_4
 L stays_nuclear_4
 L starts_nuclear_4
 L up_nuclear_4
 L most_nuclear_5
 G least_nuclear_5
 L stays_nuclear_5
 L starts_nuclear_5
 L up_nuclear_5
 L most_nuclear_6
 G least_nuclear_6
 L stays_nuclear_6
 L starts_nuclear_6
 L up_nuclear_6
 L most_nuclear_7
 G least_nuclear_7
 L stays_nuclear_7
 L starts_nuclear_7
 L up_nuclear_7
 L most_nuclear_8
 G least_nuclear_8
 L stays_nuclear_8
 L starts_nuclear_8
 L up_nuclear_8
 L most_nuclear_9
 G least_nuclear_9
 L stays_nuclear_9
 L starts_nuclear_9
 L up_nuclear_9
 L most_nuclear_10
 G least_nuclear_10
 L stays_nuclear_10
 L starts_nuclear_10
 L up_nuclear_10
 L most_nuclear_11
 G least_nuclear_11
 L stays_nuclear_11
 L starts_nuclear_11
 L up_nuclear_11
 L most_nuclear_12
 G least_nuclear_12
 L stays_nuclear_12
 L starts_nuclear_12
 L up_nuclear_12
 L most_nuclear_13
 G least_nuclear_13
 L stays_nuclear_13
 L starts_nuclear_13
 L up_nuclear_13
 L most_nuclear_14
 G least_nuclear_14
 L stays_nuclear_14
 L starts_nuclear_14
 L up_nuclear_14
 L most_nuclear_15
 G least_nuclear_15
 L stays_nuclear_15
 L starts_nuclear_15
 L up_nuclear_15
 L most_nuclear_16
 G least_nuclear_16
 L stays_nuclear_16
 L starts_nuclear_16
 L up_nuclear_16
 L most_nuclear_17
 G least_nuclear_17
 L stays_nuclear_17
 L starts_nuclear_17
 L up_nuclear_17
 L most_nuclear_18
 G least_nuclear_18
 L stays_nuclear_18
 L starts_nuclear_18
 L up_nuclear_18
 L most_nuclear_19
 G least_nuclear_19
 L stays_nuclear_19
 L starts_nuclear_19
 L up_nuclear_19
 L most_nuclear_20
 G least_nuclear_20
 L stays_nuclear_20
 L starts_nuclear_20
 L up_nuclear_20
 L most_nuclear_21
 G least_nuclear_21
 L stays_nuclear_21
 L starts_nuclear_21
 L up_nuclear_21
 L most_nuclear_22
 G least_nuclear_22
 L stays_nuclear_22
 L starts_nuclear_22
 L up_nuclear_22
 L most_nuclear_23
 G least_nuclear_23
 L stays_nuclear_23
 L starts_nuclear_23
 L up_nuclear_23
 L most_nuclear_24
 G least_nuclear_24
 L stays_nuclear_24
 L starts_nuclear_24
 L up_nuclear_24
 L most_coal1_1
 G least_coal1_1
 L stays_coal1_1
 L most_coal1_2
 G least_coal1_2
 L stays_coal1_2
 L starts_coal1_2
 L up_coal1_2
 L most_coal1_3
 G least_coal1_3
 L stays_coal1_3
 L starts_coal1_3
 L up_coal1_3
 L most_coal1_4
 G least_coal1_4
 L stays_coal1_4
 L starts_coal1_4
 L up_coal1_4
 L most_coal1_5
 G least_coal1_5
 L stays_coal1_5
 L starts_coal1_5
 L up_coal1_5
 L most_coal1_6
 G least_coal1_6
 L stays_coal1_6
 L starts_coal1_6
 L up_coal1_6
 L most_coal1_7
 G least_coal1_7
 L stays_coal1_7
 L starts_coal1_7
 L up_coal1_7
 L most_coal1_8
 G least_coal1_8
 L stays_coal1_8
 L starts_coal1_8
 L up_coal1_8
 L most_coal1_9
 G least_coal1_9
 L stays_coal1_9
 L starts_coal1_9
 L up_coal1_9
 L most_coal1_10
 G least_coal1_10
 L stays_coal1_10
 L starts_coal1_10
 L up_coal1_10
 L most_coal1_11
 G least_coal1_11
 L stays_coal1_11
 L starts_coal1_11
 L up_coal1_11
 L most_coal1_12
 G least_coal1_12
 L stays_coal1_12
 L starts_coal1_12
 L up_coal1_12
 L most_coal1_13
 G least_coal1_13
 L stays_coal1_13
 L starts_coal1_13
 L up_coal1_13
 L most_coal1_14
 G least_coal1_14
 L stays_coal1_14
 L starts_coal1_14
 L up_coal1_14
 L most_coal1_15
 G least_coal1_15
 L stays_coal1_15
 L starts_coal1_15
 L up_coal1_15
 L most_coal1_16
 G least_coal1_16
 L stays_coal1_16
 L starts_coal1_16
 L up_coal1_16
 L most_coal1_17
 G least_coal1_17
 L stays_coal1_17
 L starts_coal1_17
 L up_coal1_17
 L most_coal1_18
 G least_coal1_18
 L stays_coal1_18
 L starts_coal1_18
 L up_coal1_18
 L most_coal1_19
 G least_coal1_19
 L stays_coal1_19
 L starts_coal1_19
 L up_coal1_19
 L most_coal1_20
 G least_coal1_20
 L stays_coal1_20
 L starts_coal1_20
 L up_coal1_20
 L most_coal1_21
 G least_coal1_21
 L stays_coal1_21
 L starts_coal1_21
 L up_coal1_21
 L most_coal1_22
 G least_coal1_22
 L stays_coal1_22
 L starts_coal1_22
 L up_coal1_22
 L most_coal1_23
 G least_coal1_23
 L stays_coal1_23
 L starts_coal1_23
 L up_coal1_23
 L most_coal1_24
 G least_coal1_24
 L stays_coal1_24
 L starts_coal1_24
 L up_coal1_24
 L most_coal2_1
 G least_coal2_1
 L stays_coal2_1
 L most_coal2_2
 G least_coal2_2
 L stays_coal2_2
 L starts_coal2_2
 L up_coal2_2
 L most_coal2_3
 G least_coal2_3
 L stays_coal2_3
 L starts_coal2_3
 L up_coal2_3
 L most_coal2_4
 G least_coal2_4
 L stays_coal2_4
 L starts_coal2_4
 L up_coal2_4
 L most_coal2_5
 G least_coal2_5
 L stays_coal2_5
 L starts_coal2_5
 L up_coal2_5
 L most_coal2_6
 G least_coal2_6
 L stays_coal2_6
 L starts_coal2_6
 L up_coal2_6
 L most_coal2_7
 G least_coal2_7
 L stays_coal2_7
 L starts_coal2_7
 L up_coal2_7
 L most_coal2_8
 G least_coal2_8
 L stays_coal2_8
 L starts_coal2_8
 L up_coal2_8
 L most_coal2_9
 G least_coal2_9
 L stays_coal2_9
 L starts_coal2_9
 L up_coal2_9
 L most_coal2_10
 G least_coal2_10
 L stays_coal2_10
 L starts_coal2_10
 L up_coal2_10
 L most_coal2_11
 G least_coal2_11
 L stays_coal2_11
 L starts_coal2_11
 L up_coal2_11
 L most_coal2_12
 G least_coal2_12
 L stays_coal2_12
 L starts_coal2_12
 L up_coal2_12
 L most_coal2_13
 G least_coal2_13
 L stays_coal2_13
 L starts_coal2_13
 L up_coal2_13
 L most_coal2_14
 G least_coal2_14
 L stays_coal2_14
 L starts_coal2_14
 L up_coal2_14
 L most_coal2_15
 G least_coal2_15
 L stays_coal2_15
 L starts_coal2_15
 L up_coal2_15
 L most_coal2_16
 G least_coal2_16
 L stays_coal2_16
 L starts_coal2_16
 L up_coal2_16
 L most_coal2_17
 G least_coal2_17
 L stays_coal2_17
 L starts_coal2_17
 L up_coal2_17
 L most_coal2_18
 G least_coal2_18
 L stays_coal2_18
 L starts_coal2_18
 L up_coal2_18
 L most_coal2_19
 G least_coal2_19
 L stays_coal2_19
 L starts_coal2_19
 L up_coal2_19
 L most_coal2_20
 G least_coal2_20
 L stays_coal2_20
 L starts_coal2_20
 L up_coal2_20
 L most_coal2_21
 G least_coal2_21
 L stays_coal2_21
 L starts_coal2_21
 L up_coal2_21
 L most_coal2_22
 G least_coal2_22
 L stays_coal2_22
 L starts_coal2_22
 L up_coal2_22
 L most_coal2_23
 G least_coal2_23
 L stays_coal2_23
 L starts_coal2_23
 L up_coal2_23
 L most_coal2_24
 G least_coal2_24
 L stays_coal2_24
 L starts_coal2_24
 L up_coal2_24
 L most_gas1_1
 G least_gas1_1
 L stays_gas1_1
 L most_gas1_2
 G least_gas1_2
 L stays_gas1_2
 L starts_gas1_2
 L up_gas1_2
 L most_gas1_3
 G least_gas1_3
 L stays_gas1_3
 L starts_gas1_3
 L up_gas1_3
 L most_gas1_4
 G least_gas1_4
 L stays_gas1_4
 L starts_gas1_4
 L up_gas1_4
 L most_gas1_5
 G least_gas1_5
 L stays_gas1_5
 L starts_gas1_5
 L up_gas1_5
 L most_gas1_6
 G least_gas1_6
 L stays_gas1_6
 L starts_gas1_6
 L up_gas1_6
 L most_gas1_7
 G least_gas1_7
 L stays_gas1_7
 L starts_gas1_7
 L up_gas1_7
 L most_gas1_8
 G least_gas1_8
 L stays_gas1_8
 L starts_gas1_8
 L up_gas1_8
 L most_gas1_9
 G least_gas1_9
 L stays_gas1_9
 L starts_gas1_9
 L up_gas1_9
 L most_gas1_10
 G least_gas1_10
 L stays_gas1_10
 L starts_gas1_10
 L up_gas1_10
 L most_gas1_11
 G least_gas1_11
 L stays_gas1_11
 L starts_gas1_11
 L up_gas1_11
 L most_gas1_12
 G least_gas1_12
 L stays_gas1_12
 L starts_gas1_12
 L up_gas1_12
 L most_gas1_13
 G least_gas1_13
 L stays_gas1_13
 L starts_gas1_13
 L up_gas1_13
 L most_gas1_14
 G least_gas1_14
 L stays_gas1_14
 L starts_gas1_14
 L up_gas1_14
 L most_gas1_15
 G least_gas1_15
 L stays_gas1_15
 L starts_gas1_15
 L up_gas1_15
 L most_gas1_16
 G least_gas1_16
 L stays_gas1_16
 L starts_gas1_16
 L up_gas1_16
 L most_gas1_17
 G least_gas1_17
 L stays_gas1_17
 L starts_gas1_17
 L up_gas1_17
 L most_gas1_18
 G least_gas1_18
 L stays_gas1_18
 L starts_gas1_18
 L up_gas1_18
 L most_gas1_19
 G least_gas1_19
 L stays_gas1_19
 L starts_gas1_19
 L up_gas1_19
 L most_gas1_20
 G least_gas1_20
 L stays_gas1_20
 L starts_gas1_20
 L up_gas1_20
 L most_gas1_21
 G least_gas1_21
 L stays_gas1_21
 L starts_gas1_21
 L up_gas1_21
 L most_gas1_22
 G least_gas1_22
 L stays_gas1_22
 L starts_gas1_22
 L up_gas1_22
 L most_gas1_23
 G least_gas1_23
 L stays_gas1_23
 L starts_gas1_23
 L up_gas1_23
 L most_gas1_24
 G least_gas1_24
 L stays_gas1_24
 L starts_gas1_24
 L up_gas1_24
 L most_gas2_1
 G least_gas2_1
 L stays_gas2_1
 L most_gas2_2
 G least_gas2_2
 L stays_gas2_2
 L starts_gas2_2
 L up_gas2_2
 L most_gas2_3
 G least_gas2_3
 L stays_gas2_3
 L starts_gas2_3
 L up_gas2_3
 L most_gas2_4
 G least_gas2_4
 L stays_gas2_4
 L starts_gas2_4
 L up_gas2_4
 L most_gas2_5
 G least_gas2_5
 L stays_gas2_5
 L starts_gas2_5
 L up_gas2_5
 L most_gas2_6
 G least_gas2_6
 L stays_gas2_6
 L starts_gas2_6
 L up_gas2_6
 L most_gas2_7
 G least_gas2_7
 L stays_gas2_7
 L starts_gas2_7
 L up_gas2_7
 L most_gas2_8
 G least_gas2_8
 L stays_gas2_8
 L starts_gas2_8
 L up_gas2_8
 L most_gas2_9
 G least_gas2_9
 L stays_gas2_9
 L starts_gas2_9
 L up_gas2_9
 L most_gas2_10
 G least_gas2_10
 L stays_gas2_10
 L starts_gas2_10
 L up_gas2_10
 L most_gas2_11
 G least_gas2_11
 L stays_gas2_11
 L starts_gas2_11
 L up_gas2_11
 L most_gas2_12
 G least_gas2_12
 L stays_gas2_12
 L starts_gas2_12
 L up_gas2_12
 L most_gas2_13
 G least_gas2_13
 L stays_gas2_13
 L starts_gas2_13
 L up_gas2_13
 L most_gas2_14
 G least_gas2_14
 L stays_gas2_14
 L starts_gas2_14
 L up_gas2_14
 L most_gas2_15
 G least_gas2_15
 L stays_gas2_15
 L starts_gas2_15
 L up_gas2_15
 L most_gas2_16
 G least_gas2_16
 L stays_gas2_16
 L starts_gas2_16
 L up_gas2_16
 L most_gas2_17
 G least_gas2_17
 L stays_gas2_17
 L starts_gas2_17
 L up_gas2_17
 L most_gas2_18
 G least_gas2_18
 L stays_gas2_18
 L starts_gas2_18
 L up_gas2_18
 L most_gas2_19
 G least_gas2_19
 L stays_gas2_19
 L starts_gas2_19
 L up_gas2_19
 L most_gas2_20
 G least_gas2_20
 L stays_gas2_20
 L starts_gas2_20
 L up_gas2_20
 L most_gas2_21
 G least_gas2_21
 L stays_gas2_21
 L starts_gas2_21
 L up_gas2_21
 L most_gas2_22
 G least_gas2_22
 L stays_gas2_22
 L starts_gas2_22
 L up_gas2_22
 L most_gas2_23
 G least_gas2_23
 L stays_gas2_23
 L starts_gas2_23
 L up_gas2_23
 L most_gas2_24
 G least_gas2_24
 L stays_gas2_24
 L starts_gas2_24
 L up_gas2_24
 L most_peak_1
 G least_peak_1
 L stays_peak_1
 L most_peak_2
 G least_peak_2
 L stays_peak_2
 L starts_peak_2
 L up_peak_2
 L most_peak_3
 G least_peak_3
 L stays_peak_3
 L starts_peak_3
 L up_peak_3
 L most_peak_4
 G least_peak_4
 L stays_peak_4
 L starts_peak_4
 L up_peak_4
 L most_peak_5
 G least_peak_5
 L stays_peak_5
 L starts_peak_5
 L up_peak_5
 L most_peak_6
 G least_peak_6
 L stays_peak_6
 L starts_peak_6
 L up_peak_6
 L most_peak_7
 G least_peak_7
 L stays_peak_7
 L starts_peak_7
 L up_peak_7
 L most_peak_8
 G least_peak_8
 L stays_peak_8
 L starts_peak_8
 L up_peak_8
 L most_peak_9
 G least_peak_9
 L stays_peak_9
 L starts_peak_9
 L up_peak_9
 L most_peak_10
 G least_peak_10
 L stays_peak_10
 L starts_peak_10
 L up_peak_10
 L most_peak_11
 G least_peak_11
 L stays_peak_11
 L starts_peak_11
 L up_peak_11
 L most_peak_12
 G least_peak_12
 L stays_peak_12
 L starts_peak_12
 L up_peak_12
 L most_peak_13
 G least_peak_13
 L stays_peak_13
 L starts_peak_13
 L up_peak_13
 L most_peak_14
 G least_peak_14
 L stays_peak_14
 L starts_peak_14
 L up_peak_14
 L most_peak_15
 G least_peak_15
 L stays_peak_15
 L starts_peak_15
 L up_peak_15
 L most_peak_16
 G least_peak_16
 L stays_peak_16
 L starts_peak_16
 L up_peak_16
 L most_peak_17
 G least_peak_17
 L stays_peak_17
 L starts_peak_17
 L up_peak_17
 L most_peak_18
 G least_peak_18
 L stays_peak_18
 L starts_peak_18
 L up_peak_18
 L most_peak_19
 G least_peak_19
 L stays_peak_19
 L starts_peak_19
 L up_peak_19
 L most_peak_20
 G least_peak_20
 L stays_peak_20
 L starts_peak_20
 L up_peak_20
 L most_peak_21
 G least_peak_21
 L stays_peak_21
 L starts_peak_21
 L up_peak_21
 L most_peak_22
 G least_peak_22
 L stays_peak_22
 L starts_peak_22
 L up_peak_22
 L most_peak_23
 G least_peak_23
 L stays_peak_23
 L starts_peak_23
 L up_peak_23
 L most_peak_24
 G least_peak_24
 L stays_peak_24
 L starts_peak_24
 L up_peak_24
COLUMNS
 M1 'MARKER' 'INTORG'
 on_nuclear_1 cost 900 reserve_1 500
 on_nuclear_1 most_nuclear_1 -500 least_nuclear_1 -300
 on_nuclear_1 stays_nuclear_1 -1 starts_nuclear_2 -1
 on_nuclear_2 cost 900 reserve_2 500
 on_nuclear_2 most_nuclear_2 -500 least_nuclear_2 -300
 on_nuclear_2 stays_nuclear_2 -1 starts_nuclear_2 1
 on_nuclear_2 starts_nuclear_3 -1
 on_nuclear_3 cost 900 reserve_3 500
 on_nuclear_3 most_nuclear_3 -500 least_nuclear_3 -300
 on_nuclear_3 stays_nuclear_3 -1 starts_nuclear_3 1
 on_nuclear_3 starts_nuclear_4 -1
 on_nuclear_4 cost 900 reserve_4 500
 on_nuclear_4 most_nuclear_4 -500 least_nuclear_4 -300
 on_nuclear_4 stays_nuclear_4 -1 starts_nuclear_4 1
 on_nuclear_4 starts_nuclear_5 -1
 on_nuclear_5 cost 900 reserve_5 500
 on_nuclear_5 most_nuclear_5 -500 least_nuclear_5 -300
 on_nuclear_5 stays_nuclear_5 -1 starts_nuclear_5 1
 on_nuclear_5 starts_nuclear_6 -1
 on_nuclear_6 cost 900 reserve_6 500
 on_nuclear_6 most_nuclear_6 -500 least_nuclear_6 -300
 on_nuclear_6 stays_nuclear_6 -1 starts_nuclear_6 1
 on_nuclear_6 starts_nuclear_7 -1
 on_nuclear_7 cost 900 reserve_7 500
 on_nuclear_7 most_nuclear_7 -500 least_nuclear_7 -300
 on_nuclear_7 stays_nuclear_7 -1 starts_nuclear_7 1
 on_nuclear_7 starts_nuclear_8 -1
 on_nuclear_8 cost 900 reserve_8 500
 on_nuclear_8 most_nuclear_8 -500 least_nuclear_8 -300
 on_nuclear_8 stays_nuclear_8 -1 starts_nuclear_8 1
 on_nuclear_8 starts_nuclear_9 -1
 on_nuclear_9 cost 900 reserve_9 500
 on_nuclear_9 most_nuclear_9 -500 least_nuclear_9 -300
 on_nuclear_9 stays_nuclear_9 -1 starts_nuclear_9 1
 on_nuclear_9 starts_nuclear_10 -1
 on_nuclear_10 cost 900 reserve_10 500
 on_nuclear_10 most_nuclear_10 -500 least_nuclear_10 -300
 on_nuclear_10 stays_nuclear_10 -1 starts_nuclear_10 1
 on_nuclear_10 starts_nuclear_11 -1
 on_nuclear_11 cost 900 reserve_11 500
 on_nuclear_11 most_nuclear_11 -500 least_nuclear_11 -300
 on_nuclear_11 stays_nuclear_11 -1 starts_nuclear_11 1
 on_nuclear_11 starts_nuclear_12 -1
 on_nuclear_12 cost 900 reserve_12 500
 on_nuclear_12 most_nuclear_12 -500 least_nuclear_12 -300
 on_nuclear_12 stays_nuclear_12 -1 starts_nuclear_12 1
 on_nuclear_12 starts_nuclear_13 -1
 on_nuclear_13 cost 900 reserve_13 500
 on_nuclear_13 most_nuclear_13 -500 least_nuclear_13 -300
 on_nuclear_13 stays_nuclear_13 -1 starts_nuclear_13 1
 on_nuclear_13 starts_nuclear_14 -1
 on_nuclear_14 cost 900 reserve_14 500
 on_nuclear_14 most_nuclear_14 -500 least_nuclear_14 -300
 on_nuclear_14 stays_nuclear_14 -1 starts_nuclear_14 1
 on_nuclear_14 starts_nuclear_15 -1
 on_nuclear_15 cost 900 reserve_15 500
 on_nuclear_15 most_nuclear_15 -500 least_nuclear_15 -300
 on_nuclear_15 stays_nuclear_15 -1 starts_nuclear_15 1
 on_nuclear_15 starts_nuclear_16 -1
 on_nuclear_16 cost 900 reserve_16 500
 on_nuclear_16 most_nuclear_16 -500 least_nuclear_16 -300
 on_nuclear_16 stays_nuclear_16 -1 starts_nuclear_16 1
 on_nuclear_16 starts_nuclear_17 -1
 on_nuclear_17 cost 900 reserve_17 500
 on_nuclear_17 most_nuclear_17 -500 least_nuclear_17 -300
 on_nuclear_17 stays_nuclear_17 -1 starts_nuclear_17 1
 on_nuclear_17 starts_nuclear_18 -1
 on_nuclear_18 cost 900 reserve_18 500
 on_nuclear_18 most_nuclear_18 -500 least_nuclear_18 -300
 on_nuclear_18 stays_nuclear_18 -1 starts_nuclear_18 1
 on_nuclear_18 starts_nuclear_19 -1
 on_nuclear_19 cost 900 reserve_19 500
 on_nuclear_19 most_nuclear_19 -500 least_nuclear_19 -300
 on_nuclear_19 stays_nuclear_19 -1 starts_nuclear_19 1
 on_nuclear_19 starts_nuclear_20 -1
 on_nuclear_20 cost 900 reserve_20 500
 on_nuclear_20 most_nuclear_20 -500 least_nuclear_20 -300
 on_nuclear_20 stays_nuclear_20 -1 starts_nuclear_20 1
 on_nuclear_20 starts_nuclear_21 -1
 on_nuclear_21 cost 900 reserve_21 500
 on_nuclear_21 most_nuclear_21 -500 least_nuclear_21 -300
 on_nuclear_21 stays_nuclear_21 -1 starts_nuclear_21 1
 on_nuclear_21 starts_nuclear_22 -1
 on_nuclear_22 cost 900 reserve_22 500
 on_nuclear_22 most_nuclear_22 -500 least_nuclear_22 -300
 on_nuclear_22 stays_nuclear_22 -1 starts_nuclear_22 1
 on_nuclear_22 starts_nuclear_23 -1
 on_nuclear_23 cost 900 reserve_23 500
 on_nuclear_23 most_nuclear_23 -500 least_nuclear_23 -300
 on_nuclear_23 stays_nuclear_23 -1 starts_nuclear_23 1
 on_nuclear_23 starts_nuclear_24 -1
 on_nuclear_24 cost 900 reserve_24 500
 on_nuclear_24 most_nuclear_24 -500 least_nuclear_24 -300
 on_nuclear_24 stays_nuclear_24 -1 starts_nuclear_24 1
 on_coal1_1 cost 700 reserve_1 300
 on_coal1_1 most_coal1_1 -300 least_coal1_1 -120
 on_coal1_1 stays_coal1_1 -1 starts_coal1_2 -1
 on_coal1_2 cost 700 reserve_2 300
 on_coal1_2 most_coal1_2 -300 least_coal1_2 -120
 on_coal1_2 stays_coal1_2 -1 starts_coal1_2 1
 on_coal1_2 starts_coal1_3 -1
 on_coal1_3 cost 700 reserve_3 300
 on_coal1_3 most_coal1_3 -300 least_coal1_3 -120
 on_coal1_3 stays_coal1_3 -1 starts_coal1_3 1
 on_coal1_3 starts_coal1_4 -1
 on_coal1_4 cost 700 reserve_4 300
 on_coal1_4 most_coal1_4 -300 least_coal1_4 -120
 on_coal1_4 stays_coal1_4 -1 starts_coal1_4 1
 on_coal1_4 starts_coal1_5 -1
 on_coal1_5 cost 700 reserve_5 300
 on_coal1_5 most_coal1_5 -300 least_coal1_5 -120
 on_coal1_5 stays_coal1_5 -1 starts_coal1_5 1
 on_coal1_5 starts_coal1_6 -1
 on_coal1_6 cost 700 reserve_6 300
 on_coal1_6 most_coal1_6 -300 least_coal1_6 -120
 on_coal1_6 stays_coal1_6 -1 starts_coal1_6 1
 on_coal1_6 starts_coal1_7 -1
 on_coal1_7 cost 700 reserve_7 300
 on_coal1_7 most_coal1_7 -300 least_coal1_7 -120
 on_coal1_7 stays_coal1_7 -1 starts_coal1_7 1
 on_coal1_7 starts_coal1_8 -1
 on_coal1_8 cost 700 reserve_8 300
 on_coal1_8 most_coal1_8 -300 least_coal1_8 -120
 on_coal1_8 stays_coal1_8 -1 starts_coal1_8 1
 on_coal1_8 starts_coal1_9 -1
 on_coal1_9 cost 700 reserve_9 300
 on_coal1_9 most_coal1_9 -300 least_coal1_9 -120
 on_coal1_9 stays_coal1_9 -1 starts_coal1_9 1
 on_coal1_9 starts_coal1_10 -1
 on_coal1_10 cost 700 reserve_10 300
 on_coal1_10 most_coal1_10 -300 least_coal1_10 -120
 on_coal1_10 stays_coal1_10 -1 starts_coal1_10 1
 on_coal1_10 starts_coal1_11 -1
 on_coal1_11 cost 700 reserve_11 300
 on_coal1_11 most_coal1_11 -300 least_coal1_11 -120
 on_coal1_11 stays_coal1_11 -1 starts_coal1_11 1
 on_coal1_11 starts_coal1_12 -1
 on_coal1_12 cost 700 reserve_12 300
 on_coal1_12 most_coal1_12 -300 least_coal1_12 -120
 on_coal1_12 stays_coal1_12 -1 starts_coal1_12 1
 on_coal1_12 starts_coal1_13 -1
 on_coal1_13 cost 700 reserve_13 300
 on_coal1_13 most_coal1_13 -300 least_coal1_13 -120
 on_coal1_13 stays_coal1_13 -1 starts_coal1_13 1
 on_coal1_13 starts_coal1_14 -1
 on_coal1_14 cost 700 reserve_14 300
 on_coal1_14 most_coal1_14 -300 least_coal1_14 -120
 on_coal1_14 stays_coal1_14 -1 starts_coal1_14 1
 on_coal1_14 starts_coal1_15 -1
 on_coal1_15 cost 700 reserve_15 300
 on_coal1_15 most_coal1_15 -300 least_coal1_15 -120
 on_coal1_15 stays_coal1_15 -1 starts_coal1_15 1
 on_coal1_15 starts_coal1_16 -1
 on_coal1_16 cost 700 reserve_16 300
 on_coal1_16 most_coal1_16 -300 least_coal1_16 -120
 on_coal1_16 stays_coal1_16 -1 starts_coal1_16 1
 on_coal1_16 starts_coal1_17 -1
 on_coal1_17 cost 700 reserve_17 300
 on_coal1_17 most_coal1_17 -300 least_coal1_17 -120
 on_coal1_17 stays_coal1_17 -1 starts_coal1_17 1
 on_coal1_17 starts_coal1_18 -1
 on_coal1_18 cost 700 reserve_18 300
 on_coal1_18 most_coal1_18 -300 least_coal1_18 -120
 on_coal1_18 stays_coal1_18 -1 starts_coal1_18 1
 on_coal1_18 starts_coal1_19 -1
 on_coal1_19 cost 700 reserve_19 300
 on_coal1_19 most_coal1_19 -300 least_coal1_19 -120
 on_coal1_19 stays_coal1_19 -1 starts_coal1_19 1
 on_coal1_19 starts_coal1_20 -1
 on_coal1_20 cost 700 reserve_20 300
 on_coal1_20 most_coal1_20 -300 least_coal1_20 -120
 on_coal1_20 stays_coal1_20 -1 starts_coal1_20 1
 on_coal1_20 starts_coal1_21 -1
 on_coal1_21 cost 700 reserve_21 300
 on_coal1_21 most_coal1_21 -300 least_coal1_21 -120
 on_coal1_21 stays_coal1_21 -1 starts_coal1_21 1
 on_coal1_21 starts_coal1_22 -1
 on_coal1_22 cost 700 reserve_22 300
 on_coal1_22 most_coal1_22 -300 least_coal1_22 -120
 on_coal1_22 stays_coal1_22 -1 starts_coal1_22 1
 on_coal1_22 starts_coal1_23 -1
 on_coal1_23 cost 700 reserve_23 300
 on_coal1_23 most_coal1_23 -300 least_coal1_23 -120
 on_coal1_23 stays_coal1_23 -1 starts_coal1_23 1
 on_coal1_23 starts_coal1_24 -1
 on_coal1_24 cost 700 reserve_24 300
 on_coal1_24 most_coal1_24 -300 least_coal1_24 -120
 on_coal1_24 stays_coal1_24 -1 starts_coal1_24 1
 on_coal2_1 cost 620 reserve_1 260
 on_coal2_1 most_coal2_1 -260 least_coal2_1 -100
 on_coal2_1 stays_coal2_1 -1 starts_coal2_2 -1
 on_coal2_2 cost 620 reserve_2 260
 on_coal2_2 most_coal2_2 -260 least_coal2_2 -100
 on_coal2_2 stays_coal2_2 -1 starts_coal2_2 1
 on_coal2_2 starts_coal2_3 -1
 on_coal2_3 cost 620 reserve_3 260
 on_coal2_3 most_coal2_3 -260 least_coal2_3 -100
 on_coal2_3 stays_coal2_3 -1 starts_coal2_3 1
 on_coal2_3 starts_coal2_4 -1
 on_coal2_4 cost 620 reserve_4 260
 on_coal2_4 most_coal2_4 -260 least_coal2_4 -100
 on_coal2_4 stays_coal2_4 -1 starts_coal2_4 1
 on_coal2_4 starts_coal2_5 -1
 on_coal2_5 cost 620 reserve_5 260
 on_coal2_5 most_coal2_5 -260 least_coal2_5 -100
 on_coal2_5 stays_coal2_5 -1 starts_coal2_5 1
 on_coal2_5 starts_coal2_6 -1
 on_coal2_6 cost 620 reserve_6 260
 on_coal2_6 most_coal2_6 -260 least_coal2_6 -100
 on_coal2_6 stays_coal2_6 -1 starts_coal2_6 1
 on_coal2_6 starts_coal2_7 -1
 on_coal2_7 cost 620 reserve_7 260
 on_coal2_7 most_coal2_7 -260 least_coal2_7 -100
 on_coal2_7 stays_coal2_7 -1 starts_coal2_7 1
 on_coal2_7 starts_coal2_8 -1
 on_coal2_8 cost 620 reserve_8 260
 on_coal2_8 most_coal2_8 -260 least_coal2_8 -100
 on_coal2_8 stays_coal2_8 -1 starts_coal2_8 1
 on_coal2_8 starts_coal2_9 -1
 on_coal2_9 cost 620 reserve_9 260
 on_coal2_9 most_coal2_9 -260 least_coal2_9 -100
 on_coal2_9 stays_coal2_9 -1 starts_coal2_9 1
 on_coal2_9 starts_coal2_10 -1
 on_coal2_10 cost 620 reserve_10 260
 on_coal2_10 most_coal2_10 -260 least_coal2_10 -100
 on_coal2_10 stays_coal2_10 -1 starts_coal2_10 1
 on_coal2_10 starts_coal2_11 -1
 on_coal2_11 cost 620 reserve_11 260
 on_coal2_11 most_coal2_11 -260 least_coal2_11 -100
 on_coal2_11 stays_coal2_11 -1 starts_coal2_11 1
 on_coal2_11 starts_coal2_12 -1
 on_coal2_12 cost 620 reserve_12 260
 on_coal2_12 most_coal2_12 -260 least_coal2_12 -100
 on_coal2_12 stays_coal2_12 -1 starts_coal2_12 1
 on_coal2_12 starts_coal2_13 -1
 on_coal2_13 cost 620 reserve_13 260
 on_coal2_13 most_coal2_13 -260 least_coal2_13 -100
 on_coal2_13 stays_coal2_13 -1 starts_coal2_13 1
 on_coal2_13 starts_coal2_14 -1
 on_coal2_14 cost 620 reserve_14 260
 on_coal2_14 most_coal2_14 -260 least_coal2_14 -100
 on_coal2_14 stays_coal2_14 -1 starts_coal2_14 1
 on_coal2_14 starts_coal2_15 -1
 on_coal2_15 cost 620 reserve_15 260
 on_coal2_15 most_coal2_15 -260 least_coal2_15 -100
 on_coal2_15 stays_coal2_15 -1 starts_coal2_15 1
 on_coal2_15 starts_coal2_16 -1
 on_coal2_16 cost 620 reserve_16 260
 on_coal2_16 most_coal2_16 -260 least_coal2_16 -100
 on_coal2_16 stays_coal2_16 -1 starts_coal2_16 1
 on_coal2_16 starts_coal2_17 -1
 on_coal2_17 cost 620 reserve_17 260
 on_coal2_17 most_coal2_17 -260 least_coal2_17 -100
 on_coal2_17 stays_coal2_17 -1 starts_coal2_17 1
 on_coal2_17 starts_coal2_18 -1
 on_coal2_18 cost 620 reserve_18 260
 on_coal2_18 most_coal2_18 -260 least_coal2_18 -100
 on_coal2_18 stays_coal2_18 -1 starts_coal2_18 1
 on_coal2_18 starts_coal2_19 -1
 on_coal2_19 cost 620 reserve_19 260
 on_coal2_19 most_coal2_19 -260 least_coal2_19 -100
 on_coal2_19 stays_coal2_19 -1 starts_coal2_19 1
 on_coal2_19 starts_coal2_20 -1
 on_coal2_20 cost 620 reserve_20 260
 on_coal2_20 most_coal2_20 -260 least_coal2_20 -100
 on_coal2_20 stays_coal2_20 -1 starts_coal2_20 1
 on_coal2_20 starts_coal2_21 -1
 on_coal2_21 cost 620 reserve_21 260
 on_coal2_21 most_coal2_21 -260 least_coal2_21 -100
 on_coal2_21 stays_coal2_21 -1 starts_coal2_21 1
 on_coal2_21 starts_coal2_22 -1
 on_coal2_22 cost 620 reserve_22 260
 on_coal2_22 most_coal2_22 -260 least_coal2_22 -100
 on_coal2_22 stays_coal2_22 -1 starts_coal2_22 1
 on_coal2_22 starts_coal2_23 -1
 on_coal2_23 cost 620 reserve_23 260
 on_coal2_23 most_coal2_23 -260 least_coal2_23 -100
 on_coal2_23 stays_coal2_23 -1 starts_coal2_23 1
 on_coal2_23 starts_coal2_24 -1
 on_coal2_24 cost 620 reserve_24 260
 on_coal2_24 most_coal2_24 -260 least_coal2_24 -100
 on_coal2_24 stays_coal2_24 -1 starts_coal2_24 1
 on_gas1_1 cost 380 reserve_1 150
 on_gas1_1 most_gas1_1 -150 least_gas1_1 -40
 on_gas1_1 stays_gas1_1 -1 starts_gas1_2 -1
 on_gas1_2 cost 380 reserve_2 150
 on_gas1_2 most_gas1_2 -150 least_gas1_2 -40
 on_gas1_2 stays_gas1_2 -1 starts_gas1_2 1
 on_gas1_2 starts_gas1_3 -1
 on_gas1_3 cost 380 reserve_3 150
 on_gas1_3 most_gas1_3 -150 least_gas1_3 -40
 on_gas1_3 stays_gas1_3 -1 starts_gas1_3 1
 on_gas1_3 starts_gas1_4 -1
 on_gas1_4 cost 380 reserve_4 150
 on_gas1_4 most_gas1_4 -150 least_gas1_4 -40
 on_gas1_4 stays_gas1_4 -1 starts_gas1_4 1
 on_gas1_4 starts_gas1_5 -1
 on_gas1_5 cost 380 reserve_5 150
 on_gas1_5 most_gas1_5 -150 least_gas1_5 -40
 on_gas1_5 stays_gas1_5 -1 starts_gas1_5 1
 on_gas1_5 starts_gas1_6 -1
 on_gas1_6 cost 380 reserve_6 150
 on_gas1_6 most_gas1_6 -150 least_gas1_6 -40
 on_gas1_6 stays_gas1_6 -1 starts_gas1_6 1
 on_gas1_6 starts_gas1_7 -1
 on_gas1_7 cost 380 reserve_7 150
 on_gas1_7 most_gas1_7 -150 least_gas1_7 -40
 on_gas1_7 stays_gas1_7 -1 starts_gas1_7 1
 on_gas1_7 starts_gas1_8 -1
 on_gas1_8 cost 380 reserve_8 150
 on_gas1_8 most_gas1_8 -150 least_gas1_8 -40
 on_gas1_8 stays_gas1_8 -1 starts_gas1_8 1
 on_gas1_8 starts_gas1_9 -1
 on_gas1_9 cost 380 reserve_9 150
 on_gas1_9 most_gas1_9 -150 least_gas1_9 -40
 on_gas1_9 stays_gas1_9 -1 starts_gas1_9 1
 on_gas1_9 starts_gas1_10 -1
 on_gas1_10 cost 380 reserve_10 150
 on_gas1_10 most_gas1_10 -150 least_gas1_10 -40
 on_gas1_10 stays_gas1_10 -1 starts_gas1_10 1
 on_gas1_10 starts_gas1_11 -1
 on_gas1_11 cost 380 reserve_11 150
 on_gas1_11 most_gas1_11 -150 least_gas1_11 -40
 on_gas1_11 stays_gas1_11 -1 starts_gas1_11 1
 on_gas1_11 starts_gas1_12 -1
 on_gas1_12 cost 380 reserve_12 150
 on_gas1_12 most_gas1_12 -150 least_gas1_12 -40
 on_gas1_12 stays_gas1_12 -1 starts_gas1_12 1
 on_gas1_12 starts_gas1_13 -1
 on_gas1_13 cost 380 reserve_13 150
 on_gas1_13 most_gas1_13 -150 least_gas1_13 -40
 on_gas1_13 stays_gas1_13 -1 starts_gas1_13 1
 on_gas1_13 starts_gas1_14 -1
 on_gas1_14 cost 380 reserve_14 150
 on_gas1_14 most_gas1_14 -150 least_gas1_14 -40
 on_gas1_14 stays_gas1_14 -1 starts_gas1_14 1
 on_gas1_14 starts_gas1_15 -1
 on_gas1_15 cost 380 reserve_15 150
 on_gas1_15 most_gas1_15 -150 least_gas1_15 -40
 on_gas1_15 stays_gas1_15 -1 starts_gas1_15 1
 on_gas1_15 starts_gas1_16 -1
 on_gas1_16 cost 380 reserve_16 150
 on_gas1_16 most_gas1_16 -150 least_gas1_16 -40
 on_gas1_16 stays_gas1_16 -1 starts_gas1_16 1
 on_gas1_16 starts_gas1_17 -1
 on_gas1_17 cost 380 reserve_17 150
 on_gas1_17 most_gas1_17 -150 least_gas1_17 -40
 on_gas1_17 stays_gas1_17 -1 starts_gas1_17 1
 on_gas1_17 starts_gas1_18 -1
 on_gas1_18 cost 380 reserve_18 150
 on_gas1_18 most_gas1_18 -150 least_gas1_18 -40
 on_gas1_18 stays_gas1_18 -1 starts_gas1_18 1
 on_gas1_18 starts_gas1_19 -1
 on_gas1_19 cost 380 reserve_19 150
 on_gas1_19 most_gas1_19 -150 least_gas1_19 -40
 on_gas1_19 stays_gas1_19 -1 starts_gas1_19 1
 on_gas1_19 starts_gas1_20 -1
 on_gas1_20 cost 380 reserve_20 150
 on_gas1_20 most_gas1_20 -150 least_gas1_20 -40
 on_gas1_20 stays_gas1_20 -1 starts_gas1_20 1
 on_gas1_20 starts_gas1_21 -1
 on_gas1_21 cost 380 reserve_21 150
 on_gas1_21 most_gas1_21 -150 least_gas1_21 -40
 on_gas1_21 stays_gas1_21 -1 starts_gas1_21 1
 on_gas1_21 starts_gas1_22 -1
 on_gas1_22 cost 380 reserve_22 150
 on_gas1_22 most_gas1_22 -150 least_gas1_22 -40
 on_gas1_22 stays_gas1_22 -1 starts_gas1_22 1
 on_gas1_22 starts_gas1_23 -1
 on_gas1_23 cost 380 reserve_23 150
 on_gas1_23 most_gas1_23 -150 least_gas1_23 -40
 on_gas1_23 stays_gas1_23 -1 starts_gas1_23 1
 on_gas1_23 starts_gas1_24 -1
 on_gas1_24 cost 380 reserve_24 150
 on_gas1_24 most_gas1_24 -150 least_gas1_24 -40
 on_gas1_24 stays_gas1_24 -1 starts_gas1_24 1
 on_gas2_1 cost 330 reserve_1 120
 on_gas2_1 most_gas2_1 -120 least_gas2_1 -30
 on_gas2_1 stays_gas2_1 -1 starts_gas2_2 -1
 on_gas2_2 cost 330 reserve_2 120
 on_gas2_2 most_gas2_2 -120 least_gas2_2 -30
 on_gas2_2 stays_gas2_2 -1 starts_gas2_2 1
 on_gas2_2 starts_gas2_3 -1
 on_gas2_3 cost 330 reserve_3 120
 on_gas2_3 most_gas2_3 -120 least_gas2_3 -30
 on_gas2_3 stays_gas2_3 -1 starts_gas2_3 1
 on_gas2_3 starts_gas2_4 -1
 on_gas2_4 cost 330 reserve_4 120
 on_gas2_4 most_gas2_4 -120 least_gas2_4 -30
 on_gas2_4 stays_gas2_4 -1 starts_gas2_4 1
 on_gas2_4 starts_gas2_5 -1
 on_gas2_5 cost 330 reserve_5 120
 on_gas2_5 most_gas2_5 -120 least_gas2_5 -30
 on_gas2_5 stays_gas2_5 -1 starts_gas2_5 1
 on_gas2_5 starts_gas2_6 -1
 on_gas2_6 cost 330 reserve_6 120
 on_gas2_6 most_gas2_6 -120 least_gas2_6 -30
 on_gas2_6 stays_gas2_6 -1 starts_gas2_6 1
 on_gas2_6 starts_gas2_7 -1
 on_gas2_7 cost 330 reserve_7 120
 on_gas2_7 most_gas2_7 -120 least_gas2_7 -30
 on_gas2_7 stays_gas2_7 -1 starts_gas2_7 1
 on_gas2_7 starts_gas2_8 -1
 on_gas2_8 cost 330 reserve_8 120
 on_gas2_8 most_gas2_8 -120 least_gas2_8 -30
 on_gas2_8 stays_gas2_8 -1 starts_gas2_8 1
 on_gas2_8 starts_gas2_9 -1
 on_gas2_9 cost 330 reserve_9 120
 on_gas2_9 most_gas2_9 -120 least_gas2_9 -30
 on_gas2_9 stays_gas2_9 -1 starts_gas2_9 1
 on_gas2_9 starts_gas2_10 -1
 on_gas2_10 cost 330 reserve_10 120
 on_gas2_10 most_gas2_10 -120 least_gas2_10 -30
 on_gas2_10 stays_gas2_10 -1 starts_gas2_10 1
 on_gas2_10 starts_gas2_11 -1
 on_gas2_11 cost 330 reserve_11 120
 on_gas2_11 most_gas2_11 -120 least_gas2_11 -30
 on_gas2_11 stays_gas2_11 -1 starts_gas2_11 1
 on_gas2_11 starts_gas2_12 -1
 on_gas2_12 cost 330 reserve_12 120
 on_gas2_12 most_gas2_12 -120 least_gas2_12 -30
 on_gas2_12 stays_gas2_12 -1 starts_gas2_12 1
 on_gas2_12 starts_gas2_13 -1
 on_gas2_13 cost 330 reserve_13 120
 on_gas2_13 most_gas2_13 -120 least_gas2_13 -30
 on_gas2_13 stays_gas2_13 -1 starts_gas2_13 1
 on_gas2_13 starts_gas2_14 -1
 on_gas2_14 cost 330 reserve_14 120
 on_gas2_14 most_gas2_14 -120 least_gas2_14 -30
 on_gas2_14 stays_gas2_14 -1 starts_gas2_14 1
 on_gas2_14 starts_gas2_15 -1
 on_gas2_15 cost 330 reserve_15 120
 on_gas2_15 most_gas2_15 -120 least_gas2_15 -30
 on_gas2_15 stays_gas2_15 -1 starts_gas2_15 1
 on_gas2_15 starts_gas2_16 -1
 on_gas2_16 cost 330 reserve_16 120
 on_gas2_16 most_gas2_16 -120 least_gas2_16 -30
 on_gas2_16 stays_gas2_16 -1 starts_gas2_16 1
 on_gas2_16 starts_gas2_17 -1
 on_gas2_17 cost 330 reserve_17 120
 on_gas2_17 most_gas2_17 -120 least_gas2_17 -30
 on_gas2_17 stays_gas2_17 -1 starts_gas2_17 1
 on_gas2_17 starts_gas2_18 -1
 on_gas2_18 cost 330 reserve_18 120
 on_gas2_18 most_gas2_18 -120 least_gas2_18 -30
 on_gas2_18 stays_gas2_18 -1 starts_gas2_18 1
 on_gas2_18 starts_gas2_19 -1
 on_gas2_19 cost 330 reserve_19 120
 on_gas2_19 most_gas2_19 -120 least_gas2_19 -30
 on_gas2_19 stays_gas2_19 -1 starts_gas2_19 1
 on_gas2_19 starts_gas2_20 -1
 on_gas2_20 cost 330 reserve_20 120
 on_gas2_20 most_gas2_20 -120 least_gas2_20 -30
 on_gas2_20 stays_gas2_20 -1 starts_gas2_20 1
 on_gas2_20 starts_gas2_21 -1
 on_gas2_21 cost 330 reserve_21 120
 on_gas2_21 most_gas2_21 -120 least_gas2_21 -30
 on_gas2_21 stays_gas2_21 -1 starts_gas2_21 1
 on_gas2_21 starts_gas2_22 -1
 on_gas2_22 cost 330 reserve_22 120
 on_gas2_22 most_gas2_22 -120 least_gas2_22 -30
 on_gas2_22 stays_gas2_22 -1 starts_gas2_22 1
 on_gas2_22 starts_gas2_23 -1
 on_gas2_23 cost 330 reserve_23 120
 on_gas2_23 most_gas2_23 -120 least_gas2_23 -30
 on_gas2_23 stays_gas2_23 -1 starts_gas2_23 1
 on_gas2_23 starts_gas2_24 -1
 on_gas2_24 cost 330 reserve_24 120
 on_gas2_24 most_gas2_24 -120 least_gas2_24 -30
 on_gas2_24 stays_gas2_24 -1 starts_gas2_24 1
 on_peak_1 cost 150 reserve_1 80
 on_peak_1 most_peak_1 -80 least_peak_1 -10
 on_peak_1 stays_peak_1 -1 starts_peak_2 -1
 on_peak_2 cost 150 reserve_2 80
 on_peak_2 most_peak_2 -80 least_peak_2 -10
 on_peak_2 stays_peak_2 -1 starts_peak_2 1
 on_peak_2 starts_peak_3 -1
 on_peak_3 cost 150 reserve_3 80
 on_peak_3 most_peak_3 -80 least_peak_3 -10
 on_peak_3 stays_peak_3 -1 starts_peak_3 1
 on_peak_3 starts_peak_4 -1
 on_peak_4 cost 150 reserve_4 80
 on_peak_4 most_peak_4 -80 least_peak_4 -10
 on_peak_4 stays_peak_4 -1 starts_peak_4 1
 on_peak_4 starts_peak_5 -1
 on_peak_5 cost 150 reserve_5 80
 on_peak_5 most_peak_5 -80 least_peak_5 -10
 on_peak_5 stays_peak_5 -1 starts_peak_5 1
 on_peak_5 starts_peak_6 -1
 on_peak_6 cost 150 reserve_6 80
 on_peak_6 most_peak_6 -80 least_peak_6 -10
 on_peak_6 stays_peak_6 -1 starts_peak_6 1
 on_peak_6 starts_peak_7 -1
 on_peak_7 cost 150 reserve_7 80
 on_peak_7 most_peak_7 -80 least_peak_7 -10
 on_peak_7 stays_peak_7 -1 starts_peak_7 1
 on_peak_7 starts_peak_8 -1
 on_peak_8 cost 150 reserve_8 80
 on_peak_8 most_peak_8 -80 least_peak_8 -10
 on_peak_8 stays_peak_8 -1 starts_peak_8 1
 on_peak_8 starts_peak_9 -1
 on_peak_9 cost 150 reserve_9 80
 on_peak_9 most_peak_9 -80 least_peak_9 -10
 on_peak_9 stays_peak_9 -1 starts_peak_9 1
 on_peak_9 starts_peak_10 -1
 on_peak_10 cost 150 reserve_10 80
 on_peak_10 most_peak_10 -80 least_peak_10 -10
 on_peak_10 stays_peak_10 -1 starts_peak_10 1
 on_peak_10 starts_peak_11 -1
 on_peak_11 cost 150 reserve_11 80
 on_peak_11 most_peak_11 -80 least_peak_11 -10
 on_peak_11 stays_peak_11 -1 starts_peak_11 1
 on_peak_11 starts_peak_12 -1
 on_peak_12 cost 150 reserve_12 80
 on_peak_12 most_peak_12 -80 least_peak_12 -10
 on_peak_12 stays_peak_12 -1 starts_peak_12 1
 on_peak_12 starts_peak_13 -1
 on_peak_13 cost 150 reserve_13 80
 on_peak_13 most_peak_13 -80 least_peak_13 -10
 on_peak_13 stays_peak_13 -1 starts_peak_13 1
 on_peak_13 starts_peak_14 -1
 on_peak_14 cost 150 reserve_14 80
 on_peak_14 most_peak_14 -80 least_peak_14 -10
 on_peak_14 stays_peak_14 -1 starts_peak_14 1
 on_peak_14 starts_peak_15 -1
 on_peak_15 cost 150 reserve_15 80
 on_peak_15 most_peak_15 -80 least_peak_15 -10
 on_peak_15 stays_peak_15 -1 starts_peak_15 1
 on_peak_15 starts_peak_16 -1
 on_peak_16 cost 150 reserve_16 80
 on_peak_16 most_peak_16 -80 least_peak_16 -10
 on_peak_16 stays_peak_16 -1 starts_peak_16 1
 on_peak_16 starts_peak_17 -1
 on_peak_17 cost 150 reserve_17 80
 on_peak_17 most_peak_17 -80 least_peak_17 -10
 on_peak_17 stays_peak_17 -1 starts_peak_17 1
 on_peak_17 starts_peak_18 -1
 on_peak_18 cost 150 reserve_18 80
 on_peak_18 most_peak_18 -80 least_peak_18 -10
 on_peak_18 stays_peak_18 -1 starts_peak_18 1
 on_peak_18 starts_peak_19 -1
 on_peak_19 cost 150 reserve_19 80
 on_peak_19 most_peak_19 -80 least_peak_19 -10
 on_peak_19 stays_peak_19 -1 starts_peak_19 1
 on_peak_19 starts_peak_20 -1
 on_peak_20 cost 150 reserve_20 80
 on_peak_20 most_peak_20 -80 least_peak_20 -10
 on_peak_20 stays_peak_20 -1 starts_peak_20 1
 on_peak_20 starts_peak_21 -1
 on_peak_21 cost 150 reserve_21 80
 on_peak_21 most_peak_21 -80 least_peak_21 -10
 on_peak_21 stays_peak_21 -1 starts_peak_21 1
 on_peak_21 starts_peak_22 -1
 on_peak_22 cost 150 reserve_22 80
 on_peak_22 most_peak_22 -80 least_peak_22 -10
 on_peak_22 stays_peak_22 -1 starts_peak_22 1
 on_peak_22 starts_peak_23 -1
 on_peak_23 cost 150 reserve_23 80
 on_peak_23 most_peak_23 -80 least_peak_23 -10
 on_peak_23 stays_peak_23 -1 starts_peak_23 1
 on_peak_23 starts_peak_24 -1
 on_peak_24 cost 150 reserve_24 80
 on_peak_24 most_peak_24 -80 least_peak_24 -10
 on_peak_24 stays_peak_24 -1 starts_peak_24 1
 M2 'MARKER' 'INTEND'
 M1 'MARKER' 'INTORG'
 start_nuclear_1 cost 6000 stays_nuclear_1 1
 start_nuclear_1 stays_nuclear_2 1 stays_nuclear_3 1
 start_nuclear_1 stays_nuclear_4 1 stays_nuclear_5 1
 start_nuclear_1 stays_nuclear_6 1 stays_nuclear_7 1
 start_nuclear_1 stays_nuclear_8 1 stays_nuclear_9 1
 start_nuclear_1 stays_nuclear_10 1 stays_nuclear_11 1
 start_nuclear_1 stays_nuclear_12 1
 start_nuclear_2 cost 6000 stays_nuclear_2 1
 start_nuclear_2 starts_nuclear_2 -1 up_nuclear_2 -300
 start_nuclear_2 stays_nuclear_3 1 stays_nuclear_4 1
 start_nuclear_2 stays_nuclear_5 1 stays_nuclear_6 1
 start_nuclear_2 stays_nuclear_7 1 stays_nuclear_8 1
 start_nuclear_2 stays_nuclear_9 1 stays_nuclear_10 1
 start_nuclear_2 stays_nuclear_11 1 stays_nuclear_12 1
 start_nuclear_2 stays_nuclear_13 1
 start_nuclear_3 cost 6000 stays_nuclear_3 1
 start_nuclear_3 starts_nuclear_3 -1 up_nuclear_3 -300
 start_nuclear_3 stays_nuclear_4 1 stays_nuclear_5 1
 start_nuclear_3 stays_nuclear_6 1 stays_nuclear_7 1
 start_nuclear_3 stays_nuclear_8 1 stays_nuclear_9 1
 start_nuclear_3 stays_nuclear_10 1 stays_nuclear_11 1
 start_nuclear_3 stays_nuclear_12 1 stays_nuclear_13 1
 start_nuclear_3 stays_nuclear_14 1
 start_nuclear_4 cost 6000 stays_nuclear_4 1
 start_nuclear_4 starts_nuclear_4 -1 up_nuclear_4 -300
 start_nuclear_4 stays_nuclear_5 1 stays_nuclear_6 1
 start_nuclear_4 stays_nuclear_7 1 stays_nuclear_8 1
 start_nuclear_4 stays_nuclear_9 1 stays_nuclear_10 1
 start_nuclear_4 stays_nuclear_11 1 stays_nuclear_12 1
 start_nuclear_4 stays_nuclear_13 1 stays_nuclear_14 1
 start_nuclear_4 stays_nuclear_15 1
 start_nuclear_5 cost 6000 stays_nuclear_5 1
 start_nuclear_5 starts_nuclear_5 -1 up_nuclear_5 -300
 start_nuclear_5 stays_nuclear_6 1 stays_nuclear_7 1
 start_nuclear_5 stays_nuclear_8 1 stays_nuclear_9 1
 start_nuclear_5 stays_nuclear_10 1 stays_nuclear_11 1
 start_nuclear_5 stays_nuclear_12 1 stays_nuclear_13 1
 start_nuclear_5 stays_nuclear_14 1 stays_nuclear_15 1
 start_nuclear_5 stays_nuclear_16 1
 start_nuclear_6 cost 6000 stays_nuclear_6 1
 start_nuclear_6 starts_nuclear_6 -1 up_nuclear_6 -300
 start_nuclear_6 stays_nuclear_7 1 stays_nuclear_8 1
 start_nuclear_6 stays_nuclear_9 1 stays_nuclear_10 1
 start_nuclear_6 stays_nuclear_11 1 stays_nuclear_12 1
 start_nuclear_6 stays_nuclear_13 1 stays_nuclear_14 1
 start_nuclear_6 stays_nuclear_15 1 stays_nuclear_16 1
 start_nuclear_6 stays_nuclear_17 1
 start_nuclear_7 cost 6000 stays_nuclear_7 1
 start_nuclear_7 starts_nuclear_7 -1 up_nuclear_7 -300
 start_nuclear_7 stays_nuclear_8 1 stays_nuclear_9 1
 start_nuclear_7 stays_nuclear_10 1 stays_nuclear_11 1
 start_nuclear_7 stays_nuclear_12 1 stays_nuclear_13 1
 start_nuclear_7 stays_nuclear_14 1 stays_nuclear_15 1
 start_nuclear_7 stays_nuclear_16 1 stays_nuclear_17 1
 start_nuclear_7 stays_nuclear_18 1
 start_nuclear_8 cost 6000 stays_nuclear_8 1
 start_nuclear_8 starts_nuclear_8 -1 up_nuclear_8 -300
 start_nuclear_8 stays_nuclear_9 1 stays_nuclear_10 1
 start_nuclear_8 stays_nuclear_11 1 stays_nuclear_12 1
 start_nuclear_8 stays_nuclear_13 1 stays_nuclear_14 1
 start_nuclear_8 stays_nuclear_15 1 stays_nuclear_16 1
 start_nuclear_8 stays_nuclear_17 1 stays_nuclear_18 1
 start_nuclear_8 stays_nuclear_19 1
 start_nuclear_9 cost 6000 stays_nuclear_9 1
 start_nuclear_9 starts_nuclear_9 -1 up_nuclear_9 -300
 start_nuclear_9 stays_nuclear_10 1 stays_nuclear_11 1
 start_nuclear_9 stays_nuclear_12 1 stays_nuclear_13 1
 start_nuclear_9 stays_nuclear_14 1 stays_nuclear_15 1
 start_nuclear_9 stays_nuclear_16 1 stays_nuclear_17 1
 start_nuclear_9 stays_nuclear_18 1 stays_nuclear_19 1
 start_nuclear_9 stays_nuclear_20 1
 start_nuclear_10 cost 6000 stays_nuclear_10 1
 start_nuclear_10 starts_nuclear_10 -1 up_nuclear_10 -300
 start_nuclear_10 stays_nuclear_11 1 stays_nuclear_12 1
 start_nuclear_10 stays_nuclear_13 1 stays_nuclear_14 1
 start_nuclear_10 stays_nuclear_15 1 stays_nuclear_16 1
 start_nuclear_10 stays_nuclear_17 1 stays_nuclear_18 1
 start_nuclear_10 stays_nuclear_19 1 stays_nuclear_20 1
 start_nuclear_10 stays_nuclear_21 1
 start_nuclear_11 cost 6000 stays_nuclear_11 1
 start_nuclear_11 starts_nuclear_11 -1 up_nuclear_11 -300
 start_nuclear_11 stays_nuclear_12 1 stays_nuclear_13 1
 start_nuclear_11 stays_nuclear_14 1 stays_nuclear_15 1
 start_nuclear_11 stays_nuclear_16 1 stays_nuclear_17 1
 start_nuclear_11 stays_nuclear_18 1 stays_nuclear_19 1
 start_nuclear_11 stays_nuclear_20 1 stays_nuclear_21 1
 start_nuclear_11 stays_nuclear_22 1
 start_nuclear_12 cost 6000 stays_nuclear_12 1
 start_nuclear_12 starts_nuclear_12 -1 up_nuclear_12 -300
 start_nuclear_12 stays_nuclear_13 1 stays_nuclear_14 1
 start_nuclear_12 stays_nuclear_15 1 stays_nuclear_16 1
 start_nuclear_12 stays_nuclear_17 1 stays_nuclear_18 1
 start_nuclear_12 stays_nuclear_19 1 stays_nuclear_20 1
 start_nuclear_12 stays_nuclear_21 1 stays_nuclear_22 1
 start_nuclear_12 stays_nuclear_23 1
 start_nuclear_13 cost 6000 stays_nuclear_13 1
 start_nuclear_13 starts_nuclear_13 -1 up_nuclear_13 -300
 start_nuclear_13 stays_nuclear_14 1 stays_nuclear_15 1
 start_nuclear_13 stays_nuclear_16 1 stays_nuclear_17 1
 start_nuclear_13 stays_nuclear_18 1 stays_nuclear_19 1
 start_nuclear_13 stays_nuclear_20 1 stays_nuclear_21 1
 start_nuclear_13 stays_nuclear_22 1 stays_nuclear_23 1
 start_nuclear_13 stays_nuclear_24 1
 start_nuclear_14 cost 6000 stays_nuclear_14 1
 start_nuclear_14 starts_nuclear_14 -1 up_nuclear_14 -300
 start_nuclear_14 stays_nuclear_15 1 stays_nuclear_16 1
 start_nuclear_14 stays_nuclear_17 1 stays_nuclear_18 1
 start_nuclear_14 stays_nuclear_19 1 stays_nuclear_20 1
 start_nuclear_14 stays_nuclear_21 1 stays_nuclear_22 1
 start_nuclear_14 stays_nuclear_23 1 stays_nuclear_24 1
 start_nuclear_15 cost 6000 stays_nuclear_15 1
 start_nuclear_15 starts_nuclear_15 -1 up_nuclear_15 -300
 start_nuclear_15 stays_nuclear_16 1 stays_nuclear_17 1
 start_nuclear_15 stays_nuclear_18 1 stays_nuclear_19 1
 start_nuclear_15 stays_nuclear_20 1 stays_nuclear_21 1
 start_nuclear_15 stays_nuclear_22 1 stays_nuclear_23 1
 start_nuclear_15 stays_nuclear_24 1
 start_nuclear_16 cost 6000 stays_nuclear_16 1
 start_nuclear_16 starts_nuclear_16 -1 up_nuclear_16 -300
 start_nuclear_16 stays_nuclear_17 1 stays_nuclear_18 1
 start_nuclear_16 stays_nuclear_19 1 stays_nuclear_20 1
 start_nuclear_16 stays_nuclear_21 1 stays_nuclear_22 1
 start_nuclear_16 stays_nuclear_23 1 stays_nuclear_24 1
 start_nuclear_17 cost 6000 stays_nuclear_17 1
 start_nuclear_17 starts_nuclear_17 -1 up_nuclear_17 -300
 start_nuclear_17 stays_nuclear_18 1 stays_nuclear_19 1
 start_nuclear_17 stays_nuclear_20 1 stays_nuclear_21 1
 start_nuclear_17 stays_nuclear_22 1 stays_nuclear_23 1
 start_nuclear_17 stays_nuclear_24 1
 start_nuclear_18 cost 6000 stays_nuclear_18 1
 start_nuclear_18 starts_nuclear_18 -1 up_nuclear_18 -300
 start_nuclear_18 stays_nuclear_19 1 stays_nuclear_20 1
 start_nuclear_18 stays_nuclear_21 1 stays_nuclear_22 1
 start_nuclear_18 stays_nuclear_23 1 stays_nuclear_24 1
 start_nuclear_19 cost 6000 stays_nuclear_19 1
 start_nuclear_19 starts_nuclear_19 -1 up_nuclear_19 -300
 start_nuclear_19 stays_nuclear_20 1 stays_nuclear_21 1
 start_nuclear_19 stays_nuclear_22 1 stays_nuclear_23 1
 start_nuclear_19 stays_nuclear_24 1
 start_nuclear_20 cost 6000 stays_nuclear_20 1
 start_nuclear_20 starts_nuclear_20 -1 up_nuclear_20 -300
 start_nuclear_20 stays_nuclear_21 1 stays_nuclear_22 1
 start_nuclear_20 stays_nuclear_23 1 stays_nuclear_24 1
 start_nuclear_21 cost 6000 stays_nuclear_21 1
 start_nuclear_21 starts_nuclear_21 -1 up_nuclear_21 -300
 start_nuclear_21 stays_nuclear_22 1 stays_nuclear_23 1
 start_nuclear_21 stays_nuclear_24 1
 start_nuclear_22 cost 6000 stays_nuclear_22 1
 start_nuclear_22 starts_nuclear_22 -1 up_nuclear_22 -300
 start_nuclear_22 stays_nuclear_23 1 stays_nuclear_24 1
 start_nuclear_23 cost 6000 stays_nuclear_23 1
 start_nuclear_23 starts_nuclear_23 -1 up_nuclear_23 -300
 start_nuclear_23 stays_nuclear_24 1
 start_nuclear_24 cost 6000 stays_nuclear_24 1
 start_nuclear_24 starts_nuclear_24 -1 up_nuclear_24 -300
 start_coal1_1 cost 1800 stays_coal1_1 1
 start_coal1_1 stays_coal1_2 1 stays_coal1_3 1
 start_coal1_1 stays_coal1_4 1 stays_coal1_5 1
 start_coal1_1 stays_coal1_6 1
 start_coal1_2 cost 1800 stays_coal1_2 1
 start_coal1_2 starts_coal1_2 -1 up_coal1_2 -120
 start_coal1_2 stays_coal1_3 1 stays_coal1_4 1
 start_coal1_2 stays_coal1_5 1 stays_coal1_6 1
 start_coal1_2 stays_coal1_7 1
 start_coal1_3 cost 1800 stays_coal1_3 1
 start_coal1_3 starts_coal1_3 -1 up_coal1_3 -120
 start_coal1_3 stays_coal1_4 1 stays_coal1_5 1
 start_coal1_3 stays_coal1_6 1 stays_coal1_7 1
 start_coal1_3 stays_coal1_8 1
 start_coal1_4 cost 1800 stays_coal1_4 1
 start_coal1_4 starts_coal1_4 -1 up_coal1_4 -120
 start_coal1_4 stays_coal1_5 1 stays_coal1_6 1
 start_coal1_4 stays_coal1_7 1 stays_coal1_8 1
 start_coal1_4 stays_coal1_9 1
 start_coal1_5 cost 1800 stays_coal1_5 1
 start_coal1_5 starts_coal1_5 -1 up_coal1_5 -120
 start_coal1_5 stays_coal1_6 1 stays_coal1_7 1
 start_coal1_5 stays_coal1_8 1 stays_coal1_9 1
 start_coal1_5 stays_coal1_10 1
 start_coal1_6 cost 1800 stays_coal1_6 1
 start_coal1_6 starts_coal1_6 -1 up_coal1_6 -120
 start_coal1_6 stays_coal1_7 1 stays_coal1_8 1
 start_coal1_6 stays_coal1_9 1 stays_coal1_10 1
 start_coal1_6 stays_coal1_11 1
 start_coal1_7 cost 1800 stays_coal1_7 1
 start_coal1_7 starts_coal1_7 -1 up_coal1_7 -120
 start_coal1_7 stays_coal1_8 1 stays_coal1_9 1
 start_coal1_7 stays_coal1_10 1 stays_coal1_11 1
 start_coal1_7 stays_coal1_12 1
 start_coal1_8 cost 1800 stays_coal1_8 1
 start_coal1_8 starts_coal1_8 -1 up_coal1_8 -120
 start_coal1_8 stays_coal1_9 1 stays_coal1_10 1
 start_coal1_8 stays_coal1_11 1 stays_coal1_12 1
 start_coal1_8 stays_coal1_13 1
 start_coal1_9 cost 1800 stays_coal1_9 1
 start_coal1_9 starts_coal1_9 -1 up_coal1_9 -120
 start_coal1_9 stays_coal1_10 1 stays_coal1_11 1
 start_coal1_9 stays_coal1_12 1 stays_coal1_13 1
 start_coal1_9 stays_coal1_14 1
 start_coal1_10 cost 1800 stays_coal1_10 1
 start_coal1_10 starts_coal1_10 -1 up_coal1_10 -120
 start_coal1_10 stays_coal1_11 1 stays_coal1_12 1
 start_coal1_10 stays_coal1_13 1 stays_coal1_14 1
 start_coal1_10 stays_coal1_15 1
 start_coal1_11 cost 1800 stays_coal1_11 1
 start_coal1_11 starts_coal1_11 -1 up_coal1_11 -120
 start_coal1_11 stays_coal1_12 1 stays_coal1_13 1
 start_coal1_11 stays_coal1_14 1 stays_coal1_15 1
 start_coal1_11 stays_coal1_16 1
 start_coal1_12 cost 1800 stays_coal1_12 1
 start_coal1_12 starts_coal1_12 -1 up_coal1_12 -120
 start_coal1_12 stays_coal1_13 1 stays_coal1_14 1
 start_coal1_12 stays_coal1_15 1 stays_coal1_16 1
 start_coal1_12 stays_coal1_17 1
 start_coal1_13 cost 1800 stays_coal1_13 1
 start_coal1_13 starts_coal1_13 -1 up_coal1_13 -120
 start_coal1_13 stays_coal1_14 1 stays_coal1_15 1
 start_coal1_13 stays_coal1_16 1 stays_coal1_17 1
 start_coal1_13 stays_coal1_18 1
 start_coal1_14 cost 1800 stays_coal1_14 1
 start_coal1_14 starts_coal1_14 -1 up_coal1_14 -120
 start_coal1_14 stays_coal1_15 1 stays_coal1_16 1
 start_coal1_14 stays_coal1_17 1 stays_coal1_18 1
 start_coal1_14 stays_coal1_19 1
 start_coal1_15 cost 1800 stays_coal1_15 1
 start_coal1_15 starts_coal1_15 -1 up_coal1_15 -120
 start_coal1_15 stays_coal1_16 1 stays_coal1_17 1
 start_coal1_15 stays_coal1_18 1 stays_coal1_19 1
 start_coal1_15 stays_coal1_20 1
 start_coal1_16 cost 1800 stays_coal1_16 1
 start_coal1_16 starts_coal1_16 -1 up_coal1_16 -120
 start_coal1_16 stays_coal1_17 1 stays_coal1_18 1
 start_coal1_16 stays_coal1_19 1 stays_coal1_20 1
 start_coal1_16 stays_coal1_21 1
 start_coal1_17 cost 1800 stays_coal1_17 1
 start_coal1_17 starts_coal1_17 -1 up_coal1_17 -120
 start_coal1_17 stays_coal1_18 1 stays_coal1_19 1
 start_coal1_17 stays_coal1_20 1 stays_coal1_21 1
 start_coal1_17 stays_coal1_22 1
 start_coal1_18 cost 1800 stays_coal1_18 1
 start_coal1_18 starts_coal1_18 -1 up_coal1_18 -120
 start_coal1_18 stays_coal1_19 1 stays_coal1_20 1
 start_coal1_18 stays_coal1_21 1 stays_coal1_22 1
 start_coal1_18 stays_coal1_23 1
 start_coal1_19 cost 1800 stays_coal1_19 1
 start_coal1_19 starts_coal1_19 -1 up_coal1_19 -120
 start_coal1_19 stays_coal1_20 1 stays_coal1_21 1
 start_coal1_19 stays_coal1_22 1 stays_coal1_23 1
 start_coal1_19 stays_coal1_24 1
 start_coal1_20 cost 1800 stays_coal1_20 1
 start_coal1_20 starts_coal1_20 -1 up_coal1_20 -120
 start_coal1_20 stays_coal1_21 1 stays_coal1_22 1
 start_coal1_20 stays_coal1_23 1 stays_coal1_24 1
 start_coal1_21 cost 1800 stays_coal1_21 1
 start_coal1_21 starts_coal1_21 -1 up_coal1_21 -120
 start_coal1_21 stays_coal1_22 1 stays_coal1_23 1
 start_coal1_21 stays_coal1_24 1
 start_coal1_22 cost 1800 stays_coal1_22 1
 start_coal1_22 starts_coal1_22 -1 up_coal1_22 -120
 start_coal1_22 stays_coal1_23 1 stays_coal1_24 1
 start_coal1_23 cost 1800 stays_coal1_23 1
 start_coal1_23 starts_coal1_23 -1 up_coal1_23 -120
 start_coal1_23 stays_coal1_24 1
 start_coal1_24 cost 1800 stays_coal1_24 1
 start_coal1_24 starts_coal1_24 -1 up_coal1_24 -120
 start_coal2_1 cost 1500 stays_coal2_1 1
 start_coal2_1 stays_coal2_2 1 stays_coal2_3 1
 start_coal2_1 stays_coal2_4 1 stays_coal2_5 1
 start_coal2_1 stays_coal2_6 1
 start_coal2_2 cost 1500 stays_coal2_2 1
 start_coal2_2 starts_coal2_2 -1 up_coal2_2 -100
 start_coal2_2 stays_coal2_3 1 stays_coal2_4 1
 start_coal2_2 stays_coal2_5 1 stays_coal2_6 1
 start_coal2_2 stays_coal2_7 1
 start_coal2_3 cost 1500 stays_coal2_3 1
 start_coal2_3 starts_coal2_3 -1 up_coal2_3 -100
 start_coal2_3 stays_coal2_4 1 stays_coal2_5 1
 start_coal2_3 stays_coal2_6 1 stays_coal2_7 1
 start_coal2_3 stays_coal2_8 1
 start_coal2_4 cost 1500 stays_coal2_4 1
 start_coal2_4 starts_coal2_4 -1 up_coal2_4 -100
 start_coal2_4 stays_coal2_5 1 stays_coal2_6 1
 start_coal2_4 stays_coal2_7 1 stays_coal2_8 1
 start_coal2_4 stays_coal2_9 1
 start_coal2_5 cost 1500 stays_coal2_5 1
 start_coal2_5 starts_coal2_5 -1 up_coal2_5 -100
 start_coal2_5 stays_coal2_6 1 stays_coal2_7 1
 start_coal2_5 stays_coal2_8 1 stays_coal2_9 1
 start_coal2_5 stays_coal2_10 1
 start_coal2_6 cost 1500 stays_coal2_6 1
 start_coal2_6 starts_coal2_6 -1 up_coal2_6 -100
 start_coal2_6 stays_coal2_7 1 stays_coal2_8 1
 start_coal2_6 stays_coal2_9 1 stays_coal2_10 1
 start_coal2_6 stays_coal2_11 1
 start_coal2_7 cost 1500 stays_coal2_7 1
 start_coal2_7 starts_coal2_7 -1 up_coal2_7 -100
 start_coal2_7 stays_coal2_8 1 stays_coal2_9 1
 start_coal2_7 stays_coal2_10 1 stays_coal2_11 1
 start_coal2_7 stays_coal2_12 1
 start_coal2_8 cost 1500 stays_coal2_8 1
 start_coal2_8 starts_coal2_8 -1 up_coal2_8 -100
 start_coal2_8 stays_coal2_9 1 stays_coal2_10 1
 start_coal2_8 stays_coal2_11 1 stays_coal2_12 1
 start_coal2_8 stays_coal2_13 1
 start_coal2_9 cost 1500 stays_coal2_9 1
 start_coal2_9 starts_coal2_9 -1 up_coal2_9 -100
 start_coal2_9 stays_coal2_10 1 stays_coal2_11 1
 start_coal2_9 stays_coal2_12 1 stays_coal2_13 1
 start_coal2_9 stays_coal2_14 1
 start_coal2_10 cost 1500 stays_coal2_10 1
 start_coal2_10 starts_coal2_10 -1 up_coal2_10 -100
 start_coal2_10 stays_coal2_11 1 stays_coal2_12 1
 start_coal2_10 stays_coal2_13 1 stays_coal2_14 1
 start_coal2_10 stays_coal2_15 1
 start_coal2_11 cost 1500 stays_coal2_11 1
 start_coal2_11 starts_coal2_11 -1 up_coal2_11 -100
 start_coal2_11 stays_coal2_12 1 stays_coal2_13 1
 start_coal2_11 stays_coal2_14 1 stays_coal2_15 1
 start_coal2_11 stays_coal2_16 1
 start_coal2_12 cost 1500 stays_coal2_12 1
 start_coal2_12 starts_coal2_12 -1 up_coal2_12 -100
 start_coal2_12 stays_coal2_13 1 stays_coal2_14 1
 start_coal2_12 stays_coal2_15 1 stays_coal2_16 1
 start_coal2_12 stays_coal2_17 1
 start_coal2_13 cost 1500 stays_coal2_13 1
 start_coal2_13 starts_coal2_13 -1 up_coal2_13 -100
 start_coal2_13 stays_coal2_14 1 stays_coal2_15 1
 start_coal2_13 stays_coal2_16 1 stays_coal2_17 1
 start_coal2_13 stays_coal2_18 1
 start_coal2_14 cost 1500 stays_coal2_14 1
 start_coal2_14 starts_coal2_14 -1 up_coal2_14 -100
 start_coal2_14 stays_coal2_15 1 stays_coal2_16 1
 start_coal2_14 stays_coal2_17 1 stays_coal2_18 1
 start_coal2_14 stays_coal2_19 1
 start_coal2_15 cost 1500 stays_coal2_15 1
 start_coal2_15 starts_coal2_15 -1 up_coal2_15 -100
 start_coal2_15 stays_coal2_16 1 stays_coal2_17 1
 start_coal2_15 stays_coal2_18 1 stays_coal2_19 1
 start_coal2_15 stays_coal2_20 1
 start_coal2_16 cost 1500 stays_coal2_16 1
 start_coal2_16 starts_coal2_16 -1 up_coal2_16 -100
 start_coal2_16 stays_coal2_17 1 stays_coal2_18 1
 start_coal2_16 stays_coal2_19 1 stays_coal2_20 1
 start_coal2_16 stays_coal2_21 1
 start_coal2_17 cost 1500 stays_coal2_17 1
 start_coal2_17 starts_coal2_17 -1 up_coal2_17 -100
 start_coal2_17 stays_coal2_18 1 stays_coal2_19 1
 start_coal2_17 stays_coal2_20 1 stays_coal2_21 1
 start_coal2_17 stays_coal2_22 1
 start_coal2_18 cost 1500 stays_coal2_18 1
 start_coal2_18 starts_coal2_18 -1 up_coal2_18 -100
 start_coal2_18 stays_coal2_19 1 stays_coal2_20 1
 start_coal2_18 stays_coal2_21 1 stays_coal2_22 1
 start_coal2_18 stays_coal2_23 1
 start_coal2_19 cost 1500 stays_coal2_19 1
 start_coal2_19 starts_coal2_19 -1 up_coal2_19 -100
 start_coal2_19 stays_coal2_20 1 stays_coal2_21 1
 start_coal2_19 stays_coal2_22 1 stays_coal2_23 1
 start_coal2_19 stays_coal2_24 1
 start_coal2_20 cost 1500 stays_coal2_20 1
 start_coal2_20 starts_coal2_20 -1 up_coal2_20 -100
 start_coal2_20 stays_coal2_21 1 stays_coal2_22 1
 start_coal2_20 stays_coal2_23 1 stays_coal2_24 1
 start_coal2_21 cost 1500 stays_coal2_21 1
 start_coal2_21 starts_coal2_21 -1 up_coal2_21 -100
 start_coal2_21 stays_coal2_22 1 stays_coal2_23 1
 start_coal2_21 stays_coal2_24 1
 start_coal2_22 cost 1500 stays_coal2_22 1
 start_coal2_22 starts_coal2_22 -1 up_coal2_22 -100
 start_coal2_22 stays_coal2_23 1 stays_coal2_24 1
 start_coal2_23 cost 1500 stays_coal2_23 1
 start_coal2_23 starts_coal2_23 -1 up_coal2_23 -100
 start_coal2_23 stays_coal2_24 1
 start_coal2_24 cost 1500 stays_coal2_24 1
 start_coal2_24 starts_coal2_24 -1 up_coal2_24 -100
 start_gas1_1 cost 300 stays_gas1_1 1
 start_gas1_1 stays_gas1_2 1 stays_gas1_3 1
 start_gas1_2 cost 300 stays_gas1_2 1
 start_gas1_2 starts_gas1_2 -1 up_gas1_2 -40
 start_gas1_2 stays_gas1_3 1 stays_gas1_4 1
 start_gas1_3 cost 300 stays_gas1_3 1
 start_gas1_3 starts_gas1_3 -1 up_gas1_3 -40
 start_gas1_3 stays_gas1_4 1 stays_gas1_5 1
 start_gas1_4 cost 300 stays_gas1_4 1
 start_gas1_4 starts_gas1_4 -1 up_gas1_4 -40
 start_gas1_4 stays_gas1_5 1 stays_gas1_6 1
 start_gas1_5 cost 300 stays_gas1_5 1
 start_gas1_5 starts_gas1_5 -1 up_gas1_5 -40
 start_gas1_5 stays_gas1_6 1 stays_gas1_7 1
 start_gas1_6 cost 300 stays_gas1_6 1
 start_gas1_6 starts_gas1_6 -1 up_gas1_6 -40
 start_gas1_6 stays_gas1_7 1 stays_gas1_8 1
 start_gas1_7 cost 300 stays_gas1_7 1
 start_gas1_7 starts_gas1_7 -1 up_gas1_7 -40
 start_gas1_7 stays_gas1_8 1 stays_gas1_9 1
 start_gas1_8 cost 300 stays_gas1_8 1
 start_gas1_8 starts_gas1_8 -1 up_gas1_8 -40
 start_gas1_8 stays_gas1_9 1 stays_gas1_10 1
 start_gas1_9 cost 300 stays_gas1_9 1
 start_gas1_9 starts_gas1_9 -1 up_gas1_9 -40
 start_gas1_9 stays_gas1_10 1 stays_gas1_11 1
 start_gas1_10 cost 300 stays_gas1_10 1
 start_gas1_10 starts_gas1_10 -1 up_gas1_10 -40
 start_gas1_10 stays_gas1_11 1 stays_gas1_12 1
 start_gas1_11 cost 300 stays_gas1_11 1
 start_gas1_11 starts_gas1_11 -1 up_gas1_11 -40
 start_gas1_11 stays_gas1_12 1 stays_gas1_13 1
 start_gas1_12 cost 300 stays_gas1_12 1
 start_gas1_12 starts_gas1_12 -1 up_gas1_12 -40
 start_gas1_12 stays_gas1_13 1 stays_gas1_14 1
 start_gas1_13 cost 300 stays_gas1_13 1
 start_gas1_13 starts_gas1_13 -1 up_gas1_13 -40
 start_gas1_13 stays_gas1_14 1 stays_gas1_15 1
 start_gas1_14 cost 300 stays_gas1_14 1
 start_gas1_14 starts_gas1_14 -1 up_gas1_14 -40
 start_gas1_14 stays_gas1_15 1 stays_gas1_16 1
 start_gas1_15 cost 300 stays_gas1_15 1
 start_gas1_15 starts_gas1_15 -1 up_gas1_15 -40
 start_gas1_15 stays_gas1_16 1 stays_gas1_17 1
 start_gas1_16 cost 300 stays_gas1_16 1
 start_gas1_16 starts_gas1_16 -1 up_gas1_16 -40
 start_gas1_16 stays_gas1_17 1 stays_gas1_18 1
 start_gas1_17 cost 300 stays_gas1_17 1
 start_gas1_17 starts_gas1_17 -1 up_gas1_17 -40
 start_gas1_17 stays_gas1_18 1 stays_gas1_19 1
 start_gas1_18 cost 300 stays_gas1_18 1
 start_gas1_18 starts_gas1_18 -1 up_gas1_18 -40
 start_gas1_18 stays_gas1_19 1 stays_gas1_20 1
 start_gas1_19 cost 300 stays_gas1_19 1
 start_gas1_19 starts_gas1_19 -1 up_gas1_19 -40
 start_gas1_19 stays_gas1_20 1 stays_gas1_21 1
 start_gas1_20 cost 300 stays_gas1_20 1
 start_gas1_20 starts_gas1_20 -1 up_gas1_20 -40
 start_gas1_20 stays_gas1_21 1 stays_gas1_22 1
 start_gas1_21 cost 300 stays_gas1_21 1
 start_gas1_21 starts_gas1_21 -1 up_gas1_21 -40
 start_gas1_21 stays_gas1_22 1 stays_gas1_23 1
 start_gas1_22 cost 300 stays_gas1_22 1
 start_gas1_22 starts_gas1_22 -1 up_gas1_22 -40
 start_gas1_22 stays_gas1_23 1 stays_gas1_24 1
 start_gas1_23 cost 300 stays_gas1_23 1
 start_gas1_23 starts_gas1_23 -1 up_gas1_23 -40
 start_gas1_23 stays_gas1_24 1
 start_gas1_24 cost 300 stays_gas1_24 1
 start_gas1_24 starts_gas1_24 -1 up_gas1_24 -40
 start_gas2_1 cost 240 stays_gas2_1 1
 start_gas2_1 stays_gas2_2 1
 start_gas2_2 cost 240 stays_gas2_2 1
 start_gas2_2 starts_gas2_2 -1 up_gas2_2 -30
 start_gas2_2 stays_gas2_3 1
 start_gas2_3 cost 240 stays_gas2_3 1
 start_gas2_3 starts_gas2_3 -1 up_gas2_3 -30
 start_gas2_3 stays_gas2_4 1
 start_gas2_4 cost 240 stays_gas2_4 1
 start_gas2_4 starts_gas2_4 -1 up_gas2_4 -30
 start_gas2_4 stays_gas2_5 1
 start_gas2_5 cost 240 stays_gas2_5 1
 start_gas2_5 starts_gas2_5 -1 up_gas2_5 -30
 start_gas2_5 stays_gas2_6 1
 start_gas2_6 cost 240 stays_gas2_6 1
 start_gas2_6 starts_gas2_6 -1 up_gas2_6 -30
 start_gas2_6 stays_gas2_7 1
 start_gas2_7 cost 240 stays_gas2_7 1
 start_gas2_7 starts_gas2_7 -1 up_gas2_7 -30
 start_gas2_7 stays_gas2_8 1
 start_gas2_8 cost 240 stays_gas2_8 1
 start_gas2_8 starts_gas2_8 -1 up_gas2_8 -30
 start_gas2_8 stays_gas2_9 1
 start_gas2_9 cost 240 stays_gas2_9 1
 start_gas2_9 starts_gas2_9 -1 up_gas2_9 -30
 start_gas2_9 stays_gas2_10 1
 start_gas2_10 cost 240 stays_gas2_10 1
 start_gas2_10 starts_gas2_10 -1 up_gas2_10 -30
 start_gas2_10 stays_gas2_11 1
 start_gas2_11 cost 240 stays_gas2_11 1
 start_gas2_11 starts_gas2_11 -1 up_gas2_11 -30
 start_gas2_11 stays_gas2_12 1
 start_gas2_12 cost 240 stays_gas2_12 1
 start_gas2_12 starts_gas2_12 -1 up_gas2_12 -30
 start_gas2_12 stays_gas2_13 1
 start_gas2_13 cost 240 stays_gas2_13 1
 start_gas2_13 starts_gas2_13 -1 up_gas2_13 -30
 start_gas2_13 stays_gas2_14 1
 start_gas2_14 cost 240 stays_gas2_14 1
 start_gas2_14 starts_gas2_14 -1 up_gas2_14 -30
 start_gas2_14 stays_gas2_15 1
 start_gas2_15 cost 240 stays_gas2_15 1
 start_gas2_15 starts_gas2_15 -1 up_gas2_15 -30
 start_gas2_15 stays_gas2_16 1
 start_gas2_16 cost 240 stays_gas2_16 1
 start_gas2_16 starts_gas2_16 -1 up_gas2_16 -30
 start_gas2_16 stays_gas2_17 1
 start_gas2_17 cost 240 stays_gas2_17 1
 start_gas2_17 starts_gas2_17 -1 up_gas2_17 -30
 start_gas2_17 stays_gas2_18 1
 start_gas2_18 cost 240 stays_gas2_18 1
 start_gas2_18 starts_gas2_18 -1 up_gas2_18 -30
 start_gas2_18 stays_gas2_19 1
 start_gas2_19 cost 240 stays_gas2_19 1
 start_gas2_19 starts_gas2_19 -1 up_gas2_19 -30
 start_gas2_19 stays_gas2_20 1
 start_gas2_20 cost 240 stays_gas2_20 1
 start_gas2_20 starts_gas2_20 -1 up_gas2_20 -30
 start_gas2_20 stays_gas2_21 1
 start_gas2_21 cost 240 stays_gas2_21 1
 start_gas2_21 starts_gas2_21 -1 up_gas2_21 -30
 start_gas2_21 stays_gas2_22 1
 start_gas2_22 cost 240 stays_gas2_22 1
 start_gas2_22 starts_gas2_22 -1 up_gas2_22 -30
 start_gas2_22 stays_gas2_23 1
 start_gas2_23 cost 240 stays_gas2_23 1
 start_gas2_23 starts_gas2_23 -1 up_gas2_23 -30
 start_gas2_23 stays_gas2_24 1
 start_gas2_24 cost 240 stays_gas2_24 1
 start_gas2_24 starts_gas2_24 -1 up_gas2_24 -30
 start_peak_1 cost 60 stays_peak_1 1
 start_peak_2 cost 60 stays_peak_2 1
 start_peak_2 starts_peak_2 -1 up_peak_2 -10
 start_peak_3 cost 60 stays_peak_3 1
 start_peak_3 starts_peak_3 -1 up_peak_3 -10
 start_peak_4 cost 60 stays_peak_4 1
 start_peak_4 starts_peak_4 -1 up_peak_4 -10
 start_peak_5 cost 60 stays_peak_5 1
 start_peak_5 starts_peak_5 -1 up_peak_5 -10
 start_peak_6 cost 60 stays_peak_6 1
 start_peak_6 starts_peak_6 -1 up_peak_6 -10
 start_peak_7 cost 60 stays_peak_7 1
 start_peak_7 starts_peak_7 -1 up_peak_7 -10
 start_peak_8 cost 60 stays_peak_8 1
 start_peak_8 starts_peak_8 -1 up_peak_8 -10
 start_peak_9 cost 60 stays_peak_9 1
 start_peak_9 starts_peak_9 -1 up_peak_9 -10
 start_peak_10 cost 60 stays_peak_10 1
 start_peak_10 starts_peak_10 -1 up_peak_10 -10
 start_peak_11 cost 60 stays_peak_11 1
 start_peak_11 starts_peak_11 -1 up_peak_11 -10
 start_peak_12 cost 60 stays_peak_12 1
 start_peak_12 starts_peak_12 -1 up_peak_12 -10
 start_peak_13 cost 60 stays_peak_13 1
 start_peak_13 starts_peak_13 -1 up_peak_13 -10
 start_peak_14 cost 60 stays_peak_14 1
 start_peak_14 starts_peak_14 -1 up_peak_14 -10
 start_peak_15 cost 60 stays_peak_15 1
 start_peak_15 starts_peak_15 -1 up_peak_15 -10
 start_peak_16 cost 60 stays_peak_16 1
 start_peak_16 starts_peak_16 -1 up_peak_16 -10
 start_peak_17 cost 60 stays_peak_17 1
 start_peak_17 starts_peak_17 -1 up_peak_17 -10
 start_peak_18 cost 60 stays_peak_18 1
 start_peak_18 starts_peak_18 -1 up_peak_18 -10
 start_peak_19 cost 60 stays_peak_19 1
 start_peak_19 starts_peak_19 -1 up_peak_19 -10
 start_peak_20 cost 60 stays_peak_20 1
 start_peak_20 starts_peak_20 -1 up_peak_20 -10
 start_peak_21 cost 60 stays_peak_21 1
 start_peak_21 starts_peak_21 -1 up_peak_21 -10
 start_peak_22 cost 60 stays_peak_22 1
 start_peak_22 starts_peak_22 -1 up_peak_22 -10
 start_peak_23 cost 60 stays_peak_23 1
 start_peak_23 starts_peak_23 -1 up_peak_23 -10
 start_peak_24 cost 60 stays_peak_24 1
 start_peak_24 starts_peak_24 -1 up_peak_24 -10
 M2 'MARKER' 'INTEND'
 power_nuclear_1 cost 8 demand_1 1
 power_nuclear_1 most_nuclear_1 1 least_nuclear_1 1
 power_nuclear_1 up_nuclear_2 -1
 power_nuclear_2 cost 8 demand_2 1
 power_nuclear_2 most_nuclear_2 1 least_nuclear_2 1
 power_nuclear_2 up_nuclear_2 1 up_nuclear_3 -1
 power_nuclear_3 cost 8 demand_3 1
 power_nuclear_3 most_nuclear_3 1 least_nuclear_3 1
 power_nuclear_3 up_nuclear_3 1 up_nuclear_4 -1
 power_nuclear_4 cost 8 demand_4 1
 power_nuclear_4 most_nuclear_4 1 least_nuclear_4 1
 power_nuclear_4 up_nuclear_4 1 up_nuclear_5 -1
 power_nuclear_5 cost 8 demand_5 1
 power_nuclear_5 most_nuclear_5 1 least_nuclear_5 1
 power_nuclear_5 up_nuclear_5 1 up_nuclear_6 -1
 power_nuclear_6 cost 8 demand_6 1
 power_nuclear_6 most_nuclear_6 1 least_nuclear_6 1
 power_nuclear_6 up_nuclear_6 1 up_nuclear_7 -1
 power_nuclear_7 cost 8 demand_7 1
 power_nuclear_7 most_nuclear_7 1 least_nuclear_7 1
 power_nuclear_7 up_nuclear_7 1 up_nuclear_8 -1
 power_nuclear_8 cost 8 demand_8 1
 power_nuclear_8 most_nuclear_8 1 least_nuclear_8 1
 power_nuclear_8 up_nuclear_8 1 up_nuclear_9 -1
 power_nuclear_9 cost 8 demand_9 1
 power_nuclear_9 most_nuclear_9 1 least_nuclear_9 1
 power_nuclear_9 up_nuclear_9 1 up_nuclear_10 -1
 power_nuclear_10 cost 8 demand_10 1
 power_nuclear_10 most_nuclear_10 1 least_nuclear_10 1
 power_nuclear_10 up_nuclear_10 1 up_nuclear_11 -1
 power_nuclear_11 cost 8 demand_11 1
 power_nuclear_11 most_nuclear_11 1 least_nuclear_11 1
 power_nuclear_11 up_nuclear_11 1 up_nuclear_12 -1
 power_nuclear_12 cost 8 demand_12 1
 power_nuclear_12 most_nuclear_12 1 least_nuclear_12 1
 power_nuclear_12 up_nuclear_12 1 up_nuclear_13 -1
 power_nuclear_13 cost 8 demand_13 1
 power_nuclear_13 most_nuclear_13 1 least_nuclear_13 1
 power_nuclear_13 up_nuclear_13 1 up_nuclear_14 -1
 power_nuclear_14 cost 8 demand_14 1
 power_nuclear_14 most_nuclear_14 1 least_nuclear_14 1
 power_nuclear_14 up_nuclear_14 1 up_nuclear_15 -1
 power_nuclear_15 cost 8 demand_15 1
 power_nuclear_15 most_nuclear_15 1 least_nuclear_15 1
 power_nuclear_15 up_nuclear_15 1 up_nuclear_16 -1
 power_nuclear_16 cost 8 demand_16 1
 power_nuclear_16 most_nuclear_16 1 least_nuclear_16 1
 power_nuclear_16 up_nuclear_16 1 up_nuclear_17 -1
 power_nuclear_17 cost 8 demand_17 1
 power_nuclear_17 most_nuclear_17 1 least_nuclear_17 1
 power_nuclear_17 up_nuclear_17 1 up_nuclear_18 -1
 power_nuclear_18 cost 8 demand_18 1
 power_nuclear_18 most_nuclear_18 1 least_nuclear_18 1
 power_nuclear_18 up_nuclear_18 1 up_nuclear_19 -1
 power_nuclear_19 cost 8 demand_19 1
 power_nuclear_19 most_nuclear_19 1 least_nuclear_19 1
 power_nuclear_19 up_nuclear_19 1 up_nuclear_20 -1
 power_nuclear_20 cost 8 demand_20 1
 power_nuclear_20 most_nuclear_20 1 least_nuclear_20 1
 power_nuclear_20 up_nuclear_20 1 up_nuclear_21 -1
 power_nuclear_21 cost 8 demand_21 1
 power_nuclear_21 most_nuclear_21 1 least_nuclear_21 1
 power_nuclear_21 up_nuclear_21 1 up_nuclear_22 -1
 power_nuclear_22 cost 8 demand_22 1
 power_nuclear_22 most_nuclear_22 1 least_nuclear_22 1
 power_nuclear_22 up_nuclear_22 1 up_nuclear_23 -1
 power_nuclear_23 cost 8 demand_23 1
 power_nuclear_23 most_nuclear_23 1 least_nuclear_23 1
 power_nuclear_23 up_nuclear_23 1 up_nuclear_24 -1
 power_nuclear_24 cost 8 demand_24 1
 power_nuclear_24 most_nuclear_24 1 least_nuclear_24 1
 power_nuclear_24 up_nuclear_24 1
 power_coal1_1 cost 19 demand_1 1
 power_coal1_1 most_coal1_1 1 least_coal1_1 1
 power_coal1_1 up_coal1_2 -1
 power_coal1_2 cost 19 demand_2 1
 power_coal1_2 most_coal1_2 1 least_coal1_2 1
 power_coal1_2 up_coal1_2 1 up_coal1_3 -1
 power_coal1_3 cost 19 demand_3 1
 power_coal1_3 most_coal1_3 1 least_coal1_3 1
 power_coal1_3 up_coal1_3 1 up_coal1_4 -1
 power_coal1_4 cost 19 demand_4 1
 power_coal1_4 most_coal1_4 1 least_coal1_4 1
 power_coal1_4 up_coal1_4 1 up_coal1_5 -1
 power_coal1_5 cost 19 demand_5 1
 power_coal1_5 most_coal1_5 1 least_coal1_5 1
 power_coal1_5 up_coal1_5 1 up_coal1_6 -1
 power_coal1_6 cost 19 demand_6 1
 power_coal1_6 most_coal1_6 1 least_coal1_6 1
 power_coal1_6 up_coal1_6 1 up_coal1_7 -1
 power_coal1_7 cost 19 demand_7 1
 power_coal1_7 most_coal1_7 1 least_coal1_7 1
 power_coal1_7 up_coal1_7 1 up_coal1_8 -1
 power_coal1_8 cost 19 demand_8 1
 power_coal1_8 most_coal1_8 1 least_coal1_8 1
 power_coal1_8 up_coal1_8 1 up_coal1_9 -1
 power_coal1_9 cost 19 demand_9 1
 power_coal1_9 most_coal1_9 1 least_coal1_9 1
 power_coal1_9 up_coal1_9 1 up_coal1_10 -1
 power_coal1_10 cost 19 demand_10 1
 power_coal1_10 most_coal1_10 1 least_coal1_10 1
 power_coal1_10 up_coal1_10 1 up_coal1_11 -1
 power_coal1_11 cost 19 demand_11 1
 power_coal1_11 most_coal1_11 1 least_coal1_11 1
 power_coal1_11 up_coal1_11 1 up_coal1_12 -1
 power_coal1_12 cost 19 demand_12 1
 power_coal1_12 most_coal1_12 1 least_coal1_12 1
 power_coal1_12 up_coal1_12 1 up_coal1_13 -1
 power_coal1_13 cost 19 demand_13 1
 power_coal1_13 most_coal1_13 1 least_coal1_13 1
 power_coal1_13 up_coal1_13 1 up_coal1_14 -1
 power_coal1_14 cost 19 demand_14 1
 power_coal1_14 most_coal1_14 1 least_coal1_14 1
 power_coal1_14 up_coal1_14 1 up_coal1_15 -1
 power_coal1_15 cost 19 demand_15 1
 power_coal1_15 most_coal1_15 1 least_coal1_15 1
 power_coal1_15 up_coal1_15 1 up_coal1_16 -1
 power_coal1_16 cost 19 demand_16 1
 power_coal1_16 most_coal1_16 1 least_coal1_16 1
 power_coal1_16 up_coal1_16 1 up_coal1_17 -1
 power_coal1_17 cost 19 demand_17 1
 power_coal1_17 most_coal1_17 1 least_coal1_17 1
 power_coal1_17 up_coal1_17 1 up_coal1_18 -1
 power_coal1_18 cost 19 demand_18 1
 power_coal1_18 most_coal1_18 1 least_coal1_18 1
 power_coal1_18 up_coal1_18 1 up_coal1_19 -1
 power_coal1_19 cost 19 demand_19 1
 power_coal1_19 most_coal1_19 1 least_coal1_19 1
 power_coal1_19 up_coal1_19 1 up_coal1_20 -1
 power_coal1_20 cost 19 demand_20 1
 power_coal1_20 most_coal1_20 1 least_coal1_20 1
 power_coal1_20 up_coal1_20 1 up_coal1_21 -1
 power_coal1_21 cost 19 demand_21 1
 power_coal1_21 most_coal1_21 1 least_coal1_21 1
 power_coal1_21 up_coal1_21 1 up_coal1_22 -1
 power_coal1_22 cost 19 demand_22 1
 power_coal1_22 most_coal1_22 1 least_coal1_22 1
 power_coal1_22 up_coal1_22 1 up_coal1_23 -1
 power_coal1_23 cost 19 demand_23 1
 power_coal1_23 most_coal1_23 1 least_coal1_23 1
 power_coal1_23 up_coal1_23 1 up_coal1_24 -1
 power_coal1_24 cost 19 demand_24 1
 power_coal1_24 most_coal1_24 1 least_coal1_24 1
 power_coal1_24 up_coal1_24 1
 power_coal2_1 cost 21 demand_1 1
 power_coal2_1 most_coal2_1 1 least_coal2_1 1
 power_coal2_1 up_coal2_2 -1
 power_coal2_2 cost 21 demand_2 1
 power_coal2_2 most_coal2_2 1 least_coal2_2 1
 power_coal2_2 up_coal2_2 1 up_coal2_3 -1
 power_coal2_3 cost 21 demand_3 1
 power_coal2_3 most_coal2_3 1 least_coal2_3 1
 power_coal2_3 up_coal2_3 1 up_coal2_4 -1
 power_coal2_4 cost 21 demand_4 1
 power_coal2_4 most_coal2_4 1 least_coal2_4 1
 power_coal2_4 up_coal2_4 1 up_coal2_5 -1
 power_coal2_5 cost 21 demand_5 1
 power_coal2_5 most_coal2_5 1 least_coal2_5 1
 power_coal2_5 up_coal2_5 1 up_coal2_6 -1
 power_coal2_6 cost 21 demand_6 1
 power_coal2_6 most_coal2_6 1 least_coal2_6 1
 power_coal2_6 up_coal2_6 1 up_coal2_7 -1
 power_coal2_7 cost 21 demand_7 1
 power_coal2_7 most_coal2_7 1 least_coal2_7 1
 power_coal2_7 up_coal2_7 1 up_coal2_8 -1
 power_coal2_8 cost 21 demand_8 1
 power_coal2_8 most_coal2_8 1 least_coal2_8 1
 power_coal2_8 up_coal2_8 1 up_coal2_9 -1
 power_coal2_9 cost 21 demand_9 1
 power_coal2_9 most_coal2_9 1 least_coal2_9 1
 power_coal2_9 up_coal2_9 1 up_coal2_10 -1
 power_coal2_10 cost 21 demand_10 1
 power_coal2_10 most_coal2_10 1 least_coal2_10 1
 power_coal2_10 up_coal2_10 1 up_coal2_11 -1
 power_coal2_11 cost 21 demand_11 1
 power_coal2_11 most_coal2_11 1 least_coal2_11 1
 power_coal2_11 up_coal2_11 1 up_coal2_12 -1
 power_coal2_12 cost 21 demand_12 1
 power_coal2_12 most_coal2_12 1 least_coal2_12 1
 power_coal2_12 up_coal2_12 1 up_coal2_13 -1
 power_coal2_13 cost 21 demand_13 1
 power_coal2_13 most_coal2_13 1 least_coal2_13 1
 power_coal2_13 up_coal2_13 1 up_coal2_14 -1
 power_coal2_14 cost 21 demand_14 1
 power_coal2_14 most_coal2_14 1 least_coal2_14 1
 power_coal2_14 up_coal2_14 1 up_coal2_15 -1
 power_coal2_15 cost 21 demand_15 1
 power_coal2_15 most_coal2_15 1 least_coal2_15 1
 power_coal2_15 up_coal2_15 1 up_coal2_16 -1
 power_coal2_16 cost 21 demand_16 1
 power_coal2_16 most_coal2_16 1 least_coal2_16 1
 power_coal2_16 up_coal2_16 1 up_coal2_17 -1
 power_coal2_17 cost 21 demand_17 1
 power_coal2_17 most_coal2_17 1 least_coal2_17 1
 power_coal2_17 up_coal2_17 1 up_coal2_18 -1
 power_coal2_18 cost 21 demand_18 1
 power_coal2_18 most_coal2_18 1 least_coal2_18 1
 power_coal2_18 up_coal2_18 1 up_coal2_19 -1
 power_coal2_19 cost 21 demand_19 1
 power_coal2_19 most_coal2_19 1 least_coal2_19 1
 power_coal2_19 up_coal2_19 1 up_coal2_20 -1
 power_coal2_20 cost 21 demand_20 1
 power_coal2_20 most_coal2_20 1 least_coal2_20 1
 power_coal2_20 up_coal2_20 1 up_coal2_21 -1
 power_coal2_21 cost 21 demand_21 1
 power_coal2_21 most_coal2_21 1 least_coal2_21 1
 power_coal2_21 up_coal2_21 1 up_coal2_22 -1
 power_coal2_22 cost 21 demand_22 1
 power_coal2_22 most_coal2_22 1 least_coal2_22 1
 power_coal2_22 up_coal2_22 1 up_coal2_23 -1
 power_coal2_23 cost 21 demand_23 1
 power_coal2_23 most_coal2_23 1 least_coal2_23 1
 power_coal2_23 up_coal2_23 1 up_coal2_24 -1
 power_coal2_24 cost 21 demand_24 1
 power_coal2_24 most_coal2_24 1 least_coal2_24 1
 power_coal2_24 up_coal2_24 1
 power_gas1_1 cost 32 demand_1 1
 power_gas1_1 most_gas1_1 1 least_gas1_1 1
 power_gas1_1 up_gas1_2 -1
 power_gas1_2 cost 32 demand_2 1
 power_gas1_2 most_gas1_2 1 least_gas1_2 1
 power_gas1_2 up_gas1_2 1 up_gas1_3 -1
 power_gas1_3 cost 32 demand_3 1
 power_gas1_3 most_gas1_3 1 least_gas1_3 1
 power_gas1_3 up_gas1_3 1 up_gas1_4 -1
 power_gas1_4 cost 32 demand_4 1
 power_gas1_4 most_gas1_4 1 least_gas1_4 1
 power_gas1_4 up_gas1_4 1 up_gas1_5 -1
 power_gas1_5 cost 32 demand_5 1
 power_gas1_5 most_gas1_5 1 least_gas1_5 1
 power_gas1_5 up_gas1_5 1 up_gas1_6 -1
 power_gas1_6 cost 32 demand_6 1
 power_gas1_6 most_gas1_6 1 least_gas1_6 1
 power_gas1_6 up_gas1_6 1 up_gas1_7 -1
 power_gas1_7 cost 32 demand_7 1
 power_gas1_7 most_gas1_7 1 least_gas1_7 1
 power_gas1_7 up_gas1_7 1 up_gas1_8 -1
 power_gas1_8 cost 32 demand_8 1
 power_gas1_8 most_gas1_8 1 least_gas1_8 1
 power_gas1_8 up_gas1_8 1 up_gas1_9 -1
 power_gas1_9 cost 32 demand_9 1
 power_gas1_9 most_gas1_9 1 least_gas1_9 1
 power_gas1_9 up_gas1_9 1 up_gas1_10 -1
 power_gas1_10 cost 32 demand_10 1
 power_gas1_10 most_gas1_10 1 least_gas1_10 1
 power_gas1_10 up_gas1_10 1 up_gas1_11 -1
 power_gas1_11 cost 32 demand_11 1
 power_gas1_11 most_gas1_11 1 least_gas1_11 1
 power_gas1_11 up_gas1_11 1 up_gas1_12 -1
 power_gas1_12 cost 32 demand_12 1
 power_gas1_12 most_gas1_12 1 least_gas1_12 1
 power_gas1_12 up_gas1_12 1 up_gas1_13 -1
 power_gas1_13 cost 32 demand_13 1
 power_gas1_13 most_gas1_13 1 least_gas1_13 1
 power_gas1_13 up_gas1_13 1 up_gas1_14 -1
 power_gas1_14 cost 32 demand_14 1
 power_gas1_14 most_gas1_14 1 least_gas1_14 1
 power_gas1_14 up_gas1_14 1 up_gas1_15 -1
 power_gas1_15 cost 32 demand_15 1
 power_gas1_15 most_gas1_15 1 least_gas1_15 1
 power_gas1_15 up_gas1_15 1 up_gas1_16 -1
 power_gas1_16 cost 32 demand_16 1
 power_gas1_16 most_gas1_16 1 least_gas1_16 1
 power_gas1_16 up_gas1_16 1 up_gas1_17 -1
 power_gas1_17 cost 32 demand_17 1
 power_gas1_17 most_gas1_17 1 least_gas1_17 1
 power_gas1_17 up_gas1_17 1 up_gas1_18 -1
 power_gas1_18 cost 32 demand_18 1
 power_gas1_18 most_gas1_18 1 least_gas1_18 1
 power_gas1_18 up_gas1_18 1 up_gas1_19 -1
 power_gas1_19 cost 32 demand_19 1
 power_gas1_19 most_gas1_19 1 least_gas1_19 1
 power_gas1_19 up_gas1_19 1 up_gas1_20 -1
 power_gas1_20 cost 32 demand_20 1
 power_gas1_20 most_gas1_20 1 least_gas1_20 1
 power_gas1_20 up_gas1_20 1 up_gas1_21 -1
 power_gas1_21 cost 32 demand_21 1
 power_gas1_21 most_gas1_21 1 least_gas1_21 1
 power_gas1_21 up_gas1_21 1 up_gas1_22 -1
 power_gas1_22 cost 32 demand_22 1
 power_gas1_22 most_gas1_22 1 least_gas1_22 1
 power_gas1_22 up_gas1_22 1 up_gas1_23 -1
 power_gas1_23 cost 32 demand_23 1
 power_gas1_23 most_gas1_23 1 least_gas1_23 1
 power_gas1_23 up_gas1_23 1 up_gas1_24 -1
 power_gas1_24 cost 32 demand_24 1
 power_gas1_24 most_gas1_24 1 least_gas1_24 1
 power_gas1_24 up_gas1_24 1
 power_gas2_1 cost 35 demand_1 1
 power_gas2_1 most_gas2_1 1 least_gas2_1 1
 power_gas2_1 up_gas2_2 -1
 power_gas2_2 cost 35 demand_2 1
 power_gas2_2 most_gas2_2 1 least_gas2_2 1
 power_gas2_2 up_gas2_2 1 up_gas2_3 -1
 power_gas2_3 cost 35 demand_3 1
 power_gas2_3 most_gas2_3 1 least_gas2_3 1
 power_gas2_3 up_gas2_3 1 up_gas2_4 -1
 power_gas2_4 cost 35 demand_4 1
 power_gas2_4 most_gas2_4 1 least_gas2_4 1
 power_gas2_4 up_gas2_4 1 up_gas2_5 -1
 power_gas2_5 cost 35 demand_5 1
 power_gas2_5 most_gas2_5 1 least_gas2_5 1
 power_gas2_5 up_gas2_5 1 up_gas2_6 -1
 power_gas2_6 cost 35 demand_6 1
 power_gas2_6 most_gas2_6 1 least_gas2_6 1
 power_gas2_6 up_gas2_6 1 up_gas2_7 -1
 power_gas2_7 cost 35 demand_7 1
 power_gas2_7 most_gas2_7 1 least_gas2_7 1
 power_gas2_7 up_gas2_7 1 up_gas2_8 -1
 power_gas2_8 cost 35 demand_8 1
 power_gas2_8 most_gas2_8 1 least_gas2_8 1
 power_gas2_8 up_gas2_8 1 up_gas2_9 -1
 power_gas2_9 cost 35 demand_9 1
 power_gas2_9 most_gas2_9 1 least_gas2_9 1
 power_gas2_9 up_gas2_9 1 up_gas2_10 -1
 power_gas2_10 cost 35 demand_10 1
 power_gas2_10 most_gas2_10 1 least_gas2_10 1
 power_gas2_10 up_gas2_10 1 up_gas2_11 -1
 power_gas2_11 cost 35 demand_11 1
 power_gas2_11 most_gas2_11 1 least_gas2_11 1
 power_gas2_11 up_gas2_11 1 up_gas2_12 -1
 power_gas2_12 cost 35 demand_12 1
 power_gas2_12 most_gas2_12 1 least_gas2_12 1
 power_gas2_12 up_gas2_12 1 up_gas2_13 -1
 power_gas2_13 cost 35 demand_13 1
 power_gas2_13 most_gas2_13 1 least_gas2_13 1
 power_gas2_13 up_gas2_13 1 up_gas2_14 -1
 power_gas2_14 cost 35 demand_14 1
 power_gas2_14 most_gas2_14 1 least_gas2_14 1
 power_gas2_14 up_gas2_14 1 up_gas2_15 -1
 power_gas2_15 cost 35 demand_15 1
 power_gas2_15 most_gas2_15 1 least_gas2_15 1
 power_gas2_15 up_gas2_15 1 up_gas2_16 -1
 power_gas2_16 cost 35 demand_16 1
 power_gas2_16 most_gas2_16 1 least_gas2_16 1
 power_gas2_16 up_gas2_16 1 up_gas2_17 -1
 power_gas2_17 cost 35 demand_17 1
 power_gas2_17 most_gas2_17 1 least_gas2_17 1
 power_gas2_17 up_gas2_17 1 up_gas2_18 -1
 power_gas2_18 cost 35 demand_18 1
 power_gas2_18 most_gas2_18 1 least_gas2_18 1
 power_gas2_18 up_gas2_18 1 up_gas2_19 -1
 power_gas2_19 cost 35 demand_19 1
 power_gas2_19 most_gas2_19 1 least_gas2_19 1
 power_gas2_19 up_gas2_19 1 up_gas2_20 -1
 power_gas2_20 cost 35 demand_20 1
 power_gas2_20 most_gas2_20 1 least_gas2_20 1
 power_gas2_20 up_gas2_20 1 up_gas2_21 -1
 power_gas2_21 cost 35 demand_21 1
 power_gas2_21 most_gas2_21 1 least_gas2_21 1
 power_gas2_21 up_gas2_21 1 up_gas2_22 -1
 power_gas2_22 cost 35 demand_22 1
 power_gas2_22 most_gas2_22 1 least_gas2_22 1
 power_gas2_22 up_gas2_22 1 up_gas2_23 -1
 power_gas2_23 cost 35 demand_23 1
 power_gas2_23 most_gas2_23 1 least_gas2_23 1
 power_gas2_23 up_gas2_23 1 up_gas2_24 -1
 power_gas2_24 cost 35 demand_24 1
 power_gas2_24 most_gas2_24 1 least_gas2_24 1
 power_gas2_24 up_gas2_24 1
 power_peak_1 cost 58 demand_1 1
 power_peak_1 most_peak_1 1 least_peak_1 1
 power_peak_1 up_peak_2 -1
 power_peak_2 cost 58 demand_2 1
 power_peak_2 most_peak_2 1 least_peak_2 1
 power_peak_2 up_peak_2 1 up_peak_3 -1
 power_peak_3 cost 58 demand_3 1
 power_peak_3 most_peak_3 1 least_peak_3 1
 power_peak_3 up_peak_3 1 up_peak_4 -1
 power_peak_4 cost 58 demand_4 1
 power_peak_4 most_peak_4 1 least_peak_4 1
 power_peak_4 up_peak_4 1 up_peak_5 -1
 power_peak_5 cost 58 demand_5 1
 power_peak_5 most_peak_5 1 least_peak_5 1
 power_peak_5 up_peak_5 1 up_peak_6 -1
 power_peak_6 cost 58 demand_6 1
 power_peak_6 most_peak_6 1 least_peak_6 1
 power_peak_6 up_peak_6 1 up_peak_7 -1
 power_peak_7 cost 58 demand_7 1
 power_peak_7 most_peak_7 1 least_peak_7 1
 power_peak_7 up_peak_7 1 up_peak_8 -1
 power_peak_8 cost 58 demand_8 1
 power_peak_8 most_peak_8 1 least_peak_8 1
 power_peak_8 up_peak_8 1 up_peak_9 -1
 power_peak_9 cost 58 demand_9 1
 power_peak_9 most_peak_9 1 least_peak_9 1
 power_peak_9 up_peak_9 1 up_peak_10 -1
 power_peak_10 cost 58 demand_10 1
 power_peak_10 most_peak_10 1 least_peak_10 1
 power_peak_10 up_peak_10 1 up_peak_11 -1
 power_peak_11 cost 58 demand_11 1
 power_peak_11 most_peak_11 1 least_peak_11 1
 power_peak_11 up_peak_11 1 up_peak_12 -1
 power_peak_12 cost 58 demand_12 1
 power_peak_12 most_peak_12 1 least_peak_12 1
 power_peak_12 up_peak_12 1 up_peak_13 -1
 power_peak_13 cost 58 demand_13 1
 power_peak_13 most_peak_13 1 least_peak_13 1
 power_peak_13 up_peak_13 1 up_peak_14 -1
 power_peak_14 cost 58 demand_14 1
 power_peak_14 most_peak_14 1 least_peak_14 1
 power_peak_14 up_peak_14 1 up_peak_15 -1
 power_peak_15 cost 58 demand_15 1
 power_peak_15 most_peak_15 1 least_peak_15 1
 power_peak_15 up_peak_15 1 up_peak_16 -1
 power_peak_16 cost 58 demand_16 1
 power_peak_16 most_peak_16 1 least_peak_16 1
 power_peak_16 up_peak_16 1 up_peak_17 -1
 power_peak_17 cost 58 demand_17 1
 power_peak_17 most_peak_17 1 least_peak_17 1
 power_peak_17 up_peak_17 1 up_peak_18 -1
 power_peak_18 cost 58 demand_18 1
 power_peak_18 most_peak_18 1 least_peak_18 1
 power_peak_18 up_peak_18 1 up_peak_19 -1
 power_peak_19 cost 58 demand_19 1
 power_peak_19 most_peak_19 1 least_peak_19 1
 power_peak_19 up_peak_19 1 up_peak_20 -1
 power_peak_20 cost 58 demand_20 1
 power_peak_20 most_peak_20 1 least_peak_20 1
 power_peak_20 up_peak_20 1 up_peak_21 -1
 power_peak_21 cost 58 demand_21 1
 power_peak_21 most_peak_21 1 least_peak_21 1
 power_peak_21 up_peak_21 1 up_peak_22 -1
 power_peak_22 cost 58 demand_22 1
 power_peak_22 most_peak_22 1 least_peak_22 1
 power_peak_22 up_peak_22 1 up_peak_23 -1
 power_peak_23 cost 58 demand_23 1
 power_peak_23 most_peak_23 1 least_peak_23 1
 power_peak_23 up_peak_23 1 up_peak_24 -1
 power_peak_24 cost 58 demand_24 1
 power_peak_24 most_peak_24 1 least_peak_24 1
 power_peak_24 up_peak_24 1
RHS
 rhs demand_1 620
 rhs reserve_1 682
 rhs demand_2 590
 rhs reserve_2 649
 rhs demand_3 570
 rhs reserve_3 627
 rhs demand_4 560
 rhs reserve_4 616
 rhs demand_5 570
 rhs reserve_5 627
 rhs demand_6 610
 rhs reserve_6 671
 rhs demand_7 720
 rhs reserve_7 792
 rhs demand_8 850
 rhs reserve_8 935
 rhs demand_9 930
 rhs reserve_9 1023
 rhs demand_10 960
 rhs reserve_10 1056
 rhs demand_11 970
 rhs reserve_11 1067
 rhs demand_12 980
 rhs reserve_12 1078
 rhs demand_13 960
 rhs reserve_13 1056
 rhs demand_14 940
 rhs reserve_14 1034
 rhs demand_15 930
 rhs reserve_15 1023
 rhs demand_16 950
 rhs reserve_16 1045
 rhs demand_17 1000
 rhs reserve_17 1100
 rhs demand_18 1090
 rhs reserve_18 1199
 rhs demand_19 1120
 rhs reserve_19 1232
 rhs demand_20 1080
 rhs reserve_20 1188
 rhs demand_21 980
 rhs reserve_21 1078
 rhs demand_22 880
 rhs reserve_22 968
 rhs demand_23 770
 rhs reserve_23 847
 rhs demand_24 680
 rhs reserve_24 748
 rhs up_nuclear_2 60
 rhs up_nuclear_3 60
 rhs up_nuclear_4 60
 rhs up_nuclear_5 60
 rhs up_nuclear_6 60
 rhs up_nuclear_7 60
 rhs up_nuclear_8 60
 rhs up_nuclear_9 60
 rhs up_nuclear_10 60
 rhs up_nuclear_11 60
 rhs up_nuclear_12 60
 rhs up_nuclear_13 60
 rhs up_nuclear_14 60
 rhs up_nuclear_15 60
 rhs up_nuclear_16 60
 rhs up_nuclear_17 60
 rhs up_nuclear_18 60
 rhs up_nuclear_19 60
 rhs up_nuclear_20 60
 rhs up_nuclear_21 60
 rhs up_nuclear_22 60
 rhs up_nuclear_23 60
 rhs up_nuclear_24 60
 rhs up_coal1_2 100
 rhs up_coal1_3 100
 rhs up_coal1_4 100
 rhs up_coal1_5 100
 rhs up_coal1_6 100
 rhs up_coal1_7 100
 rhs up_coal1_8 100
 rhs up_coal1_9 100
 rhs up_coal1_10 100
 rhs up_coal1_11 100
 rhs up_coal1_12 100
 rhs up_coal1_13 100
 rhs up_coal1_14 100
 rhs up_coal1_15 100
 rhs up_coal1_16 100
 rhs up_coal1_17 100
 rhs up_coal1_18 100
 rhs up_coal1_19 100
 rhs up_coal1_20 100
 rhs up_coal1_21 100
 rhs up_coal1_22 100
 rhs up_coal1_23 100
 rhs up_coal1_24 100
 rhs up_coal2_2 90
 rhs up_coal2_3 90
 rhs up_coal2_4 90
 rhs up_coal2_5 90
 rhs up_coal2_6 90
 rhs up_coal2_7 90
 rhs up_coal2_8 90
 rhs up_coal2_9 90
 rhs up_coal2_10 90
 rhs up_coal2_11 90
 rhs up_coal2_12 90
 rhs up_coal2_13 90
 rhs up_coal2_14 90
 rhs up_coal2_15 90
 rhs up_coal2_16 90
 rhs up_coal2_17 90
 rhs up_coal2_18 90
 rhs up_coal2_19 90
 rhs up_coal2_20 90
 rhs up_coal2_21 90
 rhs up_coal2_22 90
 rhs up_coal2_23 90
 rhs up_coal2_24 90
 rhs up_gas1_2 120
 rhs up_gas1_3 120
 rhs up_gas1_4 120
 rhs up_gas1_5 120
 rhs up_gas1_6 120
 rhs up_gas1_7 120
 rhs up_gas1_8 120
 rhs up_gas1_9 120
 rhs up_gas1_10 120
 rhs up_gas1_11 120
 rhs up_gas1_12 120
 rhs up_gas1_13 120
 rhs up_gas1_14 120
 rhs up_gas1_15 120
 rhs up_gas1_16 120
 rhs up_gas1_17 120
 rhs up_gas1_18 120
 rhs up_gas1_19 120
 rhs up_gas1_20 120
 rhs up_gas1_21 120
 rhs up_gas1_22 120
 rhs up_gas1_23 120
 rhs up_gas1_24 120
 rhs up_gas2_2 120
 rhs up_gas2_3 120
 rhs up_gas2_4 120
 rhs up_gas2_5 120
 rhs up_gas2_6 120
 rhs up_gas2_7 120
 rhs up_gas2_8 120
 rhs up_gas2_9 120
 rhs up_gas2_10 120
 rhs up_gas2_11 120
 rhs up_gas2_12 120
 rhs up_gas2_13 120
 rhs up_gas2_14 120
 rhs up_gas2_15 120
 rhs up_gas2_16 120
 rhs up_gas2_17 120
 rhs up_gas2_18 120
 rhs up_gas2_19 120
 rhs up_gas2_20 120
 rhs up_gas2_21 120
 rhs up_gas2_22 120
 rhs up_gas2_23 120
 rhs up_gas2_24 120
 rhs up_peak_2 80
 rhs up_peak_3 80
 rhs up_peak_4 80
 rhs up_peak_5 80
 rhs up_peak_6 80
 rhs up_peak_7 80
 rhs up_peak_8 80
 rhs up_peak_9 80
 rhs up_peak_10 80
 rhs up_peak_11 80
 rhs up_peak_12 80
 rhs up_peak_13 80
 rhs up_peak_14 80
 rhs up_peak_15 80
 rhs up_peak_16 80
 rhs up_peak_17 80
 rhs up_peak_18 80
 rhs up_peak_19 80
 rhs up_peak_20 80
 rhs up_peak_21 80
 rhs up_peak_22 80
 rhs up_peak_23 80
 rhs up_peak_24 80
BOUNDS
 BV bnd on_nuclear_1
 BV bnd start_nuclear_1
 BV bnd on_nuclear_2
 BV bnd start_nuclear_2
 BV bnd on_nuclear_3
 BV bnd start_nuclear_3
 BV bnd on_nuclear_4
 BV bnd start_nuclear_4
 BV bnd on_nuclear_5
 BV bnd start_nuclear_5
 BV bnd on_nuclear_6
 BV bnd start_nuclear_6
 BV bnd on_nuclear_7
 BV bnd start_nuclear_7
 BV bnd on_nuclear_8
 BV bnd start_nuclear_8
 BV bnd on_nuclear_9
 BV bnd start_nuclear_9
 BV bnd on_nuclear_10
 BV bnd start_nuclear_10
 BV bnd on_nuclear_11
 BV bnd start_nuclear_11
 BV bnd on_nuclear_12
 BV bnd start_nuclear_12
 BV bnd on_nuclear_13
 BV bnd start_nuclear_13
 BV bnd on_nuclear_14
 BV bnd start_nuclear_14
 BV bnd on_nuclear_15
 BV bnd start_nuclear_15
 BV bnd on_nuclear_16
 BV bnd start_nuclear_16
 BV bnd on_nuclear_17
 BV bnd start_nuclear_17
 BV bnd on_nuclear_18
 BV bnd start_nuclear_18
 BV bnd on_nuclear_19
 BV bnd start_nuclear_19
 BV bnd on_nuclear_20
 BV bnd start_nuclear_20
 BV bnd on_nuclear_21
 BV bnd start_nuclear_21
 BV bnd on_nuclear_22
 BV bnd start_nuclear_22
 BV bnd on_nuclear_23
 BV bnd start_nuclear_23
 BV bnd on_nuclear_24
 BV bnd start_nuclear_24
 BV bnd on_coal1_1
 BV bnd start_coal1_1
 BV bnd on_coal1_2
 BV bnd start_coal1_2
 BV bnd on_coal1_3
 BV bnd start_coal1_3
 BV bnd on_coal1_4
 BV bnd start_coal1_4
 BV bnd on_coal1_5
 BV bnd start_coal1_5
 BV bnd on_coal1_6
 BV bnd start_coal1_6
 BV bnd on_coal1_7
 BV bnd start_coal1_7
 BV bnd on_coal1_8
 BV bnd start_coal1_8
 BV bnd on_coal1_9
 BV bnd start_coal1_9
 BV bnd on_coal1_10
 BV bnd start_coal1_10
 BV bnd on_coal1_11
 BV bnd start_coal1_11
 BV bnd on_coal1_12
 BV bnd start_coal1_12
 BV bnd on_coal1_13
 BV bnd start_coal1_13
 BV bnd on_coal1_14
 BV bnd start_coal1_14
 BV bnd on_coal1_15
 BV bnd start_coal1_15
 BV bnd on_coal1_16
 BV bnd start_coal1_16
 BV bnd on_coal1_17
 BV bnd start_coal1_17
 BV bnd on_coal1_18
 BV bnd start_coal1_18
 BV bnd on_coal1_19
 BV bnd start_coal1_19
 BV bnd on_coal1_20
 BV bnd start_coal1_20
 BV bnd on_coal1_21
 BV bnd start_coal1_21
 BV bnd on_coal1_22
 BV bnd start_coal1_22
 BV bnd on_coal1_23
 BV bnd start_coal1_23
 BV bnd on_coal1_24
 BV bnd start_coal1_24
 BV bnd on_coal2_1
 BV bnd start_coal2_1
 BV bnd on_coal2_2
 BV bnd start_coal2_2
 BV bnd on_coal2_3
 BV bnd start_coal2_3
 BV bnd on_coal2_4
 BV bnd start_coal2_4
 BV bnd on_coal2_5
 BV bnd start_coal2_5
 BV bnd on_coal2_6
 BV bnd start_coal2_6
 BV bnd on_coal2_7
 BV bnd start_coal2_7
 BV bnd on_coal2_8
 BV bnd start_coal2_8
 BV bnd on_coal2_9
 BV bnd start_coal2_9
 BV bnd on_coal2_10
 BV bnd start_coal2_10
 BV bnd on_coal2_11
 BV bnd start_coal2_11
 BV bnd on_coal2_12
 BV bnd start_coal2_12
 BV bnd on_coal2_13
 BV bnd start_coal2_13
 BV bnd on_coal2_14
 BV bnd start_coal2_14
 BV bnd on_coal2_15
 BV bnd start_coal2_15
 BV bnd on_coal2_16
 BV bnd start_coal2_16
 BV bnd on_coal2_17
 BV bnd start_coal2_17
 BV bnd on_coal2_18
 BV bnd start_coal2_18
 BV bnd on_coal2_19
 BV bnd start_coal2_19
 BV bnd on_coal2_20
 BV bnd start_coal2_20
 BV bnd on_coal2_21
 BV bnd start_coal2_21
 BV bnd on_coal2_22
 BV bnd start_coal2_22
 BV bnd on_coal2_23
 BV bnd start_coal2_23
 BV bnd on_coal2_24
 BV bnd start_coal2_24
 BV bnd on_gas1_1
 BV bnd start_gas1_1
 BV bnd on_gas1_2
 BV bnd start_gas1_2
 BV bnd on_gas1_3
 BV bnd start_gas1_3
 BV bnd on_gas1_4
 BV bnd start_gas1_4
 BV bnd on_gas1_5
 BV bnd start_gas1_5
 BV bnd on_gas1_6
 BV bnd start_gas1_6
 BV bnd on_gas1_7
 BV bnd start_gas1_7
 BV bnd on_gas1_8
 BV bnd start_gas1_8
 BV bnd on_gas1_9
 BV bnd start_gas1_9
 BV bnd on_gas1_10
 BV bnd start_gas1_10
 BV bnd on_gas1_11
 BV bnd start_gas1_11
 BV bnd on_gas1_12
 BV bnd start_gas1_12
 BV bnd on_gas1_13
 BV bnd start_gas1_13
 BV bnd on_gas1_14
 BV bnd start_gas1_14
 BV bnd on_gas1_15
 BV bnd start_gas1_15
 BV bnd on_gas1_16
 BV bnd start_gas1_16
 BV bnd on_gas1_17
 BV bnd start_gas1_17
 BV bnd on_gas1_18
 BV bnd start_gas1_18
 BV bnd on_gas1_19
 BV bnd start_gas1_19
 BV bnd on_gas1_20
 BV bnd start_gas1_20
 BV bnd on_gas1_21
 BV bnd start_gas1_21
 BV bnd on_gas1_22
 BV bnd start_gas1_22
 BV bnd on_gas1_23
 BV bnd start_gas1_23
 BV bnd on_gas1_24
 BV bnd start_gas1_24
 BV bnd on_gas2_1
 BV bnd start_gas2_1
 BV bnd on_gas2_2
 BV bnd start_gas2_2
 BV bnd on_gas2_3
 BV bnd start_gas2_3
 BV bnd on_gas2_4
 BV bnd start_gas2_4
 BV bnd on_gas2_5
 BV bnd start_gas2_5
 BV bnd on_gas2_6
 BV bnd start_gas2_6
 BV bnd on_gas2_7
 BV bnd start_gas2_7
 BV bnd on_gas2_8
 BV bnd start_gas2_8
 BV bnd on_gas2_9
 BV bnd start_gas2_9
 BV bnd on_gas2_10
 BV bnd start_gas2_10
 BV bnd on_gas2_11
 BV bnd start_gas2_11
 BV bnd on_gas2_12
 BV bnd start_gas2_12
 BV bnd on_gas2_13
 BV bnd start_gas2_13
 BV bnd on_gas2_14
 BV bnd start_gas2_14
 BV bnd on_gas2_15
 BV bnd start_gas2_15
 BV bnd on_gas2_16
 BV bnd start_gas2_16
 BV bnd on_gas2_17
 BV bnd start_gas2_17
 BV bnd on_gas2_18
 BV bnd start_gas2_18
 BV bnd on_gas2_19
 BV bnd start_gas2_19
 BV bnd on_gas2_20
 BV bnd start_gas2_20
 BV bnd on_gas2_21
 BV bnd start_gas2_21
 BV bnd on_gas2_22
 BV bnd start_gas2_22
 BV bnd on_gas2_23
 BV bnd start_gas2_23
 BV bnd on_gas2_24
 BV bnd start_gas2_24
 BV bnd on_peak_1
 BV bnd start_peak_1
 BV bnd on_peak_2
 BV bnd start_peak_2
 BV bnd on_peak_3
 BV bnd start_peak_3
 BV bnd on_peak_4
 BV bnd start_peak_4
 BV bnd on_peak_5
 BV bnd start_peak_5
 BV bnd on_peak_6
 BV bnd start_peak_6
 BV bnd on_peak_7
 BV bnd start_peak_7
 BV bnd on_peak_8
 BV bnd start_peak_8
 BV bnd on_peak_9
 BV bnd start_peak_9
 BV bnd on_peak_10
 BV bnd start_peak_10
 BV bnd on_peak_11
 BV bnd start_peak_11
 BV bnd on_peak_12
 BV bnd start_peak_12
 BV bnd on_peak_13
 BV bnd start_peak_13
 BV bnd on_peak_14
 BV bnd start_peak_14
 BV bnd on_peak_15
 BV bnd start_peak_15
 BV bnd on_peak_16
 BV bnd start_peak_16
 BV bnd on_peak_17
 BV bnd start_peak_17
 BV bnd on_peak_18
 BV bnd start_peak_18
 BV bnd on_peak_19
 BV bnd start_peak_19
 BV bnd on_peak_20
 BV bnd start_peak_20
 BV bnd on_peak_21
 BV bnd start_peak_21
 BV bnd on_peak_22
 BV bnd start_peak_22
 BV bnd on_peak_23
 BV bnd start_peak_23
 BV bnd on_peak_24
 BV bnd start_peak_24
ENDATA
