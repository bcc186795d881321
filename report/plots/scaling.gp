# The worst case against the number of objects.
set title bench.': maximum against N'
set xlabel 'N (log)'
set ylabel 'ms (log)'
set logscale xy
set format x '%.0s%c'
set rmargin 4
plot for [i=0:blocks-1] data index i using 1:2 with linespoints lw 2 pt 7 lc rgb hue(i) title columnheader(1)
