# One figure over many runs: the mean of each run's boots, and from its smallest to its largest.
set title bench
set ylabel 'figure'
set xtics rotate by -30
set bmargin 6
set rmargin 10
set offsets 0.5, 0.5, 0, 0
set yrange [0:*]
unset key
plot data using 1:2:3:4:xtic(5) with yerrorbars lw 2 pt 7 lc rgb hue(0), data using 1:2 with lines lc rgb hue(0)
