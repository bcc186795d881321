# Kernels side by side, in percent of the first one.
set title bench.': primary figures, in percent of the first kernel'
set ylabel 'percent'
set yrange [0:*]
set style fill solid 0.8 border -1
set boxwidth 0.8/blocks
set xtics rotate by -20
set key above maxrows blocks
set bmargin 5
# Labels from the first kernel's block alone: the others would be written over them.
plot for [i=0:blocks-1] data index i using ($1+(i-(blocks-1)/2.0)*0.8/blocks):2 with boxes lc rgb hue(i) title columnheader(1), \
	data index 0 using 1:(0):xtic(3) with points pt -1 notitle
