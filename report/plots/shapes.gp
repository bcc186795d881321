# The key collector against the number of keys, a curve for each kernel and shape of keys. The first
# line of a block: kernel, its number, release, keyrings.
set xlabel 'keys (log)'
set logscale xy
set format x '%.0s%c'
set rmargin 4
header(i, column) = system(sprintf("awk -v RS='\n\n\n' 'NR == %d { gsub(/\"/, \"\"); print $%d; exit }' '%s'", i + 1, column, data))
array number[blocks]
array mark[blocks]
array label[blocks]
last = -1
do for [i=1:blocks] {
	number[i] = int(header(i - 1, 2))
	mark[i] = header(i - 1, 3) eq 'clear' ? 6 : header(i - 1, 3) eq 'ring' ? 4 : 8
	label[i] = number[i] == last ? '' : header(i - 1, 1)
	last = number[i]
}
set multiplot layout 2,2 title 'keygcbench, 1, 200 and 2,000 keyrings: cleared (o), dropped (square), expiring (triangle); virtual time'
array heading[4] = ['gc_work: longest execution', 'bystander: longest wait', 'drain: until all keys were gone', 'lines on the console that should not be there']
do for [p=1:4] {
	set title heading[p]
	set ylabel p == 4 ? 'lines' : 'ms (log)'
	if (p == 1) { set key top left inside Left reverse vertical font ',12' } else { unset key }
	if (p == 4) { unset logscale y; set yrange [-0.1:*]; set ytics 1 }
	# The kernels' names by their colour alone: what a mark means is in the title.
	plot for [i=0:blocks-1] data index i using 1:(column(p + 1)) skip 1 with linespoints \
		lw (p == 4 ? 0 : 1.5) pt mark[i + 1] ps 0.9 lc rgb hue(number[i + 1]) notitle, \
		for [i=1:blocks] keyentry with lines lw 1.5 lc rgb hue(number[i]) title label[i]
}
unset multiplot
