# Kernels side by side, in percent of the first one. Whiskers: the 95 % interval over the boots.
set title bench.": primary figures in percent of the first kernel's\nwhiskers: 95 % interval over the boots, where there are several"
set ylabel 'percent'
set yrange [0:*]
set style fill solid 0.8 border -1
set boxwidth 0.8/blocks
set xtics rotate by -20
set bmargin 5
set errorbars lw 1.5
set pointintervalbox 0
at(x, i) = x+(i-(blocks-1)/2.0)*0.8/blocks
# Labels from the first kernel's block alone: the others would be written over them.
plot for [i=0:blocks-1] data index i using (at($1,i)):2 with boxes lc rgb hue(i) title columnheader(1), \
	for [i=0:blocks-1] data index i using (at($1,i)):($3>0?$2:NaN):3 with yerrorbars pt 7 ps 0 lc rgb 'black' notitle, \
	for [i=1:(blocks > 4 ? 0 : blocks - 1)] data index i using (at($1,i)):2:(sprintf('%.0f', $2)) with labels offset 0,0.6 notitle, \
	data index 0 using 1:(0):xtic(4) with points pt -1 notitle
