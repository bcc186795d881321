# Share of executions that took no longer than x.
set title bench.': how long one execution takes (cumulative)'
set xlabel 'ms (log)'
set ylabel 'executions, %'
set logscale x
set yrange [0:105]
plot for [i=0:blocks-1] data index i using 1:2 with steps lw 2 lc rgb hue(i) title columnheader(1), \
     for [i=0:blocks-1] data index i using 1:2 with points pt 7 ps 0.4 lc rgb hue(i) notitle
