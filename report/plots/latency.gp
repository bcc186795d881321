# What others waited, while the objects were being collected.
set title bench.': latency of others, over the run (first boot)'
set xlabel 'ms since the probes began'
set ylabel 'latency, ms (log)'
set logscale y
plot for [i=0:blocks-1] data index i using 1:2 with points pt 7 ps 0.5 lc rgb hue(i) title columnheader(1)
