# A figure against a boot parameter, each curve divided by its own plateau (its last point).
set title bench.': a figure against a boot parameter, plateau = 1'
set xlabel 'setting (log)'
set ylabel 'times the plateau'
set logscale x
set yrange [0:*]
set format x '%.0f'
set rmargin 4
plot for [i=0:blocks-1] data index i using 1:2 with linespoints lw 2 pt 7 lc rgb hue(i) title columnheader(1)
