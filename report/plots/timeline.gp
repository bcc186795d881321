# Every execution at the moment it began; its height is its duration.
set title bench.': executions over the run (first boot)'
set xlabel 'ms since the objects were let go'
set ylabel 'duration, ms'
set xrange [0:*]
set yrange [0:*]
plot for [i=0:blocks-1] data index i using 1:2 with impulses lw 3 lc rgb hue(i) title columnheader(1), \
     for [i=0:blocks-1] data index i using 1:2 with points pt 7 ps 0.6 lc rgb hue(i) notitle
