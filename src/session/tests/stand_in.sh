#!/bin/sh
# A stand-in for a rank: speaks a rank's lines, and does what the variable PLAY says. PLAY is shell that uses the words
# below; each is one step of a rank's life. A rank's life without faults is "life".

# The next order of the supervisor; without one the rank ends, as a rank does.
order() { read -r line || exit 0; }
begin() {
    order
    rank=$(printf '%s' "$line" | sed 's/.*"rank":\([0-9]*\).*/\1/')
    board=$(printf '%s' "$line" | sed 's/.*"board":\([0-9]*\).*/\1/')
}
# Writes a word of the rank's on the board: its place there and the number, below 64.
word() {
    printf "\\0$(printf %o "$2")" | dd of="/proc/self/fd/$board" bs=1 seek=$(((48 + 16 * rank + $1) * 8)) conv=notrunc 2>/dev/null
}
phase() { word 0 "$1"; }
library() { printf '{"name":"NCCL","path":"/lib/libnccl.so.2","version":"%s","fake":true}' "${VERSION:-2.28.3}"; }
ready() {
    printf '{"ready":{"libraries":[%s],"name":"Stand-in","device":%s,"cpus":%s,"nodes":null}}\n' \
        "$(library)" "$rank" "${CPUS:-[0,1,2,3]}"
    if [ "$rank" = 0 ]; then echo '{"identity":"00ff"}'; fi
}
join() { order; joined; }
joined() { echo '"joined"'; }
sample() {
    printf '{"sample":{"rank":%s,"size":%s,"in_place":false,"time":1.5,"checked":null,"wrong":0,"first_wrong":null}}\n' \
        "$rank" "$1"
}
measure() { order; sample 8; sample 1024; echo '"measured"'; }
trouble() {
    printf '{"trouble":{"kind":"%s","rank":null,"message":"%s","details":[]}}\n' "$1" "$2"
}
leave() { order; echo '"ended"'; }
start() { begin; ready; join; }
life() { start; measure; leave; }
hang() { while :; do sleep 60 & wait; done; }
# What a rank does that is told to abort: ends with its input.
heed() { while read -r line; do :; done; }

eval "${PLAY:-life}"
