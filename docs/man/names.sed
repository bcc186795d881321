# How programs are called where they are installed.
s,\./run-all\.sh,stallbench,g
s,run-all\.sh,stallbench,g
s,scripts/\(compare\|plot\|build-kernel\|boot-kernel\|bisect\|scaling\),stallbench-\1,g
