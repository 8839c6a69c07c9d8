#!/usr/bin/env bash
# Saves what tools print on a node where linkspec itself cannot run, under the names that it knows: judge DIR elsewhere
# with `--host DIR` (docs/saved-outputs.md). Where it can run, `linkspec capture DIR` tells more.
# A tool that is not installed leaves no file: what it alone would have told is then unknown.
#
# usage: save-outputs.sh DIR
set -u
dir=$1
mkdir -p "$dir"

save() {
    local file=$1
    shift
    command -v "$1" >/dev/null || return 0
    "$@" >"$dir/$file" 2>&1 || echo "save-outputs: $* ended with $?" >&2
}

save nvidia-smi-q.xml nvidia-smi -q -x
save nvidia-smi-topo-m.txt nvidia-smi topo -m
save nvidia-smi-topo-p2p-r.txt nvidia-smi topo -p2p r
save nvidia-smi-topo-p2p-w.txt nvidia-smi topo -p2p w
save nvidia-smi-topo-p2p-n.txt nvidia-smi topo -p2p n
save nvidia-smi-topo-p2p-a.txt nvidia-smi topo -p2p a
save nvidia-smi-nvlink-s.txt nvidia-smi nvlink -s
save nvidia-smi-nvlink-e.txt nvidia-smi nvlink -e
save ibstat.txt ibstat
save ibv_devinfo.txt ibv_devinfo -v
save lscpu.txt lscpu
save numactl-H.txt numactl -H
save lspci-vvv.txt lspci -vvv # as root: others see no ACS
save proc-cmdline.txt cat /proc/cmdline
save dmesg.txt dmesg
