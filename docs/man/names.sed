# How programs are called where they are installed.
s,\./run-all\.sh,stallbench,g
s,run-all\.sh,stallbench,g
s,in results/),in ~/.local/share/stallbench/),
s,build/kernels/,~/.cache/stallbench/built/,g
s,scripts/\(compare\|plot\|build-kernel\|boot-kernel\|bisect\|scaling\),stallbench-\1,g
