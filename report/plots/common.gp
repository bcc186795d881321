# What all pictures share. Reads SB_TERMINAL, SB_OUT and SB_DATA from the environment.
eval sprintf("set terminal %s", system("printenv SB_TERMINAL"))
set output system("printenv SB_OUT")
data = system("printenv SB_DATA")
bench = system("printenv SB_BENCH")
set encoding utf8
# Names with underscores stay as they are.
set termoption noenhanced
set grid lc rgb '#dddddd' lt 1
set border 3 lc rgb '#666666'
set tics nomirror
stats data nooutput
blocks = STATS_blocks
# One name a line: names of sweep points are long, and gnuplot leaves out a key that is too wide.
set key above maxrows blocks font ',10' samplen 2
array colour[8] = ['#1f77b4', '#d62728', '#2ca02c', '#ff7f0e', '#9467bd', '#8c564b', '#17becf', '#7f7f7f']
hue(i) = colour[1 + i % 8]
