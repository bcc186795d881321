# What was counted over a run, with the limit on it where there is one.
set title bench.': counts over the run (first boot)'
set xlabel 'ms since the run of the phase began'
set ylabel 'count'
set format y '%.0s%c'
set xrange [0:*]
set yrange [0:*]
plot for [i=0:blocks-1] data index i using 1:2 with lines lw 2 lc rgb hue(i) title columnheader(1)
